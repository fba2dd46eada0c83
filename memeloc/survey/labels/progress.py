"""How far a survey is. In: sheets, submissions, a check, labels. Out: answers, places and money.

Money is exact (`Decimal`): what has been paid, what waits for a decision, and what the places that
are left will cost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from memeloc.errors import InputError
from memeloc.survey.design.planning import CENT
from memeloc.survey.labels.settling import STATES, Settled
from memeloc.survey.model import Participant, Sheet, Submission
from memeloc.survey.quality.checking import COMPLETE, CheckReport
from memeloc.survey.quality.participants import PAID, RUNNING, WAITING, words_of


@dataclass(frozen=True, slots=True)
class Progress:
    """One part of a survey: a sheet, a culture, a batch, or all of it.

    So many annotators are wanted; of those who sent it whole some are retained, and `places` are
    still wanted. `wanted`, `answered` and `kept` are the same as answers to memes.
    """

    name: str
    sheets: int = 0
    annotators: int = 0
    sent: int = 0
    retained: int = 0
    places: int = 0
    wanted: int = 0
    answered: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Money:
    """What a survey costs, in the currency of the reward.

    `paid` is for approved work, `owed` for work that waits for a decision, `running` for people who
    are at it, and `to_come` for the places that are left besides.
    """

    paid: Decimal
    owed: Decimal
    running: Decimal
    to_come: Decimal
    total: Decimal


@dataclass(frozen=True)
class SurveyStatus:
    """How far a survey is, in all and by part.

    Attributes:
        labels: by culture code, how many items are in each of `settling.STATES`.
        aside: by rule, how many submissions it excludes.
        money: None where no reward is known.
    """

    whole: Progress
    cultures: tuple[Progress, ...]
    batches: tuple[Progress, ...]
    sheets: tuple[Progress, ...]
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    aside: Mapping[str, int] = field(default_factory=dict)
    money: Money | None = None


def survey_status(
    sheets: Sequence[Sheet],
    submissions: Iterable[Submission],
    report: CheckReport,
    *,
    settled: Settled | None = None,
    participants: Iterable[Participant] = (),
    rewards: Mapping[str, Decimal] | None = None,
    fee: Decimal = Decimal(0),
    closed: Collection[str] = (),
) -> SurveyStatus:
    """Return how far a survey is, by all of its sheets and submissions.

    Args:
        participants: what the recruitment service says of people.
        rewards: by sheet id, what a person gets for it.
        fee: the service's share on top, such as 0.33 for a third.
        closed: ids of sheets that nobody is wanted for any more.

    Raises:
        InputError: a study is of no sheet, and rewards differ.
    """
    retained = set(report.retained)
    replaced = {row.key for row in report.set_aside if row.rule == "superseded"}
    memes = {sheet.id: set(sheet.memes) for sheet in sheets}
    counts = {name: Counter(sent=0, retained=0, answered=0, kept=0) for name in memes}
    for key, sent in {(row.sheet, row.id): row for row in submissions}.items():
        if sent.sheet in memes and key not in replaced and sent.status == COMPLETE:
            number = sum(bool(each.label) and each.entry in memes[key[0]] for each in sent.answers)
            counts[sent.sheet].update(sent=1, answered=number)
            if key in retained:
                counts[sent.sheet].update(retained=1, kept=number)
    parts = [
        Progress(
            name=sheet.id,
            sheets=1,
            annotators=sheet.wanted,
            places=max(sheet.wanted - counts[sheet.id]["retained"], 0) * (sheet.id not in closed),
            wanted=sheet.wanted * len(memes[sheet.id]),
            **counts[sheet.id],
        )
        for sheet in sheets
    ]

    def summed(name_of: Callable[[Sheet], str]) -> tuple[Progress, ...]:
        groups: dict[str, list[tuple[int, ...]]] = defaultdict(list)
        for sheet, part in zip(sheets, parts, strict=True):
            groups[name_of(sheet)].append(astuple(part)[1:])
        return tuple(
            Progress(name, *map(sum, zip(*rows, strict=True))) for name, rows in groups.items()
        )

    labels = {}
    if settled is not None:
        counted = Counter(zip(settled.table["culture"], settled.table["state"], strict=True))
        for code in dict.fromkeys(sheet.culture.code for sheet in sheets):
            labels[code] = {state: counted[code, state] for state in STATES}
    return SurveyStatus(
        (*summed(lambda sheet: "all"), Progress("all"))[0],
        summed(lambda sheet: sheet.culture.code),
        summed(lambda sheet: sheet.batch),
        tuple(parts),
        labels,
        report.counts(),
        None if rewards is None else _money(parts, report, participants, rewards, fee),
    )


def _money(
    parts: Sequence[Progress],
    report: CheckReport,
    people: Iterable[Participant],
    rewards: Mapping[str, Decimal],
    fee: Decimal,
) -> Money:
    prices = {
        sheet: (reward * (1 + fee)).quantize(CENT, ROUND_HALF_UP)
        for sheet, reward in rewards.items()
    }
    # Whose submission at the service is whose sheet's: by what they sent, or by the study's name.
    sheet_of = {(row.participant, row.service): row.sheet for row in report.judged if row.service}
    by_person = {row.participant: row.sheet for row in report.judged if row.participant}
    sums = {"paid": Decimal(0), "owed": Decimal(0), "running": Decimal(0)}
    kinds = dict.fromkeys(PAID, "paid") | dict.fromkeys(WAITING, "owed")
    kinds |= dict.fromkeys(RUNNING, "running")
    running: Counter[str] = Counter()
    for person in (person for person in people if person.status.upper() in kinds):
        kind = kinds[person.status.upper()]
        sheet = (
            sheet_of.get((person.participant, person.submission))
            or min(words_of(person.study) & prices.keys(), default="")
            or by_person.get(person.participant, "")
        )
        if sheet not in prices and len(set(prices.values())) != 1:
            raise InputError(
                f"the study {person.study[:60]!r} is of no sheet of this survey, so its reward is "
                "not known; name studies by their sheets"
            )
        sums[kind] += prices.get(sheet) or next(iter(prices.values()))
        running[sheet] += kind == "running"
    to_come = sum(
        (prices[part.name] * max(part.places - running[part.name], 0) for part in parts), Decimal(0)
    )
    return Money(**sums, to_come=to_come, total=sum(sums.values(), to_come))
