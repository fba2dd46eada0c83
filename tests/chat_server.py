"""A local server that speaks the OpenAI chat protocol, and misbehaves as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.local_server import Reply, Request, json_reply, serve

Answer = tuple[int, dict[str, str], str]


def _words(content: Any) -> str:
    """The text of a message, with pictures or without."""
    return content if isinstance(content, str) else content[0]["text"]


def right(body: dict[str, Any]) -> str:
    """A right answer: every part in capitals."""
    caption = json.loads(_words(body["messages"][1]["content"]))["caption"]
    return json.dumps({"parts": [part["text"].upper() for part in caption]})


@dataclass
class ChatServer:
    """The server's state.

    Attributes:
        url: its base URL.
        bodies, keys: every request that arrived, and its Authorization or api-key header.
        query: of the last request's address.
        say: the text of the model's answer to a request, by its number from 1 and its body; or a
            whole message, or a choice, as a mapping.
        refuse: an answer that is an error (status, headers, body), or None; or a `Reply` as it is.
        usage: the tokens of each completion; True for some, False for none.
        model: the name of what answers.
    """

    url: str = ""
    query: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    say: Callable[[int, dict[str, Any]], Any] = lambda number, body: right(body)
    refuse: Callable[[int, dict[str, Any]], Answer | Reply | None] = lambda number, body: None
    usage: Any = True
    model: str = "tiny-2026"
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def arrive(self, body: dict[str, Any], key: str | None) -> int:
        with self._lock:
            self.bodies.append(body)
            self.keys.append(key)
            return len(self.bodies)


@contextmanager
def serve_chat() -> Iterator[ChatServer]:
    state = ChatServer()

    def answer(request: Request) -> Reply:
        path, _, state.query = request.path.partition("?")
        assert path == "/v1/chat/completions"
        body = request.json()
        key = request.headers.get("Authorization") or request.headers.get("api-key")
        number = state.arrive(body, key)
        if (refusal := state.refuse(number, body)) is not None:
            if isinstance(refusal, Reply):
                return refusal
            status, headers, text = refusal
            return Reply(text.encode(), status, headers, drop=status == 0)
        content = state.say(number, body)
        message = (
            content if isinstance(content, dict) else {"role": "assistant", "content": content}
        )
        choice = message if "message" in message else {"index": 0, "message": message}
        completion: dict[str, Any] = {"choices": [choice], "model": state.model}
        if state.usage:
            some = {"prompt_tokens": 200, "completion_tokens": 50}
            completion["usage"] = some if state.usage is True else state.usage
        return json_reply(completion)

    with serve(answer) as address:
        state.url = f"{address}/v1"
        yield state


def error(status: int, message: str, **headers: str) -> Answer:
    """An error as these servers write it."""
    return status, headers, json.dumps({"error": {"message": message}})
