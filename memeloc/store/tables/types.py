"""Column types. In: Python values. Out: texts that SQLite, PostgreSQL and people can all read.

Timestamps are UTC in ISO 8601; everything that is not a plain text or number is JSON.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import String, Text, TypeDecorator


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)


def encode_json(value: Any) -> str:
    """A value as JSON, always the same for the same value; lone surrogates and NUL are escaped."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text


def through_json(value: Any) -> Any:
    """A value as it comes back from the database: JSON has no tuples."""
    return json.loads(encode_json(value))


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

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        """From the database."""
        return None if value is None else json.loads(value)


class Parts(Json):
    """A tuple of texts, as a JSON array."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Any) -> tuple[str, ...] | None:
        """From the database."""
        return None if value is None else tuple(json.loads(value))


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

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        """From the database."""
        return None if value is None else datetime.fromisoformat(value)
