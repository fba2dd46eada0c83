"""Bonuses and messages. In: paces, a quality control, texts. Out: whom to pay or write what.

Prolific asks for more pay where the median takes longer than was promised ("Prolific's payment
principles", researcher-help.prolific.com/hc/en-gb/articles/4407695146002). Nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from memeloc.errors import InputError
from memeloc.survey.design.planning import Pace, Rates
from memeloc.survey.model import Sheet
from memeloc.survey.quality.checking import CheckReport
from memeloc.survey.quality.participants import PAID, WAITING, words_of

GROUPS = ("retained", "excluded", "absent", "everybody")
"""Who can be written to, beside those whom a rule of quality control excludes."""


@dataclass(frozen=True, slots=True)
class Message:
    """A text for a person about a submission; ids are as stored, as of `Decision`."""

    participant: str
    service: str
    sheet: str
    text: str


def write_messages(
    report: CheckReport,
    sheets: Iterable[Sheet],
    texts: Mapping[str, str],
    to: str,
    cultures: Collection[str] = (),
) -> list[Message]:
    """A message for each person of a group who has a submission at the service, once each.

    Args:
        texts: by language tag; the one under an empty tag is for all other languages.
        to: one of `GROUPS` (absent: the service has them, and no answers came), or a rule's name.
        cultures: codes; all when empty.

    Raises:
        InputError: there is no such group or rule, or no text in a person's language.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    written: dict[str, Message] = {}
    for participant, service, sheet_id in _group(report, by_id, to):
        sheet = by_id.get(sheet_id)
        if not service or participant in written:
            continue
        if cultures and (sheet is None or sheet.culture.code not in cultures):
            continue
        tag = "" if sheet is None else sheet.culture.locale.tag
        text = texts.get(tag) or texts.get("")
        if not text:
            raise InputError(
                f"There is no text for people who read {tag or 'an unknown language'}; add it to "
                "the file of texts, by the language's tag, or name the cultures."
            )
        written[participant] = Message(participant, service, sheet_id, text)
    return list(written.values())


def _group(report: CheckReport, sheets: Mapping[str, Sheet], to: str) -> list[tuple[str, str, str]]:
    """Participant, submission at the service and sheet of those who are meant."""
    rules = report.counts()
    if to not in GROUPS and to not in rules:
        known = ", ".join((*GROUPS, *rules))
        raise InputError(f"Nobody is {to[:40]!r}; messages go to {known}.")
    absent = [
        (row.participant, row.service, min(words_of(row.study) & sheets.keys(), default=""))
        for row in report.absent
    ]
    if to == "absent":
        return absent
    retained = set(report.retained)
    judged = [
        (row.participant, row.service, row.sheet)
        for row in report.judged
        if to == "everybody"
        or (
            (row.key in retained) == (to == "retained")
            and (to in GROUPS or any(reason.rule == to for reason in report.reasons[row.key]))
        )
    ]
    return [*judged, *(absent if to == "everybody" else ())]


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
