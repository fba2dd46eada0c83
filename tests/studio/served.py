"""A survey that a real process serves. In: a workspace. Out: its address; people who fill it in."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

from memeloc import render_table
from memeloc.workspace import Workspace
from tests.worlds import starter_rows, write_table

OWNER = "a-token-of-the-owner"


def make_workspace(folder: Path, languages: Sequence[str], memes: int, max_side: int = 240) -> Path:
    """A workspace with the first memes of the starter set in English and other languages."""
    table = write_table(folder.parent / "cut.csv", starter_rows(languages, memes))
    with Workspace.create(folder, languages=languages) as workspace:
        workspace.import_captions(table)
    render_table(table, folder / "out", languages="all", max_side=max_side, jobs=1)
    return folder


class Server:
    """`memeloc survey serve` as a process of its own, at one port from start to start."""

    def __init__(self, folder: Path, *arguments: str, survey: str = "pilot") -> None:
        self.folder, self.arguments, self.survey = folder, arguments, survey
        self.port, self.address = 0, ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "memeloc", "survey", "serve", self.survey),
                *("--contact", "lab@university.example", "--port", str(self.port)),
                *self.arguments,
            ],
            cwd=self.folder,
            env={**os.environ, "MEMELOC_OWNER_TOKEN": OWNER},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        printed = []
        for line in self._process.stderr:
            printed.append(line)
            if match := re.search(r" listens at (http://127.0.0.1:(\d+))", line):
                self.address, self.port = match[1], int(match[2])
            if "How far it is" in line:
                return
        raise AssertionError("".join(printed))

    def kill(self, how: int = signal.SIGKILL) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.communicate()
            self._process = None


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[Server]:
    """A server that runs while the block does."""
    server = Server(folder, *arguments)
    server.start()
    try:
        yield server
    finally:
        server.kill(signal.SIGTERM)


@dataclass
class Annotator:
    """Somebody without a browser: asks for the page, sends what the page sends."""

    client: httpx.Client
    address: str
    place: str = ""
    serve: Mapping[str, Any] = field(default_factory=dict)
    page: Mapping[str, Any] = field(default_factory=dict)
    number: int = 0

    def join(self, **parameters: str) -> httpx.Response:
        """Come by a recruiter's address."""
        return self.open(f"{self.address}/join?{urlencode(parameters)}")

    def open(self, url: str) -> httpx.Response:
        """Open an address and, if a sheet comes of it, read what its page is given."""
        response = self.client.get(url, follow_redirects=True)
        self.place = response.url.path
        self.page = page_data(response.text)
        self.serve = self.page.get("serve") or {}
        self.number = self.serve.get("number", 0)
        if self.serve and not self.serve["presented"]:
            agreed = {"at": "2026-01-02T03:04:05Z", **self.page["consent"]}
            assert self.post("consent", {"consent": agreed, "order": {}}).status_code == 200
        return response

    @property
    def items(self) -> list[str]:
        """The items of the sheet, in order."""
        return [entry["item"] for entry in self.page["entries"]]

    def answer(self, item: str, label: str, number: int = 0, **more: Any) -> httpx.Response:
        """Send an answer."""
        self.number += 1
        body = {"item": item, "label": label, "further": {}, "number": number or self.number}
        return self.post("answer", {**body, **more})

    def finish(self, status: str = "complete", comments: str = "") -> httpx.Response:
        """Come to the end."""
        return self.post("finish", {"status": status, "comments": comments})

    def post(self, where: str, body: object) -> httpx.Response:
        """Send what a page sends."""
        url = f"{self.address}{self.serve[where]}"
        headers = {"X-CSRF-Token": self.serve["csrf"]}
        return self.client.post(url, json=body, headers=headers)


def page_data(text: str) -> dict[str, Any]:
    """What the script of a sheet's page is given; empty for another page."""
    import base64

    match = re.search(r'<script type="application/json" id="sheet">(.*?)</script>', text, re.S)
    if match is None:
        return {}
    data: dict[str, Any] = json.loads(base64.b64decode(json.loads(match[1])["sheet"]))
    return data
