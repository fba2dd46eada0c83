"""What a server answers. In: a response. Out: its body within limits, or the reason why not."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator

from memeloc.collect.fetching.addresses import FetchRefused
from memeloc.errors import InputError
from memeloc.templates.pictures import open_picture

_PIECE = 65_536  # bytes that are decompressed at a time
_PACKING = 65_536  # bytes that packing may add to what does not pack well
_GZIP = 16 + zlib.MAX_WBITS


def check_picture(url: str, content: bytes) -> None:
    """Raise FetchRefused when bytes are no picture that can be read whole."""
    try:
        open_picture(content)
    except InputError as error:
        large = "megapixels" in error.message or "MB" in error.message
        reason = "too large" if large else "not a picture"
        raise FetchRefused(url, reason, error.message) from error


def within(url: str, content: bytes, limit: int) -> bytes:
    """The content, when it has no more bytes than the limit; else FetchRefused."""
    if len(content) > limit:
        raise FetchRefused(url, "too large", f"it has over {limit / 1e6:.1f} MB")
    return content


def refusal_of(url: str, status: int) -> FetchRefused:
    """The refusal for a status that is no success."""
    if status in (404, 410):
        return FetchRefused(url, "not found", f"there is nothing (status {status})")
    if status in (401, 402, 403, 407, 451):
        return FetchRefused(url, "forbidden", f"the server does not let us in (status {status})")
    if status >= 500:
        return FetchRefused(url, "server error", f"the server failed (status {status})")
    return FetchRefused(url, "status", f"the server answered with status {status}")


def read_body(
    url: str,
    chunks: Iterable[bytes],
    coding: str,
    limit: int,
    deadline: float,
    *,
    shorten: bool = False,
) -> bytes:
    """The body of a response, decompressed.

    Args:
        url, chunks, coding: of the response; the coding is its Content-Encoding.
        limit: bytes that it may have, before and after decompression.
        deadline: when it has to be there, by `time.monotonic`.
        shorten: end at the limit instead of refusing.

    Raises:
        FetchRefused: it is too large, too slow, or damaged.
    """
    coding = coding.strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip"):
        raise FetchRefused(url, "unknown coding", f"it is packed as {coding[:40]!r}, unasked")
    pieces = _arriving(url, chunks, limit + _PACKING, deadline)
    if coding.endswith("gzip"):
        pieces = _unpacked(pieces)
    body = bytearray()
    try:
        for piece in pieces:
            body += piece
            if len(body) > limit:
                break
    except zlib.error as error:
        raise FetchRefused(url, "damaged", f"its packing is damaged ({error})") from error
    return bytes(body[:limit]) if shorten else within(url, bytes(body), limit)


def _arriving(url: str, chunks: Iterable[bytes], limit: int, deadline: float) -> Iterator[bytes]:
    received = 0
    for chunk in chunks:
        if time.monotonic() > deadline:
            raise FetchRefused(url, "too slow", "it takes longer than a request may take")
        received += len(chunk)
        if received > limit:  # empty members of gzip unpack to nothing, for ever
            raise FetchRefused(url, "too large", "it is larger than is read")
        yield chunk


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The members of a gzip stream in small pieces; garbage after a member is passed over."""
    member = zlib.decompressobj(_GZIP)
    for chunk in chunks:
        while chunk:
            is_next = member.eof
            if is_next:
                member = zlib.decompressobj(_GZIP)
            try:
                yield member.decompress(chunk, _PIECE)
            except zlib.error:
                if is_next:  # browsers pass over it, too
                    return
                raise
            chunk = member.unused_data if member.eof else member.unconsumed_tail
    if not member.eof:
        raise zlib.error("it ends too soon")
