"""A web server on this machine, for all tests. In: a function from request to reply. Out: its URL.

It misbehaves where a reply says so: drops the connection, promises more than it sends, never ends.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    """What a client sent; `path` has the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    def json(self) -> Any:
        """The body's value; None for an empty body."""
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True)
class Reply:
    """What it gets.

    Attributes:
        drop: the connection is closed and nothing is sent.
        length: the Content-Length that is claimed; the body's by default. The connection is closed
            after a body that is shorter.
        stream: pieces to send in place of a body, without a Content-Length.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    length: int | None = None
    stream: Iterable[bytes] | None = None


def json_reply(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None, *, half: bool = False
) -> Reply:
    """A value as JSON; with `half`, the connection is cut in the middle of it."""
    body = json.dumps(value).encode()
    sent = body[: len(body) // 2] if half else body
    fields = {"Content-Type": "application/json", **(headers or {})}
    return Reply(sent, status, fields, length=len(body))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    answer: Callable[[Request], Reply]

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        reply = type(self).answer(Request(self.command, self.path, dict(self.headers), body))
        if reply.drop:
            self.close_connection = True
            return
        try:
            self._send(reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_PATCH = _serve  # noqa: N815

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        length = len(reply.body) if reply.length is None else reply.length
        if reply.stream is None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(reply.body)
        for piece in reply.stream or ():
            self.wfile.write(piece)
            self.wfile.flush()
        if reply.stream is not None or length != len(reply.body):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nobody needs to read of connections that were cut on purpose."""


@contextmanager
def serve(answer: Callable[[Request], Reply]) -> Iterator[str]:
    """Serve while the block runs; `http://127.0.0.1:PORT`, without a slash at the end."""
    handler = type("Handler", (_Handler,), {"answer": staticmethod(answer)})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class RefusedError(Exception):
    def __init__(self, status: int, reason: Any) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Service:
    """A service that answers with JSON, and does not always answer.

    Attributes:
        root: of its paths; `call` and `answer` get what comes after it.
        requests: all of them, and `calls` what each is known by.
        faults: by call, what happens at the next ones: a status, `cut` (done, and the answer lost),
            `half` (done, and the answer ends half way), `drop` (lost before it was done) or `ok`.
    """

    root = ""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.calls: list[str] = []
        self.faults: dict[str, list[int | str]] = {}
        self.address = ""
        self._lock = threading.Lock()

    def call(self, verb: str, path: str) -> str:
        raise NotImplementedError

    def answer(self, request: Request, path: str, query: dict[str, list[str]]) -> Any:
        raise NotImplementedError

    def error(self, status: int, reason: Any) -> Reply:
        raise NotImplementedError

    def reply(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        path = parts.path.removeprefix(self.root)
        call = self.call(request.method, path)
        with self._lock:
            self.requests.append(request)
            self.calls.append(call)
            fault = self.faults[call].pop(0) if self.faults.get(call) else "ok"
            if fault == "drop":
                return Reply(drop=True)
            try:
                if isinstance(fault, int):
                    raise RefusedError(fault, "try later")
                value = self.answer(request, path, parse_qs(parts.query))
            except RefusedError as error:
                return self.error(error.status, error.reason)
            return Reply(drop=True) if fault == "cut" else json_reply(value, half=fault == "half")

    @contextmanager
    def serving(self) -> Iterator[Self]:
        with serve(self.reply) as self.address:
            yield self
