"""Timestamps of Google's tables. In: a column's texts, in any locale. Out: moments.

Which of two numbers is the day is decided by the whole column, never by one row: `3/4` means what
`21/4` beside it means. Where nothing decides it, no moment is given. Digits of any
script are read, Buddhist years (after 2400) are counted back, and the markers of forenoon and
afternoon are CLDR's (data/google_forms/day_periods.json, made by tools/make_day_periods.py).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from importlib.resources import files

_BUDDHIST = 543
_SERIAL_START = datetime(1899, 12, 30)
"""Day 0 of the serial numbers of spreadsheets."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of timestamps that was read.

    Attributes:
        moments: one a row; None where there is nothing or it cannot be read.
        order: `dmy`, `mdy`, `ymd`, or `unknown` where days and months cannot be told apart.
        doubtful: numbers, from 0, of the rows that have a timestamp and no moment.
    """

    moments: tuple[datetime | None, ...]
    order: str
    doubtful: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """A timestamp taken apart; `numbers` are its date's as written."""

    numbers: tuple[int, int, int]
    first_is_year: bool
    dotted: bool
    clock: tuple[int, int, int, int]
    zone: tzinfo | None


def looks_like_time(text: str) -> bool:
    """Whether a cell may be a timestamp.

    >>> looks_like_time("21.11.2026 15:04:05"), looks_like_time("I don't know")
    (True, False)
    """
    return _taken_apart(text) is not None


def read_column(cells: Sequence[str], zone: tzinfo = UTC) -> Column:
    """The moments of a column.

    Args:
        cells: its texts.
        zone: of timestamps that name none.
    """
    parts = [_taken_apart(cell) for cell in cells]
    order = _order([part for part in parts if part is not None])
    moments = [None if part is None else _moment(part, order, zone) for part in parts]
    doubtful = tuple(
        number
        for number, (cell, moment) in enumerate(zip(cells, moments, strict=True))
        if cell.strip() and moment is None
    )
    return Column(tuple(moments), order, doubtful)


def _order(parts: Sequence[_Parts]) -> str:
    """Which comes first, of all dates that do not begin with the year."""
    open_dates = [part for part in parts if not part.first_is_year]
    if not open_dates:
        return "ymd"
    day_first = any(part.numbers[0] > 12 or part.dotted for part in open_dates)
    month_first = any(part.numbers[1] > 12 for part in open_dates)
    if day_first == month_first:
        return "unknown"
    return "dmy" if day_first else "mdy"


