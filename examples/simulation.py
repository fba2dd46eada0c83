"""Simulated annotators, for examples and tests. In: sheets and a seed. Out: submissions.

All kinds of people take part: diligent ones, careless, hurried and straight-lining ones, some who
come twice, stay away, stop half way, or do not agree to take part. Quality control under its
default rules retains the diligent ones and nobody else; of each it is known which kind it is.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Literal, get_args

from memeloc.survey.design.build import chance, one_of, shuffled
from memeloc.survey.model import (
    Answer,
    Check,
    CompletionCodes,
    Entry,
    MemeEntry,
    PersonEntry,
    Sheet,
    Submission,
    entry_id,
    questions_of,
)
from memeloc.taxonomy import LABEL, Taxonomy

Kind = Literal[
    "diligent", "careless", "hurried", "straight", "duplicate", "absent", "stopped", "declined"
]
"""What a simulated annotator is like; see `Crowd`."""

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""When the first one begins."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Who comes, as weights in the order of `Kind`, and how sure the diligent ones are.

    Attributes:
        diligent: reads, passes every check, and gives the true label as often as `agreement` says.
        careless: labels at random, and fails the explicit check, or implicit ones without one.
        hurried: answers as a diligent one would, in a second or less an entry.
        straight: gives the same answer throughout, to checks too.
        duplicate: a diligent one of another sheet of the culture, who comes once more; where there
            is no other sheet before, a diligent one.
        absent: takes a place and sends nothing.
        stopped: stops half way.
        declined: does not agree to take part.
        agreement: probability of the true label of whoever has an opinion.
        unknown: probability of "I don't know", where the taxonomy has it.
    """

    diligent: float = 0.74
    careless: float = 0.06
    hurried: float = 0.05
    straight: float = 0.04
    duplicate: float = 0.04
    absent: float = 0.03
    stopped: float = 0.02
    declined: float = 0.02
    agreement: float = 0.85
    unknown: float = 0.04


@dataclass(frozen=True, slots=True)
class Simulated:
    """A person who took a place of a sheet (its id), and what was sent: None of the absent."""

    sheet: str
    participant: str
    kind: Kind
    submission: Submission | None

    @property
    def good(self) -> bool:
        return self.kind == "diligent"


def saved_page(survey: str, submission: Submission) -> dict[str, object]:
    """What the page of a sheet saves for a person, as JSON values."""
    return {
        "memeloc": "survey-answers",
        "survey": survey,
        "sheet": submission.sheet,
        "submission": submission.id,
        "participant": submission.participant,
        "status": submission.status,
        "code": submission.code,
        "started": submission.started and submission.started.isoformat(),
        "submitted": submission.submitted and submission.submitted.isoformat(),
        "answers": [
            {
                "entry": answer.entry,
                "label": answer.label,
                "further": {
                    name: list(values) for name, values in answer.values.items() if name != LABEL
                },
            }
            for answer in submission.answers
        ],
    }


def truths(
    memes: Sequence[str],
    cultures: Sequence[str],
    taxonomy: Taxonomy,
    *,
    seed: int,
    harmful: float = 0.45,
    differ: float = 0.15,
) -> dict[tuple[str, str], str]:
    """A true label for each meme in each culture, by meme id and culture code.

    Args:
        harmful: share of memes that are harmful, before cultures differ.
        differ: probability that a culture sees a meme the other way.
    """
    voting = taxonomy.of_role("vote")
    bad = [label.id for label in voting if label.severity > 0]
    good = [label.id for label in voting if label.severity == 0]
    labels = {}
    for meme_id in memes:
        random = chance(seed, "truth", meme_id)
        side = random.random() < harmful
        worst, best = one_of(bad, random), one_of(good, random)
        for code in cultures:
            other = chance(seed, "truth", meme_id, code).random() < differ
            labels[meme_id, code] = worst if side != other else best
    return labels


