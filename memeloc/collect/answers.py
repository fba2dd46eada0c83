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


_PIECE = 65_536
"""Bytes that are decompressed at a time."""
_PACKING = 65_536
"""Bytes that packing may add to what does not pack well."""


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
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except OverflowError:
        return 0.0


class _Unpacker:
    """Takes gzip and zlib off, member by member; what follows the last member is not looked at."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(47)
        self._begun = False  # whether the member that is read now gave anything
        self._members = 0
        self._over = False
        self._fed = False

    def feed(self, packed: bytes, most: int) -> Iterator[bytes]:
        """What some bytes hold, in pieces of `most` bytes at most."""
        self._fed = self._fed or bool(packed)
        while packed and not self._over:
            try:
                piece = self._stream.decompress(packed, most)
            except zlib.error:
                if not self._members or self._begun:
                    raise
                self._over = True  # no further member: browsers pass over such a rest, too
                return
            self._begun = self._begun or bool(piece)
            packed = self._stream.unconsumed_tail
            if self._stream.eof:
                packed = self._stream.unused_data
                self._stream = zlib.decompressobj(47)
                self._members += 1
                self._begun = False
            if piece:
                yield piece

    @property
    def cut(self) -> bool:
        """Whether the end is missing."""
        return self._fed and not self._over and (self._begun or not self._members)


def read_body(
    answer: httpx.Response, limit: int, deadline: float, *, shorten: bool = False
) -> Iterator[bytes]:
    """The body of an answer, decompressed, in pieces.

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
    if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise FetchRefused(url, "unknown coding", f"it is packed as {coding[:40]!r}, unasked")
    unpacker = None if coding in ("", "identity") else _Unpacker()
    size = packed = 0
    for chunk in answer.iter_raw():
        if time.monotonic() > deadline:
            raise FetchRefused(url, "too slow", "it takes longer than a request may take")
        packed += len(chunk)
        if packed > limit + _PACKING and not shorten:
            raise _too_large(url, limit)  # empty members of gzip unpack to nothing, for ever
        try:
            for piece in (chunk,) if unpacker is None else unpacker.feed(chunk, _PIECE):
                size += len(piece)
                if size > limit:
                    if not shorten:
                        raise _too_large(url, limit)
                    yield piece[: limit - size + len(piece)]
                    return
                yield piece
        except zlib.error as error:
            raise FetchRefused(url, "damaged", f"its packing is damaged ({error})") from error
        if packed > limit + _PACKING:
            return
    if unpacker is not None and unpacker.cut:
        raise FetchRefused(url, "damaged", "its packing ends too early")
