"""A web server on this machine for the tests of sources: paths and what they answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.local_server import Reply, Request, serve


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

    def reply(request: Request) -> Reply:
        if request.method == "POST":
            site.posted.append(request.body.decode())
        site.asked.append(request.path)
        path = request.path.partition("?")[0]
        answer = site.answers.get(path, Answer(b"not here", "text/plain", 404))
        body = answer.body
        if "json" in answer.content_type or "html" in answer.content_type:
            body = body.replace(b"{address}", site.address.encode())
        return Reply(body, answer.status, {"Content-Type": answer.content_type})

    site = Site("", dict(answers))
    with serve(reply) as site.address:
        yield site
