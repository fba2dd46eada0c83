"""A local server that speaks Google's v3 protocol over REST.

It translates by putting the target's code before every part, and misbehaves as it is set. It reads
and writes the real messages of google.cloud.translate_v3.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from google.cloud import translate_v3
from google.protobuf import json_format

from tests import local_server

Request = translate_v3.TranslateTextRequest
Response = translate_v3.TranslateTextResponse

# Trouble by its name: HTTP's status and the status in the body.
TROUBLE = {
    "quota": (429, "RESOURCE_EXHAUSTED"),
    "unavailable": (503, "UNAVAILABLE"),
    "deadline": (504, "DEADLINE_EXCEEDED"),
    "invalid": (400, "INVALID_ARGUMENT"),
    "denied": (403, "PERMISSION_DENIED"),
    "not found": (404, "NOT_FOUND"),
    "unauthenticated": (401, "UNAUTHENTICATED"),
}


def translated(text: str, code: str) -> str:
    """What the server makes of one part."""
    return f"{code}: {text}"


@dataclass
class GoogleServer:
    """The server's state.

    Attributes:
        endpoint: how it is reached.
        requests: every request that arrived, in the order of arrival.
        trouble: says of a request's number (from 1) and the request what goes wrong, or "".
        lose: says of a text whether its separators are lost.
    """

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


@contextmanager
def serve_rest() -> Iterator[GoogleServer]:
    state = GoogleServer()

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
            status, name = TROUBLE[wrong]
            error = {"code": status, "message": f"trouble: {wrong}", "status": name}
            return local_server.json_reply({"error": error}, status)
        text = json_format.MessageToJson(Response.pb(state.answer(request)))
        return local_server.Reply(text.encode(), headers={"Content-Type": "application/json"})

    with local_server.serve(answer) as address:
        state.endpoint = address.removeprefix("http://")
        yield state
