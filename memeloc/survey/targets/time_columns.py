"""Columns of timestamps, as spreadsheets write them in any locale. In: texts. Out: times in UTC.

Which of two numbers is the day is decided by the whole column, never by one row: `3/4` means what
`21/4` beside it means. Where nothing decides it, no moment is given. Digits of any script are read,
Buddhist years (after 2400) are counted back, and the markers of forenoon and afternoon are CLDR's
(data/day_periods.json, made by tools/make_day_periods.py).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from memeloc.survey.times import read_moment

_BUDDHIST = 543
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})")
_CLOCK = re.compile(
    r"(\d{1,2})\s*(?:[:時点时시h]|\.(?=\d{2}[.:]\d{2}(?!\d)))\s*(\d{2})"
    r"(?:\s*[:.分분]\s*(\d{2})(?:[.,](\d{1,9}))?)?\s*[秒초]?"
)
_ZONE = re.compile(
    r"(?:gmt|utc)\s*(?:([+\-−])?\s*(\d{1,2})(?::?(\d{2}))?)?|([+\-−])(\d{2}):?(\d{2})$|z$"
)


class _Parsed(NamedTuple):
    """A timestamp taken apart; `order` is that of `date`, such as `dmy`; empty if it is open."""

    order: str
    date: tuple[int, ...]
    clock: tuple[int, int, int, int]
    zone: tzinfo | None


def looks_like_time(text: str) -> bool:
    """Whether a cell may be a timestamp.

    >>> looks_like_time("21.11.2026 15:04:05"), looks_like_time("I don't know")
    (True, False)
    """
    return _parse(text) is not None


def read_column(cells: Sequence[str], zone: tzinfo = UTC) -> list[datetime | None]:
    """The times of a column; None where a cell has none or it is not clear.

    `zone` is that of timestamps that name none.

    >>> [str(moment) for moment in read_column(["3/4/2026 1:00", "21/4/2026 1:00", "soon"])]
    ['2026-04-03 01:00:00+00:00', '2026-04-21 01:00:00+00:00', 'None']
    """
    times = [read_moment(cell, zone) for cell in cells]
    parsed_cells = {
        place: parsed
        for place, cell in enumerate(cells)
        if times[place] is None and (parsed := _parse(cell))
    }
    orders = {parsed.order for parsed in parsed_cells.values()} & {"dmy", "mdy"}
    common = orders.pop() if len(orders) == 1 else ""
    for place, parsed in parsed_cells.items():
        times[place] = _moment(parsed, parsed.order or common, zone)
    return times


def _moment(parsed: _Parsed, order: str, zone: tzinfo) -> datetime | None:
    if not order and parsed.date[0] != parsed.date[1]:
        return None
    numbers = dict(zip(order or "dmy", parsed.date, strict=True))
    year = numbers["y"]
    if year < 100:
        year += 2000
    elif year > 2400:
        year -= _BUDDHIST
    try:
        moment = datetime(year, numbers["m"], numbers["d"], *parsed.clock)
        return moment.replace(tzinfo=parsed.zone or zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=1 << 12)
def _parse(text: str) -> _Parsed | None:
    if len(text) > 100:
        return None
    rest = re.sub(r"(?<=\d)t(?=\d)", " ", _plain(text))
    clock = _CLOCK.search(rest)
    if clock is None:
        return None
    before, after = rest[: clock.start()], rest[clock.end() :].strip()
    zone = None
    if match := _ZONE.search(after):
        sign, hours, minutes = match[1] or match[4], match[2] or match[5], match[3] or match[6]
        offset = timedelta(hours=int(hours or 0) % 24, minutes=int(minutes or 0) % 60)
        zone = timezone(-offset if sign in ("-", "−") else offset)
        after = after[: match.start()]
    words = f"{before} {after}"
    numbers = [int(number) for number in re.findall(r"\d{1,5}", words)]
    order = ""
    if len(numbers) == 2 and (name := _MONTH.search(words)):
        numbers.insert(1, _MONTHS.index(name[0]) + 1)
        order = "dmy"
    if len(numbers) != 3:
        return None
    if numbers[0] > 99:
        order = "ymd"
    elif order or numbers[0] > 12 or re.search(r"\d\.\s*\d", words):
        order = "dmy"
    elif numbers[1] > 12:
        order = "mdy"
    micro = int((clock[4] or "").ljust(6, "0")[:6])
    hour = _hour(int(clock[1]), words)
    return _Parsed(order, tuple(numbers), (hour, int(clock[2]), int(clock[3] or 0), micro), zone)


def _hour(hour: int, words: str) -> int:
    """The hour of 24, by the marker of the half of the day among the words beside it."""
    words = re.sub(r"[\d/,\-年月日년월일]", " ", words)
    markers = {words.replace(" ", ""), words.replace(" ", "").lstrip("."), *words.split()}
    if 1 <= hour <= 12 and markers & (_FORENOON | _AFTERNOON):
        return hour % 12 + (12 if markers & _AFTERNOON else 0)
    return hour


def _plain(text: str) -> str:
    """A text in small letters and ASCII digits, without marks of direction."""
    letters = (
        str(unicodedata.decimal(letter, letter))
        for letter in unicodedata.normalize("NFKC", text).lower()
        if unicodedata.category(letter) != "Cf"
    )
    return " ".join("".join(letters).replace("،", " ").split())


_PERIODS = json.loads((Path(__file__).parent / "data" / "day_periods.json").read_text("utf-8"))
_FORENOON, _AFTERNOON = (
    frozenset(_plain(word).replace(" ", "") for word in _PERIODS[half]) for half in ("am", "pm")
)
