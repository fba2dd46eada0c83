"""Files of survey targets: JSON that came back; texts, JSON and pictures that go out."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from memeloc.errors import InputError
from memeloc.files import read_head, replacing
from memeloc.pages import encode_json
from memeloc.survey.model import RejectedRow, read_moment
from memeloc.tables import read_tables
from memeloc.tables.column_map import listed
from memeloc.tables.rows import Header, Row, Table

_BUDDHIST = 543  # years that Thailand's calendar is ahead
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
    """Return the times that a timestamp may be, by the order of its numbers, such as `dmy`."""
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


Model = TypeVar("Model", bound=BaseModel)

_LOOKED_AT = 1 << 20
"""Bytes: pictures that are written into a task come before its annotations."""
_KINDS = {b"\xff\xd8": "jpeg", b"\x89P": "png", b"GI": "gif", b"RI": "webp"}
_AVIF = (b"ftypavif", b"ftypavis")
_ENCODED = 256
"""Pictures that are kept encoded: every sheet of a culture has the same examples."""

_OTHER_EXPORTS = (
    (
        False,
        (b"annotation_id", b"annotator", b"lead_time", b"created_at"),
        "is Label Studio's export as a table, which does not say for sure which answer is of which "
        "question; export as JSON or JSON-MIN",
    ),
    (
        True,
        (b'"responseId"', b'"displayedFields"'),
        "is Qualtrics' export as JSON; export as CSV, with all three rows of headings",
    ),
    (False, (b"$FL2", b"SPSS"), "is a file of SPSS; export the answers as CSV"),
)
"""Of other exports of these programs, whether they are JSON, texts that they begin with, and what
to export instead."""
_HEAD = 1 << 16
"""Bytes in which they stand."""


def starts_as_json(path: Path, *marks: str) -> bool:
    """Return whether a file's beginning is a JSON object or list with these texts in it."""
    head = _head(path, _LOOKED_AT)
    return head[:1] in (b"{", b"[") and all(mark.encode() in head for mark in marks)


def refuse_other_exports(path: Path) -> None:
    """Raise InputError if a program has a better export of the same answers."""
    head = _head(path, _HEAD)
    for is_json, marks, message in _OTHER_EXPORTS:
        if is_json == (head[:1] in (b"{", b"[")) and all(mark in head for mark in marks):
            raise InputError(message, file=path)


def _head(path: Path, size: int) -> bytes:
    """Return a file's beginning without what UTF-16 and marks of byte order put into it."""
    try:
        with path.open("rb") as stream:
            return stream.read(size).replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")
    except OSError:
        return b""


def has_table(path: Path, is_one: Callable[[Table], bool] = bool, **headings: Any) -> bool:
    """Return whether a file has a table with some headings, see `read_tables`, that is one."""
    try:
        return any(map(is_one, read_tables(path, encodings=("cp1252",), **headings)))
    except InputError:
        return False


def read_records(path: Path) -> Iterator[tuple[int, Any]]:
    """Return the records of a file of JSON with their numbers: one, a list, or one a line. It is in
    UTF-8, UTF-16 or UTF-32; broken bytes become U+FFFD. Among lines of JSON, one that is not comes
    as its text. Raise InputError if it cannot be read, or is not JSON."""
    read_head(path)
    data = path.read_bytes()
    text = data.decode(json.detect_encoding(data), "replace")
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        # Not splitlines: U+2028 and others may stand in a JSON string as they are.
        values: list[Any] = text.split("\n")
        for place, line in enumerate(values):
            with suppress(ValueError):
                values[place] = from_json(line, allow_inf_nan=False)
        if all(isinstance(value, str) for value in values):
            raise InputError(f"is not JSON: {error}", file=path) from error
        lines = enumerate(values, 1)
        yield from ((n, value) for n, value in lines if not isinstance(value, str) or value.strip())
        return
    yield from enumerate(value if isinstance(value, list) else [value], 1)


