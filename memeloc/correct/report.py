"""What correction taught. In: what people answered. Out: a report by language, round and person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

from memeloc.correct.compare import Agreement, Edit, agreement, edits
from memeloc.correct.distance import chrf, hter
from memeloc.correct.model import GIVEN_UP, Status
from memeloc.model import Locale

COMMONEST = 15
"""Edits that a report names."""


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
    status: Status
    before: tuple[str, ...]
    after: tuple[str, ...]
    comment: str = ""


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
        commonest: the commonest edits, and how often each was made.
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
    commonest: Sequence[tuple[Edit, int]]
    wordplay: Sequence[str]


@dataclass(frozen=True, slots=True)
class Report:
    """What correction taught, and how far people agree.

    Attributes:
        rows: by language, round and person.
        agreements: of every two people of one language and round, with that language and round.
    """

    rows: Sequence[Row]
    agreements: Sequence[tuple[str, int, Agreement]]

    def as_json(self) -> dict[str, object]:
        """The report as plain lists and tables."""
        return {
            "rows": [
                {
                    **{name: value for name, value in asdict(row).items() if name != "commonest"},
                    "commonest": [
                        {"before": edit.before, "after": edit.after, "times": times}
                        for edit, times in row.commonest
                    ],
                }
                for row in self.rows
            ],
            "agreements": [
                {"language": language, "round": round_, **asdict(found)}
                for language, round_, found in self.agreements
            ],
        }


def make_report(judgements: Iterable[Judgement]) -> Report:
    """Make a report of everybody's standing answers."""
    groups: dict[tuple[str, int, str], list[Judgement]] = {}
    for one in judgements:
        groups.setdefault((one.locale.tag, one.round, one.person), []).append(one)
    rows = [_row(groups[key]) for key in sorted(groups)]
    agreements = []
    rounds: dict[tuple[str, int], list[str]] = {}
    for language, round_, person in sorted(groups):
        rounds.setdefault((language, round_), []).append(person)
    for (language, round_), people in rounds.items():
        for mine, theirs in combinations(people, 2):
            first = {item.meme_id: item for item in groups[language, round_, mine]}
            second = {item.meme_id: item for item in groups[language, round_, theirs]}
            pairs = [
                (first[meme].after, second[meme].after)
                for meme in first
                if meme in second and first[meme].after and second[meme].after
            ]
            if pairs:
                agreements.append((language, round_, agreement(mine, theirs, pairs)))
    return Report(rows, agreements)


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
        commonest=counted.most_common(COMMONEST),
        wordplay=[item.meme_id for item in group if item.status == "wordplay"],
    )


def _joined(parts: Sequence[str]) -> str:
    return " ".join(" ".join(parts).split())
