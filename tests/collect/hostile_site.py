"""A site that means harm. Out: an answer for each path, and why each is to be refused."""

from __future__ import annotations

import gzip
import io
import struct
import time
import zlib

from PIL import Image

from tests.collect.local_site import Handler

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


def huge_picture() -> bytes:
    """A PNG of 50,000 x 50,000 pixels in a few kilobytes of header, and little after it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 1_000_000, 9)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


def answer(request: Handler) -> None:
    """Answer one request."""
    path = request.path
    redirects = {
        "/to-this-machine": "http://127.0.0.1:9999/secret",
        "/to-metadata": "http://169.254.169.254/latest/meta-data/",
        "/to-file": "file:///etc/passwd",
        "/to-name-and-password": "http://name:password@example.com/",
        "/round-and-round": "/round-and-round",
        "/moved": "/good",
    }
    if path == "/robots.txt":
        request.send(b"User-agent: *\nDisallow: /private/\n", content_type="text/plain")
    elif path in redirects:
        request.send(b"", 302, location=redirects[path])
    elif path == "/huge.png":
        request.send(huge_picture(), content_type="image/png")
    elif path == "/bomb.gz":
        inner = gzip.compress(b"\0" * 50_000_000, 9)
        request.send(inner, content_type="text/html", content_encoding="gzip")
    elif path in ("/endless", "/drip"):
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        request.close_connection = True
        for _ in range(100_000):
            request.wfile.write(b"<p>more</p>" * (1000 if path == "/endless" else 1))
            request.wfile.flush()
            if path == "/drip":
                time.sleep(0.05)
    elif path == "/page.png":
        request.send(b"<html><body>no picture</body></html>", content_type="image/png")
    elif path == "/cut.png":
        request.send(good_picture()[:60], content_type="image/png")
    elif path == "/noise":
        request.send(bytes(range(256)) * 100, content_type="text/html")
    elif path == "/brotli":
        request.send(b"\x8b\x00\x80", content_type="text/html", content_encoding="br")
    elif path == "/broken-gzip":
        request.send(b"\x1f\x8bnot gzip", content_type="text/html", content_encoding="gzip")
    elif path == "/forbidden":
        request.send(b"log in first", 403)
    elif path == "/always-busy":
        request.send(b"later", 503)
    elif path == "/cut-off":
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b"half")
        request.close_connection = True
    elif path == "/good.png":
        request.send(good_picture(), content_type="text/plain")
    elif path == "/good":
        request.send(b"<title>good</title>", content_type="text/html")
    else:
        request.send(b"nothing here", 404)
