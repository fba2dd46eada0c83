"""A local server that speaks Google's v3 protocol, over gRPC and over REST.

It translates by putting the target's code before every part, and misbehaves as it is set. Both
transports carry the real messages of google.cloud.translate_v3.
"""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.cloud import translate_v3
from google.protobuf import json_format

from tests import local_server

Request = translate_v3.TranslateTextRequest
Response = translate_v3.TranslateTextResponse

# Trouble by its name: gRPC's status, HTTP's status and the status in the REST body.
TROUBLE = {
    "quota": (grpc.StatusCode.RESOURCE_EXHAUSTED, 429, "RESOURCE_EXHAUSTED"),
    "unavailable": (grpc.StatusCode.UNAVAILABLE, 503, "UNAVAILABLE"),
    "deadline": (grpc.StatusCode.DEADLINE_EXCEEDED, 504, "DEADLINE_EXCEEDED"),
    "invalid": (grpc.StatusCode.INVALID_ARGUMENT, 400, "INVALID_ARGUMENT"),
    "denied": (grpc.StatusCode.PERMISSION_DENIED, 403, "PERMISSION_DENIED"),
    "not found": (grpc.StatusCode.NOT_FOUND, 404, "NOT_FOUND"),
    "unauthenticated": (grpc.StatusCode.UNAUTHENTICATED, 401, "UNAUTHENTICATED"),
}


def translated(text: str, code: str) -> str:
    """What the server makes of one part."""
    return f"{code}: {text}"


@dataclass
class GoogleServer:
    """The server's state.

    Attributes:
        transport, endpoint: how it is reached.
        requests: every request that arrived, in the order of arrival.
        trouble: says of a request's number (from 1) and the request what goes wrong, or "".
        lose: says of a text whether its separators are lost.
    """

    transport: str
    endpoint: str = ""
    requests: list[Any] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    trouble: Callable[[int, Any], str] = lambda number, request: ""
    lose: Callable[[str], bool] = lambda text: False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def arrive(self, request: Any) -> str:
        """Note a request; what goes wrong with it."""
        with self._lock:
            self.requests.append(request)
            return self.trouble(len(self.requests), request)

    def answer(self, request: Any) -> Any:
        """The translations of a request, within Google's limits."""
        contents = list(request.contents)
        assert len(contents) <= 1024
        assert sum(map(len, contents)) <= 5000
        assert request.mime_type == "text/plain"
        code = request.target_language_code
        with self._lock:
            self.answered.update(f"{code}|{text}" for text in contents)
        texts = []
        for text in contents:
            joiner = " " if self.lose(text) else " // "
            texts.append(joiner.join(translated(part, code) for part in text.split(" // ")))
        response = Response()
        where = (
            response.glossary_translations
            if request.glossary_config.glossary
            else response.translations
        )
        where.extend(translate_v3.Translation(translated_text=text) for text in texts)
        return response


class Wire:
    """A wire between client and server that can be cut: what is under way on it is lost."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._ends += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def serve_grpc() -> Iterator[GoogleServer]:
    state = GoogleServer("grpc")

    def translate_text(request: Any, context: grpc.ServicerContext) -> Any:
        wrong = state.arrive(request)
        if wrong == "drop":
            wire.cut()
        elif wrong:
            context.abort(TROUBLE[wrong][0], f"trouble: {wrong}")
        return state.answer(request)

    handler = grpc.method_handlers_generic_handler(
        "google.cloud.translation.v3.TranslationService",
        {
            "TranslateText": grpc.unary_unary_rpc_method_handler(
                translate_text,
                request_deserializer=Request.deserialize,
                response_serializer=Response.serialize,
            )
        },
    )
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    wire = Wire(port)
    state.endpoint = f"127.0.0.1:{wire.port}"
    try:
        yield state
    finally:
        wire.close()
        server.stop(None).wait()


@contextmanager
def serve_rest() -> Iterator[GoogleServer]:
    state = GoogleServer("rest")

    def answer(call: local_server.Request) -> local_server.Reply:
        path, _, verb = call.path.partition("?")[0].rpartition(":")
        assert verb == "translateText"
        assert path.startswith("/v3/projects/")
        request = Request.from_json(call.body.decode())
        request.parent = path.removeprefix("/v3/")
        wrong = state.arrive(request)
        if wrong == "drop":
            return local_server.Reply(drop=True)
        if wrong:
            _, status, name = TROUBLE[wrong]
            error = {"code": status, "message": f"trouble: {wrong}", "status": name}
            return local_server.json_reply({"error": error}, status)
        text = json_format.MessageToJson(Response.pb(state.answer(request)))
        return local_server.Reply(text.encode(), headers={"Content-Type": "application/json"})

    with local_server.serve(answer) as address:
        state.endpoint = address.removeprefix("http://")
        yield state
