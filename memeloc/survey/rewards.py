"""Bonuses and messages. In: paces, a quality control, texts. Out: rows of whom to pay or write.

Rows name the person (`participant`), the submission at the service (`service`), both as they are
stored, and the `sheet`. Prolific asks for more pay where the median takes longer than was promised
("Prolific's payment principles", researcher-help.prolific.com/hc/en-gb/articles/4407695146002).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.design.planning import Pace, Rates
from memeloc.survey.model import Sheet
from memeloc.survey.quality.checking import CheckReport
from memeloc.survey.quality.participants import PAID, WAITING, words_of

_GROUPS = ("retained", "excluded", "absent", "everybody")


def message_rows(
    report: CheckReport,
    sheets: Iterable[Sheet],
    texts: Mapping[str, str],
    to: str,
    cultures: Collection[str] = (),
) -> list[dict[str, str]]:
    """Return a row with a `text` for each person of a group who has a submission at the service.

    Args:
        texts: by language tag; the one under an empty tag is for all other languages.
        to: retained, excluded, absent (the service has them, and no answers came), everybody, or a
            rule's name.
        cultures: codes; all when empty.

    Raises:
        InputError: there is no such group or rule, or no text in a person's language.
    """
    by_id = {sheet.id: sheet for sheet in sheets}
    rules = report.counts()
    if to not in _GROUPS and to not in rules:
        raise InputError(f"Nobody is {to[:40]!r}; messages go to {', '.join((*_GROUPS, *rules))}.")
    people = []
    for row in report.judged:
        if to in ("everybody", "excluded" if row.reasons else "retained", *row.reasons):
            people.append((row.participant, row.service, row.sheet))
    for absent in report.absent if to in ("absent", "everybody") else ():
        sheet_id = min(words_of(absent.study) & by_id.keys(), default="")
        people.append((absent.participant, absent.service, sheet_id))
    rows: dict[str, dict[str, str]] = {}
    for participant, service, sheet_id in people:
        sheet = by_id.get(sheet_id)
        is_asked = not cultures or (sheet is not None and sheet.culture.code in cultures)
        if not service or participant in rows or not is_asked:
            continue
        tag = "" if sheet is None else sheet.culture.locale.tag
        text = texts.get(tag) or texts.get("")
        if not text:
            raise InputError(
                f"There is no text for people who read {tag or 'an unknown language'}; add it to "
                "the file of texts, by the language's tag, or name the cultures."
            )
        about = {"participant": participant, "service": service, "sheet": sheet_id}
        rows[participant] = {**about, "text": text}
    return list(rows.values())


def shortfalls(
    sheets: Iterable[Sheet], paces: Mapping[str, Pace], promised: Mapping[str, int], rates: Rates
) -> list[dict[str, Any]]:
    """Return the sheets whose people took longer than they were promised: `sheet`, `culture`,
    minutes `promised` and `measured`, of how many retained `people`, and by the wage what each is
    short of (`due`).

    `paces` are by culture code, see `measured_paces`; `promised` are minutes by batch id, of what
    went out.
    """
    short = []
    for sheet in sheets:
        code = sheet.culture.code
        pace, minutes = paces.get(code), promised.get(sheet.batch, 0)
        if pace and minutes and (measured := pace.minutes(len(sheet.entries))) > minutes:
            numbers = {"promised": minutes, "measured": measured, "people": pace.measured}
            due = rates.reward(measured) - rates.reward(minutes)
            short.append({"sheet": sheet.id, "culture": code, **numbers, "due": due})
    return short


def bonus_rows(
    report: CheckReport, short: Iterable[Mapping[str, Any]], each: Decimal | None, reason: str = ""
) -> list[dict[str, Any]]:
    """Return the `amount` of each bonus, in the currency of the reward, and its `reason`, a word
    that tells one bonus of a submission from another.

    Whose work is paid, or waits to be, gets what the sheet is `short` of; or `each` retained person
    gets the same.
    """
    due = {row["sheet"]: row["due"] for row in short}
    return [
        {
            "participant": row.participant,
            "service": row.service,
            "sheet": row.sheet,
            "amount": each or due[row.sheet],
            "reason": reason or ("thanks" if each else "time"),
        }
        for row in report.judged
        if row.service
        and (not row.reasons if each else row.sheet in due and row.status.upper() in PAID | WAITING)
    ]
