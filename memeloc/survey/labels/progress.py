"""Progress of a survey. In: sheets, submissions, a check. Out: answers, places and money.

Money is exact (`Decimal`): what has been paid, what waits for a decision, and what the places that
are left will cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from memeloc.errors import InputError
from memeloc.survey.design.planning import CENT
from memeloc.survey.model import Participant, Sheet
from memeloc.survey.quality.checking import COMPLETE, PAID, RUNNING, WAITING, CheckReport, words_of

_NUMBERS = ("sheets", "annotators", "sent", "retained", "places", "wanted", "answered", "kept")


def progress(
    sheets: Sequence[Sheet], report: CheckReport, closed: Collection[str] = ()
) -> dict[str, Any]:
    """Return how far a survey is: a row for the `whole`, and rows of `cultures`, `batches` and
    `sheets`.

    Each has a `name`; of how many `sheets` it is; so many `annotators` are wanted; of those who
    `sent` it whole some are `retained`, and `places` are still wanted, but of `closed` sheets;
    `wanted`, `answered` and `kept` are the same as answers to memes.
    """
    counts = {sheet.id: Counter(dict.fromkeys(_NUMBERS, 0)) for sheet in sheets}
    for row in report.judged:
        is_whole = row.sent.status == COMPLETE and "superseded" not in row.reasons
        if row.sheet in counts and is_whole:
            counts[row.sheet].update(sent=1, answered=len(row.labels))
            if not row.reasons:
                counts[row.sheet].update(retained=1, kept=len(row.labels))
    groups: dict[str, dict[str, Counter[str]]] = {
        "whole": {"all": Counter(dict.fromkeys(_NUMBERS, 0))},
        "cultures": {},
        "batches": {},
        "sheets": {},
    }
    for sheet in sheets:
        numbers = counts[sheet.id]
        places = max(sheet.wanted - numbers["retained"], 0) * (sheet.id not in closed)
        numbers.update(sheets=1, annotators=sheet.wanted, places=places)
        numbers.update(wanted=sheet.wanted * len(sheet.memes))
        names = ("all", sheet.culture.code, sheet.batch, sheet.id)
        for group, name in zip(groups.values(), names, strict=True):
            group.setdefault(name, Counter(dict.fromkeys(_NUMBERS, 0))).update(numbers)
    rows: dict[str, Any] = {
        group: [{"name": name, **numbers} for name, numbers in parts.items()]
        for group, parts in groups.items()
    }
    return rows | {"whole": rows["whole"][0]}


def costs(
    places: Mapping[str, int],
    report: CheckReport,
    people: Iterable[Participant],
    rewards: Mapping[str, Decimal],
    fee: Decimal = Decimal(0),
) -> dict[str, Decimal]:
    """Return what a survey costs, in the currency of the reward: what is `paid` for approved work,
    `owed` for work that waits for a decision, for people who are at it (`running`), and for the
    places that are left besides (`to_come`), and the `total`. Raise InputError if a study is of no
    sheet, and rewards differ.

    Args:
        places: by sheet id, how many are left; see `progress`.
        people: what the recruitment service says of them.
        rewards: by sheet id, what a person gets for it.
        fee: the service's share on top, such as 0.33 for a third.
    """
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
        (price * max(places[sheet] - running[sheet], 0) for sheet, price in prices.items()),
        Decimal(0),
    )
    return {**sums, "to_come": to_come, "total": sum(sums.values(), to_come)}
