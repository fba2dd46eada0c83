"""A real web server for tests. In: a function that answers each path. Out: its address, a log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Passes each request to the site's function."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site: Site = self.server.site  # type: ignore[attr-defined]
        site.log.append((self.path, dict(self.headers)))
        try:
            site.answer(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Send a whole answer; `content_type="..."` is the header Content-Type."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Quiet."""


@dataclass
class Site:
    """A server that runs.

    Attributes:
        host: `127.0.0.1:PORT`.
        log: path and headers of each request, as they came.
    """

    host: str
    answer: Answer
    log: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://{self.host}"

    def paths(self) -> list[str]:
        """What was asked for, without robots.txt."""
        return [path for path, _ in self.log if path != "/robots.txt"]


@contextmanager
def served(answer: Answer) -> Iterator[Site]:
    """Serve while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site = Site(f"127.0.0.1:{server.server_address[1]}", answer)
    server.site = site  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
