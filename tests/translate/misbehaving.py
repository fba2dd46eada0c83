"""One server that misbehaves, as Google and as a chat model. In: a way. Out: what came of it.

A caption costs 0.10 at either service, and no wait takes any time.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import repeat
from pathlib import Path
from threading import Event
from typing import Any, Literal

from memeloc.request_pool import Backoff
from memeloc.translate import RunSummary
from memeloc.workspace import Workspace
from tests.local_server import Reply, Request, json_reply, serve

Service = Literal["google", "openai"]
SERVICES: tuple[Service, ...] = ("google", "openai")
SOURCES = [f"caption {n:02}" for n in range(6)]
BAD = SOURCES[3]
PRICE = 0.1
PAGE = b"<!doctype html><title>Welcome to the hotel</title><p>Log in to go online.</p>"


def right(text: str) -> str:
    """The right translation of a text."""
    return text.replace("caption", "Titel")


@dataclass(frozen=True)
class Way:
    """A way to misbehave.

    Attributes:
        texts: what the service gives in place of the right texts; it is billed.
        reply: what is sent in place of a right reply, which is billed where it was made of it.
        only: the text that it is about; else it is about two requests, the first ones that come
            after a right answer (a chat model) or at all (Google, which gets all in one).
        lost: captions that are not stored, of Google and of the chat model.
        ends: whether it ends the run.
        unanswered: requests may be billed and get no whole answer: they count at the most.
    """

    name: str
    texts: Callable[[list[str]], list[Any]] | None = None
    reply: Callable[[Reply], Reply] | None = None
    only: str = ""
    lost: tuple[int, int] = (0, 0)
    ends: tuple[bool, bool] = (False, False)
    unanswered: bool = False


def _status(status: int, body: bytes = b"", **headers: str) -> Callable[[Reply], Reply]:
    content = body or json.dumps({"error": {"code": status, "message": "trouble"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Reply(content, status, named)


def _later(seconds: int) -> Callable[[Reply], Reply]:
    def reply(_: Reply) -> Reply:
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        return _status(429, Retry_After=format_datetime(moment, usegmt=True))(_)

    return reply


def _body(change: Callable[[bytes], bytes], **headers: str) -> Callable[[Reply], Reply]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda made: Reply(change(made.body), 200, named)


def _stream(piece: bytes, times: int | None = None) -> Callable[[Reply], Reply]:
    def drip() -> Iterator[bytes]:
        for _ in repeat(None) if times is None else repeat(None, times):
            if times is None:
                Event().wait(0.02)
            yield piece

    return lambda _: Reply(b"{", 200, stream=drip())


_HALF: Callable[[bytes], bytes] = lambda body: body[: len(body) // 2]  # noqa: E731

_BOMB = gzip.compress(bytes(40_000_000), 1)
"""Made beforehand: while it was made a client could time out."""

WAYS = (
    Way("a network's login page, with status 200", reply=_status(200, PAGE)),
    Way("a redirect to a login page", lost=(6, 5), ends=(True, True),
        reply=_status(302, PAGE, Location="http://127.0.0.1:9/login")),
    Way("a status 204 without a body", reply=lambda _: Reply(b"", 204)),
    Way("bytes that are not UTF-8", reply=_body(lambda body: body.replace(b"Titel", b"\xff\xfe"))),
    Way("half of the JSON", reply=_body(_HALF)),
    Way("a connection cut in the middle of a body",
        reply=lambda made: Reply(_HALF(made.body), length=len(made.body)), lost=(6, 1),
        unanswered=True),
    Way("a connection cut without an answer", reply=lambda _: Reply(drop=True), lost=(6, 1),
        unanswered=True),
    Way("a byte now and then, without end", reply=_stream(b" "), lost=(6, 1),
        unanswered=True),
    Way("a body of 40 megabytes", reply=_stream(b" " * 1_000_000, 40)),
    Way("a gzip bomb", reply=_body(lambda _: _BOMB,
        Content_Encoding="gzip")),
    Way("a right answer as text/plain", reply=_body(lambda body: body, Content_Type="text/plain")),
    Way("JSON that is a list", reply=_body(lambda body: b"[" + body + b"]")),
    Way("an error object with status 200", reply=_body(
        lambda _: b'{"error": {"code": 503, "message": "overloaded"}}')),
    Way("429 without Retry-After", reply=_status(429)),
    Way("429 with Retry-After in seconds", reply=_status(429, Retry_After="7")),
    Way("429 with Retry-After as a date", reply=_later(30)),
    Way("429 with Retry-After in two hours", reply=_later(7200), lost=(6, 2)),
    Way("500", reply=_status(500)),
    Way("502 with a page of HTML", reply=_status(502, PAGE)),
    Way("503", reply=_status(503)),
    Way("400 for one text", reply=_status(400), only=BAD, lost=(1, 1)),
    Way("401", reply=_status(401), lost=(6, 5), ends=(True, True)),
    Way("one text too few", texts=lambda texts: texts[:-1], lost=(6, 1)),
    Way("one text too many", texts=lambda texts: [*texts, "more"], lost=(6, 1)),
    Way("an empty text", texts=lambda texts: ["" for _ in texts], only=BAD, lost=(1, 1)),
    Way("null for a text", texts=lambda texts: [None for _ in texts], only=BAD, lost=(1, 1)),
    Way("a text of invisible characters", only=BAD, lost=(1, 1),
        texts=lambda texts: ["\u200b\u2060" for _ in texts]),
    Way("another language's script", only=BAD, lost=(1, 1),
        texts=lambda texts: ["заголовок" for _ in texts]),
    Way("HTML entities", texts=lambda texts: [text.replace("T", "&#84;") for text in texts]),
    Way("controls and direction overrides",
        texts=lambda texts: [f"\u202e{text}\u202c\x07\x9f" for text in texts]),
)  # fmt: skip


@dataclass
class Server:
    """The server's state; `asked` are the texts of all requests, `billed` what it will charge, for
    `lost` texts without their answer having been read."""

    service: Service
    way: Way | None
    url: str = ""
    asked: list[list[str]] = field(default_factory=list)
    billed: float = 0.0
    lost: int = 0

    def answer(self, request: Request) -> Reply:
        """A right reply, or what the way makes of it."""
        body = request.json()
        if self.service == "google":
            sent = list(body["contents"])
        else:
            sent = [part["text"] for part in json.loads(body["messages"][1]["content"])["caption"]]
        self.asked.append(sent)
        way = self.way if self.way is not None and self._is_about(sent) else None
        texts: list[Any] = [right(text) for text in sent]
        if way is not None and way.texts is not None:
            where = (
                slice(sent.index(way.only), sent.index(way.only) + 1) if way.only else slice(None)
            )
            texts[where] = way.texts(texts[where])
        made = json_reply(_google(texts) if self.service == "google" else _chat(texts))
        if way is None or way.reply is None:
            self.billed += PRICE * (len(sent) if self.service == "google" else 1)
            return made
        reply = way.reply(made)
        if reply.body and reply.body[:9] in (made.body[:9], b"[" + made.body[:8]):
            self.billed += PRICE * len(sent)
            self.lost += 0 if reply.body == made.body and reply.length is None else len(sent)
        return reply

    def _is_about(self, sent: Sequence[str]) -> bool:
        assert self.way is not None
        if self.way.only:
            return self.way.only in sent
        first = 1 if self.service == "google" else 2
        return len(self.asked) in (first, first + 1)


def _google(texts: Sequence[Any]) -> dict[str, Any]:
    return {"translations": [{"translatedText": text} for text in texts]}


def _chat(texts: Sequence[Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": json.dumps({"parts": list(texts)})}
    usage = {"prompt_tokens": 200, "completion_tokens": 50}
    return {"choices": [{"message": message}], "model": "tiny-2026", "usage": usage}


@contextmanager
def misbehave(service: Service, way: Way | None) -> Iterator[Server]:
    """Serve while the block runs."""
    server = Server(service, way)
    with serve(server.answer) as server.url:
        yield server


@dataclass(frozen=True)
class Outcome:
    """What came of one way: a run against it, then a run against a server that behaves.

    Attributes:
        stored: captions and their texts after the first run.
        billed, booked: by the server, and in the workspace, in the first run.
        lost: texts that were billed, and whose answer could not be read by anybody.
        later: texts that the second run asked for; `complete` is what was stored after it.
    """

    summary: RunSummary
    stored: dict[str, str]
    billed: float
    booked: float
    lost: int
    later: list[str]
    complete: dict[str, str]


def make_workspace(folder: Path) -> Path:
    """A workspace with the captions, to be copied."""
    table = folder / "captions.csv"
    rows = "".join(f"m{n},cloud-monday,{text}\n" for n, text in enumerate(SOURCES))
    table.write_text(f"meme_id,template,en\n{rows}", encoding="utf-8")
    with Workspace.create(folder / "made", languages=["de"]) as workspace:
        workspace.captions.import_table(table)
    return folder / "made"


def outcome(made: Path, folder: Path, service: Service, way: Way) -> Outcome:
    """Translate a copy of a workspace against a server that misbehaves, then against a good one."""
    shutil.copytree(made, folder)
    with Workspace.open(folder) as workspace:
        with misbehave(service, way) as server:
            summary = _translate(workspace, server)
        stored = _stored(workspace)
        history, failures = workspace.table("history"), workspace.table("failures")
        booked = float(history["cost"].sum() + failures["cost"].sum())
        with misbehave(service, None) as good:
            _translate(workspace, good)
        complete = _stored(workspace)
    later = [text for request in good.asked for text in request]
    billed = round(server.billed, 2), round(booked, 2), server.lost
    return Outcome(summary, stored, *billed, later, complete)


def _translate(workspace: Workspace, server: Server) -> RunSummary:
    options: dict[str, Any] = {"at_once": 1, "timeout": 0.5}
    if server.service == "google":
        options |= {"endpoint": server.url, "price_per_million": 1e4}
    else:
        options |= {"model": "tiny", "base_url": server.url, "price_in": 500.0}
    job = workspace.translating.prepare(translator=server.service, options=options)

    translator: Any = job._translator
    translator.backoff = Backoff(seed=1, pause=lambda stop, _: stop.is_set())
    if server.service == "openai":
        translator._model.backoff = translator.backoff
    return job.run()


def _stored(workspace: Workspace) -> dict[str, str]:
    current = workspace.store.captions.current("de")
    return {meme_id: version.parts[0] for meme_id, version in current.items()}
