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
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from pathlib import Path

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


def looks_like_time(text: str) -> bool:
    """Return whether a cell may be a timestamp.

    >>> looks_like_time("21.11.2026 15:04:05"), looks_like_time("I don't know")
    (True, False)
    """
    return bool(_readings(text, UTC))


def read_column(cells: Sequence[str], zone: tzinfo = UTC) -> list[datetime | None]:
    """Return the times of a column; None where a cell has none or it is not clear.

    `zone` is that of timestamps that name none.

    >>> [str(moment) for moment in read_column(["3/4/2026 1:00", "21/4/2026 1:00", "soon"])]
    ['2026-04-03 01:00:00+00:00', '2026-04-21 01:00:00+00:00', 'None']
    """
    times = [read_moment(cell, zone) for cell in cells]
    readings = {
        place: _readings(cell, zone) for place, cell in enumerate(cells) if times[place] is None
    }
    sure = [moments for moments in readings.values() if len(moments) == 1]
    decided = {order for moments in sure for order in moments} - {"ymd"}
    for place, moments in readings.items():
        is_clear = len(set(moments.values())) == 1
        orders = moments if is_clear else decided if len(decided) == 1 else ()
        times[place] = next((moments.get(order) for order in orders), None)
    return times


@lru_cache(maxsize=1 << 12)
def _readings(text: str, zone: tzinfo) -> dict[str, datetime]:
    """Return the moments that a timestamp may be, by the order of its numbers, such as `dmy`."""
    rest = re.sub(r"(?<=\d)t(?=\d)", " ", _plain(text)) if len(text) <= 100 else ""
    clock = _CLOCK.search(rest)
    if clock is None:
        return {}
    before, after = rest[: clock.start()], rest[clock.end() :].strip()
    if match := _ZONE.search(after):
        sign, hours, minutes = match[1] or match[4], match[2] or match[5], match[3] or match[6]
        offset = timedelta(hours=int(hours or 0) % 24, minutes=int(minutes or 0) % 60)
        zone = timezone(-offset if sign in ("-", "−") else offset)
        after = after[: match.start()]
    words = f"{before} {after}"
    numbers = [int(number) for number in re.findall(r"\d{1,5}", words)]
    orders = ["dmy"] if re.search(r"\d\.\s*\d", words) else ["dmy", "mdy"]
    if len(numbers) == 2 and (name := _MONTH.search(words)):
        numbers.insert(1, _MONTHS.index(name[0]) + 1)
        orders = ["dmy"]
    if len(numbers) != 3:
        return {}
    if numbers[0] > 99:
        orders = ["ymd"]
    micro = int((clock[4] or "").ljust(6, "0")[:6])
    time = _hour(int(clock[1]), words), int(clock[2]), int(clock[3] or 0), micro
    readings = {}
    for order in orders:
        date = dict(zip(order, numbers, strict=True))
        year = date["y"] + 2000 if date["y"] < 100 else date["y"]
        year -= _BUDDHIST if year > 2400 else 0
        with suppress(ValueError, OverflowError):
            moment = datetime(year, date["m"], date["d"], *time, tzinfo=zone)
            readings[order] = moment.astimezone(UTC)
    return readings


def _hour(hour: int, words: str) -> int:
    """Return the hour of 24, by the marker of the half of the day among the words beside it."""
    words = re.sub(r"[\d/,\-年月日년월일]", " ", words)
    markers = {words.replace(" ", ""), words.replace(" ", "").lstrip("."), *words.split()}
    if 1 <= hour <= 12 and markers & (_FORENOON | _AFTERNOON):
        return hour % 12 + (12 if markers & _AFTERNOON else 0)
    return hour


def _plain(text: str) -> str:
    """Return a text in small letters and ASCII digits, without marks of direction."""
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
