"""What a server answers. In: a response. Out: its body within limits, or the reason why not."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from memeloc.collect.addresses import FetchRefused
from memeloc.errors import InputError

if TYPE_CHECKING:
    import httpx


def check_picture(url: str, content: bytes) -> None:
    """Raise FetchRefused when bytes are no picture that can be read whole."""
    from memeloc.collect.picture_bytes import picture_side

    try:
        picture_side(content)
    except InputError as error:
        large = "megapixels" in error.message or "MB" in error.message
        reason = "too large" if large else "not a picture"
        raise FetchRefused(url, reason, error.message) from error


def within(url: str, content: bytes, limit: int) -> bytes:
    """The content, when it has no more bytes than the limit; else FetchRefused."""
    if len(content) > limit:
        raise _too_large(url, limit)
    return content


def _too_large(url: str, limit: int) -> FetchRefused:
    return FetchRefused(url, "too large", f"it has over {limit / 1e6:.1f} MB")


def refusal_of(url: str, status: int) -> FetchRefused:
    """What to tell of a status that is no success."""
    if status in (404, 410):
        return FetchRefused(url, "not found", f"there is nothing (status {status})")
    if status in (401, 402, 403, 407, 451):
        return FetchRefused(url, "forbidden", f"the server does not let us in (status {status})")
    if status >= 500:
        return FetchRefused(url, "server error", f"the server failed (status {status})")
    return FetchRefused(url, "status", f"the server answered with status {status}")


def asked_to_wait(answer: httpx.Response) -> float:
    """Seconds of a Retry-After header, in either of its two forms (RFC 9110, 10.2.3)."""
    asked = answer.headers.get("retry-after", "").strip()
    if asked.isdecimal():
        return float(asked[:9])
    try:
        moment = parsedate_to_datetime(asked)
    except (ValueError, TypeError):
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def read_body(answer: httpx.Response, limit: int, deadline: float) -> Iterator[bytes]:
    """The body of an answer, decompressed, in pieces; it ends where it is too large or too slow."""
    url = str(answer.request.url)
    coding = answer.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise FetchRefused(url, "unknown coding", f"it is packed as {coding[:40]!r}, unasked")
    unpacker = None if coding in ("", "identity") else zlib.decompressobj(47)
    size = 0
    for chunk in answer.iter_raw():
        if time.monotonic() > deadline:
            raise FetchRefused(url, "too slow", "it takes longer than a request may take")
        pending = chunk
        while pending:
            if unpacker is None:
                piece, pending = pending, b""
            else:
                try:
                    piece = unpacker.decompress(pending, limit - size + 1)
                except zlib.error as error:
                    raise FetchRefused(
                        url, "damaged", f"its packing is damaged ({error})"
                    ) from error
                pending = unpacker.unconsumed_tail
                if unpacker.eof:
                    pending = unpacker.unused_data
                    unpacker = zlib.decompressobj(47)
            size += len(piece)
            if size > limit:
                raise _too_large(url, limit)
            yield piece
