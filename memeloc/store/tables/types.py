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


def now() -> datetime:
    """Return the present, in UTC."""
    return datetime.now(UTC)


def encode_json(value: Any) -> str:
    """Return a value as JSON, always the same of the same; lone surrogates and NUL are escaped."""
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text


def decode_json(text: str | None) -> Any:
    """Return a value from JSON; None of None."""
    if text is None:
        return None
    try:
        return from_json(text)
    except ValueError:  # it takes no lone surrogates, which Python's own does
        return json.loads(text)


def safe_text(text: str) -> str:
    """Return a text that a database can hold: NUL and lone surrogates become U+FFFD."""
    text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Encoded(TypeDecorator[Any]):
    """A value that the database has as a text."""

    impl: Any = Text
    encode: Callable[[Any], str]
    decode: Callable[[str], Any] | None = None

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else type(self).encode(value)

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any] | None:
        decode = type(self).decode
        return decode and (lambda text: None if text is None else decode(text))

    def stored(self, value: Any) -> Any:
        """Return a value as it comes back from the database."""
        text, decode = self.process_bind_param(value, None), type(self).decode
        return text if text is None or decode is None else decode(text)


class Json(Encoded):
    """A value as JSON."""

    cache_ok = True
    encode = staticmethod(encode_json)
    decode = staticmethod(decode_json)


class Parts(Json):
    """A tuple of texts, as a JSON array."""

    cache_ok = True
    decode = staticmethod(lambda text: tuple(decode_json(text)))


class SafeText(Encoded):
    """Any text; see `safe_text`."""

    cache_ok = True
    encode = staticmethod(safe_text)


class UtcTime(Encoded):
    """A point in time, as ISO 8601 in UTC; text order is order in time."""

    impl = String(32)
    cache_ok = True
    encode = staticmethod(
        lambda time: time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    )
    decode = staticmethod(datetime.fromisoformat)