def _moment(part: _Parts, order: str, zone: tzinfo) -> datetime | None:
    first, second, third = part.numbers
    if part.first_is_year:
        year, month, day = first, second, third
    elif order == "dmy" or (order == "unknown" and (first > 12 or part.dotted)):
        day, month, year = first, second, third
    elif order == "mdy" or (order == "unknown" and (second > 12 or first == second)):
        month, day, year = first, second, third
    else:
        return None
    if year < 100:
        year += 2000
    if year > 2400:
        year -= _BUDDHIST
    hour, minute, second_, micro = part.clock
    try:
        moment = datetime(year, month, day, hour, minute, second_, micro)
        return moment.replace(tzinfo=part.zone or zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


_CLOCK = re.compile(
    r"(\d{1,2})\s*(?:[:時点时시h]|\.(?=\d{2}[.:]\d{2}(?!\d)))\s*(\d{2})"
    r"(?:\s*[:.分분]\s*(\d{2})(?:[.,](\d{1,9}))?)?\s*[秒초]?"
)
_ZONE = re.compile(
    r"(?:gmt|utc)\s*([+\-−])?\s*(\d{1,2})?(?::?(\d{2}))?|([+\-−])(\d{2}):?(\d{2})$|z$"
)
_DATE = re.compile(
    r"(\d{1,4})\s*[/.\-年년\s]\s*(?:de\s+)?(\d{1,2})\s*[/.\-月월\s]\s*(?:de\s+)?(\d{1,4})\s*[日일.]?"
)
_NAMED = re.compile(r"(?:(\d{1,2})\.?\s+)?([a-z]{3})[a-z]*\.?\s+(?:(\d{1,2}),?\s+)?(\d{4})")


def _key(text: str) -> str:
    """A text in small letters and ASCII digits, without marks of direction."""
    folded = []
    for letter in unicodedata.normalize("NFKC", text).lower():
        digit = unicodedata.decimal(letter, None)
        if digit is not None:
            folded.append(str(digit))
        elif unicodedata.category(letter) != "Cf":
            folded.append(" " if letter.isspace() else letter)
    return " ".join("".join(folded).replace("،", " ").split())


def _words(half: str) -> tuple[str, ...]:
    """What languages call half of a day, longest first."""
    path = files("memeloc.survey.targets.google_forms") / "data" / "day_periods.json"
    words = json.loads(path.read_text(encoding="utf-8"))[half]
    return tuple(sorted({_key(word) for word in words} - {""}, key=lambda one: (-len(one), one)))


_FORENOON_WORDS, _AFTERNOON_WORDS = _words("am"), _words("pm")
_FORENOON, _AFTERNOON = (
    frozenset(word.replace(" ", "") for word in words)
    for words in (_FORENOON_WORDS, _AFTERNOON_WORDS)
)


@lru_cache(maxsize=1 << 12)
def _taken_apart(text: str) -> _Parts | None:
    """A timestamp's numbers; None for another text."""
    if not text or len(text) > 100:
        return None
    rest = _key(text)
    if re.fullmatch(r"[3-9]\d{4}(?:[.,]\d+)?", rest):
        return _serial(float(rest.replace(",", ".")))
    if iso := re.match(r"(\d{4}-\d{2}-\d{2})t(\d)", rest):
        rest = rest.replace(iso[0], f"{iso[1]} {iso[2]}", 1)
    clock = _CLOCK.search(rest)
    if clock is None:
        return None
    before, after = rest[: clock.start()], rest[clock.end() :]
    zone: tzinfo | None = None
    if found := _ZONE.search(after.strip()):
        zone = _zone(found)
        after = after.strip()[: found.start()]
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    micro = int(((clock[4] or "") + "000000")[:6])
    words = f"{before} {after}"
    if date := _DATE.search(words):
        numbers = (int(date[1]), int(date[2]), int(date[3]))
        first_is_year = len(date[1]) > 2
        if first_is_year == (len(date[3]) > 2) and (first_is_year or len(date[3]) != 2):
            return None
        dotted = "." in date[0].rstrip(".")
    elif named := _NAMED.search(words):
        if named[2] not in _MONTHS or not (named[1] or named[3]):
            return None
        month = _MONTHS.index(named[2]) + 1
        numbers = (int(named[4]), month, int(named[1] or named[3]))
        date, first_is_year, dotted = named, True, False
    else:
        return None
    hour = _half(hour, words.replace(date[0], " ", 1))
    if hour > 23 or minute > 59 or second > 59:
        return None
    return _Parts(numbers, first_is_year, dotted, (hour, minute, second, micro), zone)


def _half(hour: int, words: str) -> int:
    """The hour of 24, by the marker of the half of the day among the words beside it."""
    squeezed = words.replace(" ", "").strip(",")
    if not squeezed or not 1 <= hour <= 12:
        return hour
    afternoon, forenoon = squeezed in _AFTERNOON, squeezed in _FORENOON
    if not afternoon and not forenoon:
        afternoon = any(len(word) > 1 and word in words for word in _AFTERNOON_WORDS)
        forenoon = any(len(word) > 1 and word in words for word in _FORENOON_WORDS)
    if afternoon == forenoon:
        return hour if not afternoon else 99
    return hour % 12 + (12 if afternoon else 0)


def _zone(found: re.Match[str]) -> tzinfo:
    sign, hours, minutes = found[1] or found[4], found[2] or found[5], found[3] or found[6]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    if offset >= timedelta(hours=24):
        return UTC
    return timezone(-offset if sign in ("-", "−") else offset)


def _serial(days: float) -> _Parts:
    """A date that a spreadsheet has written as a number."""
    moment = _SERIAL_START + timedelta(seconds=round(days * 86400))
    return _Parts(
        (moment.year, moment.month, moment.day),
        True,
        False,
        (moment.hour, moment.minute, moment.second, 0),
        None,
    )
