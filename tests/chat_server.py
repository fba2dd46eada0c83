"""A local server that speaks the OpenAI chat protocol, and misbehaves as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], str]


def right(body: dict[str, Any]) -> str:
    """A right answer: every part in capitals."""
    caption = json.loads(body["messages"][1]["content"])["caption"]
    return json.dumps({"parts": [part["text"].upper() for part in caption]})


@dataclass
class ChatServer:
    """The server's state.

    Attributes:
        url: its base URL.
        bodies, keys: every request that arrived, and its Authorization header.
        say: the text of the model's answer to a request, by its number from 1 and its body; or a
            whole message, or a choice, as a mapping.
        refuse: an answer that is an error (status, headers, body), or None.
    """

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    say: Callable[[int, dict[str, Any]], Any] = lambda number, body: right(body)
    refuse: Callable[[int, dict[str, Any]], Answer | None] = lambda number, body: None
    usage: bool = True
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def arrive(self, body: dict[str, Any], key: str | None) -> int:
        with self._lock:
            self.bodies.append(body)
            self.keys.append(key)
            return len(self.bodies)


@contextmanager
def serve_chat() -> Iterator[ChatServer]:
    state = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            number = state.arrive(body, self.headers.get("Authorization"))
            refusal = state.refuse(number, body)
            if refusal is not None:
                self._send(*refusal)
                return
            said = state.say(number, body)
            message = said if isinstance(said, dict) else {"role": "assistant", "content": said}
            choice = message if "message" in message else {"index": 0, "message": message}
            answer: dict[str, Any] = {"choices": [choice], "model": "tiny-2026"}
            if state.usage:
                answer["usage"] = {"prompt_tokens": 200, "completion_tokens": 50}
            self._send(200, {}, json.dumps(answer))

        def _send(self, status: int, headers: dict[str, str], text: str) -> None:
            if status == 0:
                self.close_connection = True
                self.connection.close()
                return
            body = text.encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Nobody needs to read of connections that were cut on purpose."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def error(status: int, message: str, **headers: str) -> Answer:
    """An error as these servers write it."""
    return status, headers, json.dumps({"error": {"message": message}})