def validated(model: type[Model], value: Any, row: int, reason: str) -> Model | RejectedRow:
    """Return a record as its model; or why it is invalid, under `reason`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))[:80]
        message = f"{where}: {problem['msg']}." if where else f"{problem['msg']}."
        return RejectedRow("", row, reason, message, content_of(value))


def content_of(value: Any) -> Mapping[str, Any]:
    """Return a JSON value as the content of a rejected row."""
    return value if isinstance(value, Mapping) else {"value": value}


@lru_cache
def _unknown(header: Header, is_known: Callable[[str], bool]) -> tuple[str, ...]:
    return tuple(name for name in header.names if name and not is_known(name))


def unknown_columns(row: Row, is_known: Callable[[str], bool]) -> Iterator[RejectedRow]:
    """Return what a row has in columns that were not sent out; the sentence is the table's."""
    unknown = _unknown(row.header, is_known)
    if not unknown and len(row.cells) <= len(row.header.names):
        return
    others = {name: text for name, text in row.texts.items() if not is_known(name)}
    if others:
        names = listed("column", unknown or list(others))
        message = f"There is more than was sent out, {names}: it is kept, and decides nothing."
        yield RejectedRow("", row.number, "unknown column", message, others)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8 with line feeds; a lone surrogate becomes a question mark. Raise
    InputError if it cannot be written."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8", errors="replace", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, keys in their order; raises as `write_text` does."""
    write_text(path, encode_json(value, indent=1) + "\n")


def copy_picture(path: Path, folder: Path, stem: str) -> str:
    """Copy a picture into a folder, named `stem` and the suffix of its kind; return that name.
    Raise InputError if it is not a picture that browsers show, or cannot be read or written."""
    content, kind = _picture(path)
    name = f"{stem}.{'jpg' if kind == 'jpeg' else kind}"
    with replacing(folder / name) as partial:
        partial.write_bytes(content)
    return name


@lru_cache(maxsize=_ENCODED)
def data_url(path: Path, largest: int = 0, side: int = 0) -> str:
    """Return a picture as an address that holds it.

    With `largest`, one of more bytes becomes a JPEG whose longer side has at most `side` pixels.

    Raises:
        InputError: as `copy_picture`; also for a large GIF, which may move.
    """
    content, kind = _picture(path)
    if largest and len(content) > largest:
        if kind == "gif":
            raise InputError(
                f"is a GIF of {len(content):,} bytes, too large to stand in a question; put the "
                "pictures on a server, and give its address",
                file=path,
            )
        from PIL import Image

        with Image.open(path) as picture:
            picture.draft("RGB", (side, side))
            picture.thumbnail((side, side))
            smaller = BytesIO()
            picture.convert("RGB").save(smaller, "JPEG", quality=80)
        content, kind = smaller.getvalue(), "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


class EmbeddedPictures:
    """Pictures within a file of text, as addresses that hold them. Until the file is written a
    short mark stands for each: escaping and encoding megabytes takes longer than all else."""

    def __init__(self) -> None:
        self._mark = token_hex(16)
        self._urls: list[str] = []

    def mark(self, url: str) -> str:
        """Return what stands for an address in the file's text."""
        self._urls.append(url)
        return f"{self._mark}-{len(self._urls) - 1}."

    def write(self, path: Path, text: str) -> None:
        """Write the file with the addresses; raises as `write_text` does."""
        with replacing(path) as partial, partial.open("wb") as stream:
            for place, part in enumerate(re.split(rf"{self._mark}-(\d+)\.", text)):
                whole = self._urls[int(part)] if place % 2 else part
                stream.write(whole.encode("utf-8", "replace"))


def _picture(path: Path) -> tuple[bytes, str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"the picture cannot be read: {error.strerror}", file=path) from error
    kind = "avif" if content[4:12] in _AVIF else _KINDS.get(content[:2])
    if kind is None:
        raise InputError("is no picture that browsers show; use JPEG, PNG or WebP", file=path)
    return content, kind
