"""A site that means harm. Out: an answer for each path, and why each is to be refused."""

from __future__ import annotations

import gzip
import io
import time
from collections.abc import Callable, Iterator

from PIL import Image

from tests.curate.drawn import png_that_claims
from tests.local_server import Reply, Request

REASONS = {
    "/to-this-machine": "inside the network",
    "/to-metadata": "inside the network",
    "/to-file": "not http",
    "/to-name-and-password": "not an address",
    "/round-and-round": "too many redirects",
    "/huge.png": "too large",
    "/bomb.gz": "too large",
    "/endless": "too large",
    "/drip": "too slow",
    "/page.png": "not a picture",
    "/cut.png": "not a picture",
    "/noise": "not a page",
    "/brotli": "unknown coding",
    "/broken-gzip": "damaged",
    "/forbidden": "forbidden",
    "/nothing": "not found",
    "/private/page": "robots.txt",
    "/always-busy": "busy",
    "/cut-off": "not reached",
}
"""Why each path is refused; those that end in .png are asked for as pictures."""


def good_picture() -> bytes:
    """A small PNG."""
    encoded = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(encoded, "PNG")
    return encoded.getvalue()


def _without_end(piece: bytes, pause: float = 0.0) -> Iterator[bytes]:
    for _ in range(100_000):
        yield piece
        time.sleep(pause)


_HTML, _PNG, _TEXT = ({"Content-Type": kind} for kind in ("text/html", "image/png", "text/plain"))
_REDIRECTS = {
    "/to-this-machine": "http://127.0.0.1:9999/secret",
    "/to-metadata": "http://169.254.169.254/latest/meta-data/",
    "/to-file": "file:///etc/passwd",
    "/to-name-and-password": "http://name:password@example.com/",
    "/round-and-round": "/round-and-round",
    "/moved": "/good",
}
_REPLIES: dict[str, Callable[[], Reply]] = {
    "/robots.txt": lambda: Reply(b"User-agent: *\nDisallow: /private/\n", headers=_TEXT),
    "/huge.png": lambda: Reply(png_that_claims(50_000, 50_000, bytes(1_000_000)), headers=_PNG),
    "/bomb.gz": lambda: Reply(
        gzip.compress(b"\0" * 20_000_000, 1), headers={**_HTML, "Content-Encoding": "gzip"}
    ),
    "/endless": lambda: Reply(headers=_HTML, stream=_without_end(b"<p>more</p>" * 1000)),
    "/drip": lambda: Reply(headers=_HTML, stream=_without_end(b"<p>more</p>", 0.05)),
    "/page.png": lambda: Reply(b"<html><body>no picture</body></html>", headers=_PNG),
    "/cut.png": lambda: Reply(good_picture()[:60], headers=_PNG),
    "/noise": lambda: Reply(bytes(range(256)) * 100, headers=_HTML),
    "/brotli": lambda: Reply(b"\x8b\x00\x80", headers={**_HTML, "Content-Encoding": "br"}),
    "/broken-gzip": lambda: Reply(
        b"\x1f\x8bnot gzip", headers={**_HTML, "Content-Encoding": "gzip"}
    ),
    "/forbidden": lambda: Reply(b"log in first", 403),
    "/always-busy": lambda: Reply(b"later", 503),
    "/cut-off": lambda: Reply(b"half", length=1000),
    "/good.png": lambda: Reply(good_picture(), headers=_TEXT),
    "/good": lambda: Reply(b"<title>good</title>", headers=_HTML),
}


def answer(request: Request) -> Reply:
    """Answer one request."""
    if request.path in _REDIRECTS:
        return Reply(status=302, headers={"Location": _REDIRECTS[request.path]})
    reply = _REPLIES.get(request.path)
    return reply() if reply else Reply(b"nothing here", 404)
