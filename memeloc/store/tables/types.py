"""Column types. In: Python values. Out: texts that SQLite, PostgreSQL and people can all read.

Timestamps are UTC in ISO 8601; everything that is not a plain text or number is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic_core import from_json
from sqlalchemy import String, Text, TypeDecorator

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
_encode_ascii = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)


def encode_json(value: Any) -> str:
    """A value as JSON, always the same for the same value; lone surrogates and NUL are escaped."""
    text = _encode(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _encode_ascii(value)
    return text


def decode_json(text: str | None) -> Any:
    """A value from JSON; None of None."""
    if text is None:
        return None
    try:
        return from_json(text)
    except ValueError:  # it takes no lone surrogates, which Python's own does
        return json.loads(text)


def _decode_texts(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(decode_json(text))


def _decode_time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def through_json(value: Any) -> Any:
    """A value as it comes back from the database: JSON has no tuples."""
    return decode_json(encode_json(value))


def safe_text(text: str) -> str:
    """A text that a database can hold: NUL and lone surrogates become U+FFFD."""
    text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Json(TypeDecorator[Any]):
    """A value as JSON."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        """To the database."""
        return None if value is None else encode_json(value)

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any]:
        """From the database."""
        return decode_json


class Parts(Json):
    """A tuple of texts, as a JSON array."""

    cache_ok = True

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any]:
        """From the database."""
        return _decode_texts


class SafeText(TypeDecorator[str]):
    """Any text; see `safe_text`."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """To the database."""
        return None if value is None else safe_text(value)


class UtcTime(TypeDecorator[datetime]):
    """A point in time, as ISO 8601 in UTC; text order is order in time."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> str | None:
        """To the database."""
        if value is None:
            return None
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any]:
        """From the database."""
        return _decode_time
