"""What correction taught. In: what people answered. Out: a report by language, round and person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from memeloc.correct.compare import Edit, chrf, edits, hter
from memeloc.correct.model import GIVEN_UP
from memeloc.model import Locale
from memeloc.pages import fill_page

COMMONEST = 15
"""Edits that a report names."""
_PAGE = Path(__file__).parent / "pages" / "report.html"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One person's standing answer to one caption.

    `before` are the parts as the sheet showed them; `after` those that the answer stands for, empty
    when it was given up.
    """

    meme_id: str
    locale: Locale
    round: int
    person: str
    status: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    comment: str = ""


@dataclass(frozen=True, slots=True)
class CommonEdit(Edit):
    """An edit, and how often it was made."""

    times: int


@dataclass(frozen=True, slots=True)
class Row:
    """One person's work in one language and round.

    Of the captions `seen`, some were found correct as they stood (`untouched`), `corrected`, or
    given up, by status. `hter` and `chrf` are over those that got a text, see `compare`. `wordplay`
    are the memes reported to turn on it.
    """

    language: str
    round: int
    person: str
    seen: int
    untouched: int
    corrected: int
    given_up: Mapping[str, int]
    hter: float
    chrf: float
    commonest: Sequence[CommonEdit]
    wordplay: Sequence[str]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree who corrected the same captions in one round.

    `both` gave a text for so many, the same for `equal`; `chrf` is the mean of one's texts against
    the other's, 0 to 100, both ways averaged.
    """

    language: str
    round: int
    one: str
    other: str
    both: int
    equal: int
    chrf: float


@dataclass(frozen=True, slots=True)
class Report:
    """By language, round and person what correction taught; how far every two people agree."""

    rows: Sequence[Row]
    agreements: Sequence[Agreement]


def make_report(judgements: Iterable[Judgement]) -> Report:
    """Make a report of everybody's standing answers."""
    groups: dict[tuple[str, int, str], list[Judgement]] = {}
    for judgement in judgements:
        key = (judgement.locale.tag, judgement.round, judgement.person)
        groups.setdefault(key, []).append(judgement)
    agreements = [
        _agreement(groups[first], groups[second])
        for first, second in combinations(sorted(groups), 2)
        if first[:2] == second[:2]
    ]
    rows = [_row(groups[key]) for key in sorted(groups)]
    return Report(rows, [pair for pair in agreements if pair.both])


def report_page(report: Report, locales: Mapping[str, Locale]) -> str:
    """A report as one HTML page that works from disk, without scripts.

    `locales` are those of its languages, by tag. Texts of people are shown as text.
    """
    return fill_page(_PAGE, report=report, locales=locales)


def _agreement(judgements: Sequence[Judgement], others: Sequence[Judgement]) -> Agreement:
    texts = {judgement.meme_id: " ".join(judgement.after) for judgement in others}
    pairs = [
        (" ".join(judgement.after), texts[judgement.meme_id])
        for judgement in judgements
        if judgement.after and texts.get(judgement.meme_id)
    ]
    scores = [(chrf([a], [b]) + chrf([b], [a])) / 2 for a, b in pairs]
    return Agreement(
        language=judgements[0].locale.tag,
        round=judgements[0].round,
        one=judgements[0].person,
        other=others[0].person,
        both=len(pairs),
        equal=sum(a == b for a, b in pairs),
        chrf=sum(scores) / len(scores) if scores else 0.0,
    )


def _row(group: Sequence[Judgement]) -> Row:
    first = group[0]
    texts = [judgement for judgement in group if judgement.after]
    machine = [_joined(judgement.before) for judgement in texts]
    corrected = [_joined(judgement.after) for judgement in texts]
    untouched = sum(judgement.before == judgement.after for judgement in texts)
    counts = Counter(
        edit
        for judgement in texts
        for before, after in zip(judgement.before, judgement.after, strict=False)
        for edit in edits(before, after, judgement.locale)
    )
    return Row(
        language=first.locale.tag,
        round=first.round,
        person=first.person,
        seen=len(group),
        untouched=untouched,
        corrected=len(texts) - untouched,
        given_up=dict(Counter(each.status for each in group if each.status in GIVEN_UP)),
        hter=hter(machine, corrected, first.locale),
        chrf=chrf(machine, corrected),
        commonest=[
            CommonEdit(edit.before, edit.after, times)
            for edit, times in counts.most_common(COMMONEST)
        ],
        wordplay=[each.meme_id for each in group if each.status == "wordplay"],
    )


def _joined(parts: Sequence[str]) -> str:
    return " ".join(" ".join(parts).split())
