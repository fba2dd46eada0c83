"""Times as programs write them. In: ISO 8601 or RFC 3339. Out: `datetime` in UTC, or None."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any


def read_moment(text: Any, zone: tzinfo = UTC) -> datetime | None:
    """Return a time in UTC, to the microsecond; None for another text or a year beyond 1 to 9999.

    `zone` is that of times that do not name theirs.

    >>> read_moment("2026-03-01T09:00:00.123456789+01:00").isoformat()
    '2026-03-01T08:00:00.123456+00:00'
    >>> read_moment("1 March"), read_moment("0001-01-01T00:00:00+14:00"), read_moment(None)
    (None, None, None)
    """
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
