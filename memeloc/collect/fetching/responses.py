"""What a server answers. In: a response. Out: its body within limits, or the reason why not."""

from __future__ import annotations

import gzip
import io
import time
import zlib
from typing import TYPE_CHECKING, Any

from memeloc.collect.fetching.addresses import FetchRefused
from memeloc.errors import InputError

if TYPE_CHECKING:
    import httpx


_PIECE = 65_536
"""Bytes that are decompressed at a time."""
_PACKING = 65_536
"""Bytes that packing may add to what does not pack well."""


def check_picture(url: str, content: bytes) -> None:
    """Raise FetchRefused when bytes are no picture that can be read whole."""
    from memeloc.templates.pictures import open_picture

    try:
        open_picture(content)
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


class _Raw(io.RawIOBase):
    """The bytes of an answer as they come, for as long and as many as a request may take.

    Args:
        answer: whose body is still to be read.
        most: bytes after which it ends, or is too large.
        deadline: when it has to be there, by `time.monotonic`.
        shorten: end there instead of refusing.
    """

    def __init__(self, answer: httpx.Response, most: int, deadline: float, shorten: bool) -> None:
        self._url = str(answer.request.url)
        self._chunks = answer.iter_raw(_PIECE)
        self._left = most
        self._deadline = deadline
        self._shorten = shorten
        self._chunk = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._chunk:
            self._chunk = next(self._chunks, b"")
            if time.monotonic() > self._deadline:
                raise FetchRefused(self._url, "too slow", "it takes longer than a request may take")
            self._left -= len(self._chunk)
            if self._left < 0 and not self._shorten:
                # Empty members of gzip unpack to nothing, for ever.
                raise FetchRefused(self._url, "too large", "it is larger than is read")
            if self._left < 0:
                self._chunk = self._chunk[: self._left]
                self._chunks = iter(())
        size = min(len(buffer), len(self._chunk))
        buffer[:size] = self._chunk[:size]
        self._chunk = self._chunk[size:]
        return size


def read_body(
    answer: httpx.Response, limit: int, deadline: float, *, shorten: bool = False
) -> bytes:
    """The body of an answer, decompressed.

    Args:
        answer: whose body is still to be read.
        limit: bytes that it may have, before and after decompression.
        deadline: when it has to be there, by `time.monotonic`.
        shorten: end at the limit instead of refusing.

    Raises:
        FetchRefused: it is too large, too slow, or damaged.
    """
    url = str(answer.request.url)
    coding = answer.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise FetchRefused(url, "unknown coding", f"it is packed as {coding[:40]!r}, unasked")
    raw = io.BufferedReader(_Raw(answer, limit + _PACKING, deadline, shorten), _PIECE)
    packed = coding.endswith("gzip")
    stream: Any = gzip.GzipFile(fileobj=raw) if packed else raw
    body = bytearray()
    try:
        while len(body) <= limit and (piece := stream.read1(_PIECE)):
            body += piece
    except (zlib.error, OSError, EOFError) as error:
        # Browsers pass over what follows the last member of gzip, too.
        if not packed or not isinstance(error, gzip.BadGzipFile) or not body:
            raise FetchRefused(url, "damaged", f"its packing is damaged ({error})") from error
    if len(body) > limit and not shorten:
        raise _too_large(url, limit)
    return bytes(body[:limit])