def simulate(
    sheets: Sequence[Sheet],
    taxonomy: Taxonomy,
    truth: Mapping[tuple[str, str], str],
    *,
    seed: int,
    crowd: Crowd | None = None,
    codes: Mapping[str, CompletionCodes] | None = None,
) -> list[Simulated]:
    """Fill every place of every sheet of a round; people of another round are others.

    Args:
        truth: by meme id and culture code, such as from `truths`.
        codes: by sheet id, what is shown at the end.
    """
    crowd, codes = crowd or Crowd(), codes or {}
    kinds: tuple[Kind, ...] = get_args(Kind)
    weights = astuple(crowd)[: len(kinds)]
    people: list[Simulated] = []
    # By culture, the diligent ones of earlier sheets who have not come back yet.
    earlier: dict[str, list[Submission]] = defaultdict(list)
    for sheet in sheets:
        own: list[Submission] = []
        before = earlier[sheet.culture.code]
        for place in range(sheet.wanted):
            random = chance(seed, "annotator", sheet.id, place)
            (kind,) = random.choices(kinds, weights)
            if kind == "duplicate" and not before:
                kind = "diligent"
            participant, start = _name(seed, sheet.id, place), START + timedelta(minutes=7 * place)
            if kind == "duplicate":
                first = before.pop(int(random.random() * len(before)))
                participant = first.participant
                start = (first.submitted or START) + timedelta(minutes=11)
            submission = None
            if kind != "absent":
                answers, seconds = _filled(sheet, taxonomy, truth, crowd, kind, random, seed)
                shown = codes.get(sheet.id, CompletionCodes("", "", "", ""))
                submission = Submission(
                    _name(seed, sheet.id, f"submission {place}"),
                    sheet.id,
                    participant,
                    answers,
                    "simulated",
                    start + timedelta(seconds=seconds),
                    start,
                    {"declined": "no consent", "stopped": "returned"}.get(kind, "complete"),
                    {"declined": shown.no_consent, "stopped": ""}.get(kind, shown.done),
                    row=len(people) + 1,
                )
                if kind == "diligent":
                    own.append(submission)
            people.append(Simulated(sheet.id, participant, kind, submission))
        before += own
    return people


def _filled(
    sheet: Sheet,
    taxonomy: Taxonomy,
    truth: Mapping[tuple[str, str], str],
    crowd: Crowd,
    kind: Kind,
    random: Random,
    seed: int,
) -> tuple[tuple[Answer, ...], int]:
    entries: Sequence[Entry] = sheet.entries
    if kind == "declined":
        return (), 20 + int(random.random() * 20)
    if kind == "stopped":
        entries = entries[: len(entries) // 2]
    labels = [label.id for label in taxonomy.of_role("vote", "abstain")]
    voting = [label.id for label in taxonomy.of_role("vote")]
    same = one_of(voting, random)
    checks = [entry.kind for entry in entries if isinstance(entry, Check)]
    failed = "explicit" if "explicit" in checks else "implicit"
    answers, seconds = [], 40 + random.random() * 60
    for entry in entries:
        seconds += 6 + random.random() * 18
        label = ""
        if isinstance(entry, PersonEntry):
            pass
        elif kind == "straight":
            label = same
        elif isinstance(entry, Check):
            label = entry.expected
            if kind == "careless":
                wrong = [other for other in labels if other != label]
                label = one_of(wrong if entry.kind == failed else labels, random)
        elif kind == "careless":
            label = one_of(labels, random)
        elif taxonomy.abstain is not None and random.random() < crowd.unknown:
            label = taxonomy.abstain.id
        else:
            label = truth[entry.meme_id, sheet.culture.code]
            if random.random() >= crowd.agreement:
                label = one_of([other for other in voting if other != label], random)
        values = values_after(taxonomy, entry, label, random, seed, crowd.agreement)
        if values:
            answers.append(Answer(entry_id(entry), values))
    if kind == "hurried":
        seconds = len(entries) * (0.4 + random.random() * 0.6)
    return tuple(answers), max(1, round(seconds))


def values_after(
    taxonomy: Taxonomy, entry: Entry, label: str, random: Random, seed: int, agreement: float
) -> dict[str, tuple[str, ...]]:
    """Return a label, and answers to what an entry is asked after it, by question id.

    As often as `agreement` says they are the entry's own, the same of everybody, else at random.
    Drafts are left as they are.
    """
    given: dict[str, tuple[str, ...]] = {LABEL: (label,)} if label else {}
    texts = entry.texts if isinstance(entry, MemeEntry) else {}
    for question in questions_of(taxonomy, entry):
        if not question.asked_after(given):
            continue
        own = chance(seed, "answer", entry_id(entry), question.id)
        drawn = own if random.random() < agreement else random
        if question.answers:
            most = min(3, len(question.answers)) if question.kind == "choices" else 0
            count = 1 + int(drawn.random() * most) if most else 1
            chosen = set(shuffled(question.answers, drawn)[:count])
            given[question.id] = tuple(name for name in question.answers if name in chosen)
        elif question.scale is not None:
            least, most = question.scale
            given[question.id] = (str(least + int(drawn.random() * (most - least + 1))),)
        elif question.kind == "span":
            given[question.id] = ("0-1",)
        else:
            given[question.id] = (texts.get(question.id) or "A simulated text.",)
    return given


def _name(*parts: object) -> str:
    return hashlib.blake2b("\n".join(map(str, parts)).encode(), digest_size=12).hexdigest()
