"""A web server on this machine for the tests of sources: paths and what they answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What a path answers."""

    body: bytes
    content_type: str = "application/octet-stream"
    status: int = 200


@dataclass
class Site:
    """A running server: where it is, and what it was asked for."""

    address: str
    answers: dict[str, Answer]
    asked: list[str] = field(default_factory=list)
    posted: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        return self.address.removeprefix("http://")


def as_json(value: Any) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json")


@contextmanager
def serving(answers: Mapping[str, Answer]) -> Iterator[Site]:
    """Serve the answers; `{address}` in a JSON or HTML answer becomes the server's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            site.asked.append(self.path)
            answer = site.answers.get(path, Answer(b"not here", "text/plain", 404))
            body = answer.body
            if "json" in answer.content_type or "html" in answer.content_type:
                body = body.replace(b"{address}", site.address.encode())
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            site.posted.append(self.rfile.read(length).decode())
            self.do_GET()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Site(f"http://127.0.0.1:{server.server_address[1]}", dict(answers))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
