"""What correction taught. In: what people answered. Out: a report by language, round and person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from memeloc.correct.compare import Edit, edits
from memeloc.correct.distance import chrf, hter
from memeloc.correct.model import GIVEN_UP
from memeloc.model import Locale
from memeloc.pages import fill_page

COMMONEST = 15
"""Edits that a report names."""
_PAGE = Path(__file__).parent / "pages" / "report.html"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One person's standing answer to one caption.

    Attributes:
        meme_id: of the caption.
        locale: of its language.
        round, person: whose it is.
        status: what was said.
        before: the parts as the sheet showed them.
        after: the parts the answer stands for; empty when it was given up.
        comment: the person's.
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
class CommonEdit:
    """An edit, and how often it was made."""

    before: str
    after: str
    times: int


@dataclass(frozen=True, slots=True)
class Row:
    """One person's work in one language and round.

    Attributes:
        language, round, person: whose.
        seen: captions answered.
        untouched: of them, those found correct as they stood.
        corrected: those given another text.
        given_up: those given up, by status.
        hter: see `distance.hter`, over the captions that got a text, in percent.
        chrf: see `distance.chrf`, 0 to 100.
        commonest: the commonest edits.
        wordplay: the memes said to turn on wordplay.
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

    Attributes:
        language, round: where.
        one, other: the people.
        both: captions that both gave a text for.
        equal: those of them with the same text.
        chrf: mean chrF of the one's texts against the other's, 0 to 100, both ways averaged.
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
    """What correction taught, and how far people agree.

    Attributes:
        rows: by language, round and person.
        agreements: of every two people of one language and round.
    """

    rows: Sequence[Row]
    agreements: Sequence[Agreement]


def make_report(judgements: Iterable[Judgement]) -> Report:
    """Make a report of everybody's standing answers."""
    groups: dict[tuple[str, int, str], list[Judgement]] = {}
    for judgement in judgements:
        key = (judgement.locale.tag, judgement.round, judgement.person)
        groups.setdefault(key, []).append(judgement)
    agreements = [
        _agreement(first, second, groups[first], groups[second])
        for first, second in combinations(sorted(groups), 2)
        if first[:2] == second[:2]
    ]
    rows = [_row(groups[key]) for key in sorted(groups)]
    return Report(rows, [pair for pair in agreements if pair.both])


def report_page(report: Report, locales: Mapping[str, Locale]) -> str:
    """A report as one HTML page that works from disk, without scripts.

    Args:
        report: what to show; texts of people are shown as text, whatever is in them.
        locales: of its languages, by tag.
    """
    return fill_page(_PAGE, report=report, locales=locales)


def _agreement(
    one: tuple[str, int, str],
    other: tuple[str, int, str],
    judged: Sequence[Judgement],
    also_judged: Sequence[Judgement],
) -> Agreement:
    texts = {judgement.meme_id: " ".join(judgement.after) for judgement in also_judged}
    pairs = [
        (" ".join(judgement.after), texts[judgement.meme_id])
        for judgement in judged
        if judgement.after and texts.get(judgement.meme_id)
    ]
    scores = [(chrf([a], [b]) + chrf([b], [a])) / 2 for a, b in pairs]
    return Agreement(
        language=one[0],
        round=one[1],
        one=one[2],
        other=other[2],
        both=len(pairs),
        equal=sum(a == b for a, b in pairs),
        chrf=sum(scores) / len(scores) if scores else 0.0,
    )


def _row(group: list[Judgement]) -> Row:
    first = group[0]
    texts = [item for item in group if item.after]
    machine = [_joined(item.before) for item in texts]
    person = [_joined(item.after) for item in texts]
    counted: Counter[Edit] = Counter()
    for item in texts:
        for before, after in zip(item.before, item.after, strict=False):
            counted.update(edits(before, after, item.locale))
    return Row(
        language=first.locale.tag,
        round=first.round,
        person=first.person,
        seen=len(group),
        untouched=sum(item.before == item.after for item in texts),
        corrected=sum(item.before != item.after for item in texts),
        given_up=dict(Counter(item.status for item in group if item.status in GIVEN_UP)),
        hter=hter(machine, person, first.locale),
        chrf=chrf(machine, person),
        commonest=[
            CommonEdit(edit.before, edit.after, times)
            for edit, times in counted.most_common(COMMONEST)
        ],
        wordplay=[item.meme_id for item in group if item.status == "wordplay"],
    )


def _joined(parts: Sequence[str]) -> str:
    return " ".join(" ".join(parts).split())
