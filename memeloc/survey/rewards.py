"""Money beside the reward. In: paces, promises, a quality control. Out: whom to pay a bonus.

Prolific asks for more pay where the median takes longer than was promised ("Prolific's payment
principles", researcher-help.prolific.com/hc/en-gb/articles/4407695146002). Nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from memeloc.survey.design.pay import Rates
from memeloc.survey.design.planning import Pace
from memeloc.survey.model import Sheet
from memeloc.survey.quality.checking import CheckReport
from memeloc.survey.quality.participants import PAID, WAITING

TIME, THANKS = "time", "thanks"
"""What a bonus is for: a sheet took longer than was promised; or what the team likes."""


@dataclass(frozen=True, slots=True)
class Bonus:
    """Money for a person, in the currency of the reward.

    Attributes:
        participant, service: ids of the person and of the submission at the service, as stored.
        amount: all that the submission is to get for that reason.
        reason: what it is for, a word that tells one bonus of a submission from another.
    """

    participant: str
    service: str
    sheet: str
    amount: Decimal
    reason: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A sheet that took its culture's people longer than was promised.

    Attributes:
        promised, measured: minutes; of `people` retained submissions of the culture.
        due: what each person is short of, by the wage.
    """

    sheet: str
    culture: str
    promised: int
    measured: int
    people: int
    due: Decimal


def shortfalls(
    sheets: Iterable[Sheet], paces: Mapping[str, Pace], promised: Mapping[str, int], rates: Rates
) -> tuple[Shortfall, ...]:
    """The sheets whose people took longer than they were promised.

    Args:
        paces: by culture code, see `measured_paces`.
        promised: minutes by batch id, of what went out.
    """
    short = []
    for sheet in sheets:
        pace, minutes = paces.get(sheet.culture.code), promised.get(sheet.batch, 0)
        measured = pace.minutes(len(sheet.entries)) if pace else 0
        if pace and minutes and measured > minutes:
            due = rates.reward(measured) - rates.reward(minutes)
            code = sheet.culture.code
            short.append(Shortfall(sheet.id, code, minutes, measured, pace.measured, due))
    return tuple(short)


def time_bonuses(report: CheckReport, short: Iterable[Shortfall]) -> list[Bonus]:
    """What makes up for the time of all whose work is paid, or waits to be; see `shortfalls`."""
    due = {row.sheet: row.due for row in short}
    return [
        Bonus(row.participant, row.service, row.sheet, due[row.sheet], TIME)
        for row in report.judged
        if row.sheet in due and row.service and row.status.upper() in PAID | WAITING
    ]


def equal_bonuses(report: CheckReport, amount: Decimal) -> list[Bonus]:
    """The same for everybody who is retained."""
    retained = set(report.retained)
    return [
        Bonus(row.participant, row.service, row.sheet, amount, THANKS)
        for row in report.judged
        if row.key in retained and row.service
    ]
