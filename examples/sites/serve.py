"""A small web server with a harmless site of each kind. In: requests. Out: pages and a log.

    python examples/sites/serve.py --port 0 --ready FILE --log FILE

writes its address to FILE once it listens, and a line a request (method, path, status, bytes) to
the log. It serves, below its address:

    /memegenerator   templates with users' captions, several pages of them
    /know-your-meme  an encyclopaedia in English, with the year in a table of facts
    /memepedia       one in Russian, with the year in its text
    /imgflip         the API of Imgflip
    /memegen         the API of memegen.link
    /search          results of an image search
    /broken          what real sites do wrong: see broken.py

Everything is drawn and written here; nothing is taken from any site. Pages carry ETag and
Last-Modified, unchanged ones are answered with 304, and robots.txt closes a path of each site.
With `--edition 2` one template has a caption more.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.sites import broken, encyclopaedia, imgflip, memegen, memegenerator, search
from examples.sites.web import Reply, Request, Site, not_here

SITES: Mapping[str, Site] = {
    "/memegenerator": memegenerator.answer,
    "/know-your-meme": encyclopaedia.answer_english,
    "/memepedia": encyclopaedia.answer_russian,
    "/imgflip": imgflip.answer,
    "/memegen": memegen.answer,
    "/search": search.answer,
    "/broken": broken.answer,
}

ROBOTS = "User-agent: *\n" + "".join(f"Disallow: {prefix}/private/\n" for prefix in SITES)

CHANGED = {1: "Sat, 01 Mar 2025 09:00:00 GMT", 2: "Sun, 01 Jun 2025 09:00:00 GMT"}
"""Last-Modified, by edition."""


@dataclass
class Running:
    """A server that runs.

    Attributes:
        address: such as `http://127.0.0.1:8000`.
        edition: of the sites; may be set while it runs.
        requests: a line a request, as in the log.
    """

    address: str
    edition: int = 1
    log: Path | None = None
    requests: list[str] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def host(self) -> str:
        """Name and port, as `FetchSettings.allow_hosts` wants it."""
        return self.address.removeprefix("http://")

    def count(self, path: str) -> int:
        """How often a path was asked for before; counts this time."""
        with self.lock:
            self.asked[path] += 1
            return self.asked[path] - 1

    def note(self, line: str) -> None:
        """Keep a line, and write it to the log at once."""
        with self.lock:
            self.requests.append(line)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as stream:
                    stream.write(f"{line}\n")

    def answer(self, target: str) -> Reply:
        """What a path and query get."""
        parts = urlsplit(target)
        path = unquote(parts.path)
        if path == "/robots.txt":
            return Reply(ROBOTS.encode(), "text/plain; charset=utf-8")
        asked = self.count(target)
        for prefix, site in SITES.items():
            if path == prefix or path.startswith(f"{prefix}/"):
                request = Request(
                    path=path[len(prefix) :] or "/",
                    query=dict(parse_qsl(parts.query)),
                    asked=asked,
                    home=f"{self.address}{prefix}",
                    edition=self.edition,
                )
                return site(request) or not_here()
        return not_here()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    running: ClassVar[Running]

    def do_GET(self) -> None:
        """Answer, with 304 where the asker has it already."""
        reply = self.running.answer(self.path)
        headers = {"Content-Type": reply.content_type, **reply.headers}
        status, body = reply.status, reply.body
        if reply.lasting and status == 200:
            tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
            changed = CHANGED[1 if "image" in reply.content_type else self.running.edition]
            headers |= {"ETag": tag, "Last-Modified": changed}
            sent_tag = self.headers.get("If-None-Match")
            same = self.headers.get("If-Modified-Since") == changed
            if (sent_tag is not None and tag in sent_tag) or (sent_tag is None and same):
                status, body = 304, b""
                del headers["Content-Type"]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.running.note(f"{self.command} {self.path} {status} {len(body)}")

    do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, format: str, *args: Any) -> None:
        """The log is written by `Running.note`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of askers that hang up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(port: int = 0, *, log: Path | None = None, edition: int = 1) -> Iterator[Running]:
    """Serve the sites on this machine until the block ends."""
    handler = type("Handler", (_Handler,), {})
    server = _Server(("127.0.0.1", port), handler)
    running = Running(f"http://127.0.0.1:{server.server_address[1]}", edition, log)
    handler.running = running  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> None:
    """Read the command line and serve until interrupted."""
    parser = argparse.ArgumentParser(description="Serve small example sites on this machine.")
    parser.add_argument("--port", type=int, default=0, help="0 is any free one")
    parser.add_argument("--ready", type=Path, help="file to write the address to")
    parser.add_argument("--log", type=Path, help="file for a line a request")
    parser.add_argument("--edition", type=int, choices=(1, 2), default=1)
    given = parser.parse_args()
    with serving(given.port, log=given.log, edition=given.edition) as running:
        print(running.address, flush=True)
        if given.ready is not None:
            part = given.ready.with_name(given.ready.name + ".part")
            part.write_text(f"{running.address}\n", encoding="utf-8")
            part.replace(given.ready)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
