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

TIME, THANKS = "time", "thanks"
"""What a bonus is for: a sheet took longer than was promised; or what the team likes."""
_GROUPS = ("retained", "excluded", "absent", "everybody")


@dataclass(frozen=True, slots=True)
class Message:
    """A text for a person about a submission; ids are as stored, as of `Decision`."""

    participant: str
    service: str
    sheet: str
    text: str


@dataclass(frozen=True, slots=True)
class Bonus:
    """Money for a person (ids as of `Message`), in the currency of the reward; `reason` is a word
    that tells one bonus of a submission from another."""

    participant: str
    service: str
    sheet: str
    amount: Decimal
    reason: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A sheet that took its culture's people longer than was promised: minutes `promised` and
    `measured`, of `people` retained submissions; each is short of `due` by the wage."""

    sheet: str
    culture: str
    promised: int
    measured: int
    people: int
    due: Decimal


def write_messages(
    report: CheckReport,
    sheets: Iterable[Sheet],
    texts: Mapping[str, str],
    to: str,
    cultures: Collection[str] = (),
) -> list[Message]:
    """Return a message for each person of a group who has a submission at the service, once each.

    Args:
        texts: by language tag; the one under an empty tag is for all other languages.
        to: retained, excluded, absent (the service has them, and no answers came), everybody, or a
            rule's name.
        cultures: codes; all when empty.

    Raises:
        InputError: there is no such group or rule, or no text in a person's language.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    retained, rules = set(report.retained), report.counts()
    if to not in _GROUPS and to not in rules:
        raise InputError(f"Nobody is {to[:40]!r}; messages go to {', '.join((*_GROUPS, *rules))}.")
    people = [
        (row.participant, row.service, row.sheet)
        for row in report.judged
        if to == "everybody"
        or (to in _GROUPS and to != "absent" and (row.key in retained) == (to == "retained"))
        or (to in rules and any(reason.rule == to for reason in report.reasons.get(row.key, ())))
    ]
    if to in ("absent", "everybody"):
        people += [
            (row.participant, row.service, min(words_of(row.study) & by_id.keys(), default=""))
            for row in report.absent
        ]
    written: dict[str, Message] = {}
    for participant, service, sheet_id in people:
        sheet = by_id.get(sheet_id)
        is_asked = not cultures or (sheet is not None and sheet.culture.code in cultures)
        if not service or participant in written or not is_asked:
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


def shortfalls(
    sheets: Iterable[Sheet], paces: Mapping[str, Pace], promised: Mapping[str, int], rates: Rates
) -> tuple[Shortfall, ...]:
    """Return the sheets whose people took longer than they were promised.

    `paces` are by culture code, see `measured_paces`; `promised` are minutes by batch id, of what
    went out.
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
    """Return what makes up for the time of all whose work is paid, or waits to be."""
    due = {row.sheet: row.due for row in short}
    return [
        Bonus(row.participant, row.service, row.sheet, due[row.sheet], TIME)
        for row in report.judged
        if row.sheet in due and row.service and row.status.upper() in PAID | WAITING
    ]


def equal_bonuses(report: CheckReport, amount: Decimal) -> list[Bonus]:
    """Return the same for everybody who is retained."""
    retained = set(report.retained)
    return [
        Bonus(row.participant, row.service, row.sheet, amount, THANKS)
        for row in report.judged
        if row.key in retained and row.service
    ]
