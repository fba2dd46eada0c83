"""Simulated annotators, for examples and tests. In: sheets and a seed. Out: submissions.

All kinds of people come by: diligent ones, careless, hurried and straight-lining ones, some who
come twice, stay away, stop half way, or do not agree to take part. Quality control under its
default rules retains the diligent ones and nobody else; of each it is known which kind it is.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Literal, get_args

from memeloc.errors import InputError
from memeloc.survey.design.chance import chance, one_of, shuffled
from memeloc.survey.model import (
    Answer,
    Check,
    CompletionCodes,
    Entry,
    Sheet,
    Submission,
    entry_id,
)
from memeloc.survey.taxonomy import Taxonomy

Kind = Literal[
    "diligent", "careless", "hurried", "straight", "duplicate", "absent", "stopped", "declined"
]
"""What a simulated annotator is like; see `Crowd`."""

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""When the first one begins."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Who comes, as weights, and how sure the diligent ones are.

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

    def weights(self) -> dict[Kind, float]:
        """The weight of each kind."""
        return {kind: getattr(self, kind) for kind in get_args(Kind)}


@dataclass(frozen=True, slots=True)
class Simulated:
    """A person who took a place.

    Attributes:
        sheet: the sheet's id.
        participant: who it was, as a recruitment service calls people.
        kind: what the person is like.
        submission: what was sent; None of those who stayed away.
    """

    sheet: str
    participant: str
    kind: Kind
    submission: Submission | None

    @property
    def good(self) -> bool:
        """Whether quality control is to retain it."""
        return self.kind == "diligent"


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
        memes: ids.
        cultures: codes.
        taxonomy: whose labels they are.
        seed: another one gives other labels.
        harmful: share of memes that are harmful, before cultures differ.
        differ: probability that a culture sees a meme the other way.

    Raises:
        InputError: the taxonomy has no harmful or no harmless label.
    """
    voting = [label for label in taxonomy.labels if not label.abstain]
    bad = [label.id for label in voting if label.severity > 0]
    good = [label.id for label in voting if label.severity == 0]
    if not bad or not good:
        raise InputError(f"{taxonomy.name} has no label that is harmful, or none that is harmless")
    labels = {}
    for meme_id in sorted(set(memes)):
        random = chance(seed, "truth", meme_id)
        side = random.random() < harmful
        worst, best = one_of(bad, random), one_of(good, random)
        for code in sorted(set(cultures)):
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
    """Fill every place of every sheet.

    Args:
        sheets: those of one round; people of another round are others.
        taxonomy: the sheets'.
        truth: by meme id and culture code, such as from `truths`.
        seed: another one gives other people and answers.
        crowd: who comes.
        codes: by sheet id, what is shown at the end.

    Raises:
        KeyError: a meme has no truth.
    """
    crowd = crowd or Crowd()
    people: list[Simulated] = []
    earlier: dict[str, list[Submission]] = defaultdict(list)
    returned: set[str] = set()
    for sheet in sheets:
        own: list[Submission] = []
        for place in range(sheet.wanted):
            random = chance(seed, "annotator", sheet.id, place)
            kind = _kind(crowd, random)
            before = [one for one in earlier[sheet.culture.code] if one.participant not in returned]
            if kind == "duplicate" and not before:
                kind = "diligent"
            participant, start = _name(seed, sheet.id, place), START + timedelta(minutes=7 * place)
            if kind == "duplicate":
                first = one_of(before, random)
                participant = first.participant
                returned.add(participant)
                start = (first.submitted or START) + timedelta(minutes=11)
            if kind == "absent":
                people.append(Simulated(sheet.id, participant, kind, None))
                continue
            answers, seconds = _filled(sheet, taxonomy, truth, crowd, kind, random)
            status, code = "complete", ""
            shown = (codes or {}).get(sheet.id)
            if kind == "declined":
                status, code = "no consent", shown.no_consent if shown else ""
            elif kind == "stopped":
                status = "returned"
            elif shown:
                code = shown.done
            submission = Submission(
                _name(seed, sheet.id, f"submission {place}"),
                sheet.id,
                participant,
                answers,
                "simulated",
                start + timedelta(seconds=seconds),
                start,
                status,
                code,
                len(people) + 1,
            )
            people.append(Simulated(sheet.id, participant, kind, submission))
            if kind == "diligent":
                own.append(submission)
        earlier[sheet.culture.code] += own
    return people


def _kind(crowd: Crowd, random: Random) -> Kind:
    weights = crowd.weights()
    left = random.random() * sum(weights.values())
    for kind, weight in weights.items():
        left -= weight
        if weight and left < 0:
            return kind
    return max(weights, key=lambda kind: weights[kind])


def _filled(
    sheet: Sheet,
    taxonomy: Taxonomy,
    truth: Mapping[tuple[str, str], str],
    crowd: Crowd,
    kind: Kind,
    random: Random,
) -> tuple[tuple[Answer, ...], int]:
    """What a person of a kind answers, and in how many seconds."""
    entries: Sequence[Entry] = sheet.entries
    if kind == "declined":
        return (), 20 + int(random.random() * 20)
    if kind == "stopped":
        entries = entries[: len(entries) // 2]
    labels = [label.id for label in taxonomy.labels]
    voting = [label.id for label in taxonomy.labels if not label.abstain]
    same = one_of(voting, random)
    explicit = any(isinstance(one, Check) and one.kind == "explicit" for one in entries)
    answers, seconds = [], 40 + random.random() * 60
    for entry in entries:
        seconds += 6 + random.random() * 18
        if kind == "straight":
            label = same
        elif isinstance(entry, Check):
            label = entry.expected
            if kind == "careless":
                failing = entry.kind == "explicit" or not explicit
                others = [one for one in labels if one != label]
                label = one_of(others if failing else labels, random)
        elif kind == "careless":
            label = one_of(labels, random)
        else:
            label = _opinion(truth[entry.meme_id, sheet.culture.code], taxonomy, crowd, random)
        answers.append(Answer(entry_id(entry), label, _second(label, taxonomy, random)))
    if kind == "hurried":
        seconds = len(entries) * (0.4 + random.random() * 0.6)
    return tuple(answers), max(1, round(seconds))


def _opinion(label: str, taxonomy: Taxonomy, crowd: Crowd, random: Random) -> str:
    if taxonomy.abstain is not None and random.random() < crowd.unknown:
        return taxonomy.abstain.id
    if random.random() < crowd.agreement:
        return label
    return one_of(
        [one.id for one in taxonomy.labels if not one.abstain and one.id != label], random
    )


def _second(label: str, taxonomy: Taxonomy, random: Random) -> tuple[str, ...]:
    second = taxonomy.second
    if second is None or label not in second.when:
        return ()
    count = 1 + int(random.random() * min(3, len(second.answers))) if second.several else 1
    return tuple(sorted(shuffled(second.answers, random)[:count]))


def _name(*parts: object) -> str:
    """24 hex digits, as recruitment services call people and submissions."""
    whole = "\n".join(str(part) for part in parts)
    return hashlib.blake2b(whole.encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()
