"""Machine translation, against a local server that answers at once. In: captions. Out: figures.

The server speaks Google's v3 protocol and runs in a process of its own, as the real one does. What
is measured is what memeloc adds to the service's own time: batching, requests in
flight, finding the parts again, and, for the command, storing each answer in the workspace.
"""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

from bench.figures import Bound, Figure
from bench.scenes import ROOT, STARTER
from memeloc.errors import MissingError
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.translate import Translation, TranslationItem, create
from memeloc.translate import run as translate

ENOUGH = Bound("at least", 20_000)
"""Captions a minute."""
_GROUP = "Translation, local server"


def measure(
    captions: int = 10_000, times: int = 3, say: Callable[[str], None] = lambda _: None
) -> tuple[list[Figure], list[str]]:
    """Captions a minute by library and command; and what could not be measured.

    Args:
        captions: how many are translated each time, all different.
        times: how often; the median counts.
        say: gets what is being measured.
    """
    figures = []
    try:
        with _server() as endpoint:
            say(f"{captions} captions, rest")
            rates = [_library(captions, endpoint) for _ in range(times)]
            name = "captions a minute, rest"
            figures.append(
                Figure(_GROUP, name, median(rates), "/min", ENOUGH, samples=tuple(rates))
            )
            say(f"memeloc translate, {captions} captions")
            rate = _command(captions, endpoint)
            name = "captions a minute, memeloc translate"
            note = "start of the program and storing each answer included"
            figures.append(Figure(_GROUP, name, rate, "/min", ENOUGH, note))
    except (ImportError, MissingError) as error:
        return figures, [f"Translation was not measured: {error}"]
    return figures, []


def _texts(count: int) -> Iterator[str]:
    """Captions of the starter set, numbered so that no two are the same."""
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        known = [row["en"] for row in csv.DictReader(stream)]
    for number, text in enumerate(islice(cycle(known), count)):
        parts = Caption.parse(text).parts
        yield str(Caption(tuple(f"{part} {number}" if part else "" for part in parts)))


def _library(captions: int, endpoint: str) -> float:
    languages = default()
    source, target = languages.get("en"), languages.get("de")
    items = [
        TranslationItem(str(number), Caption.parse(text), source, target)
        for number, text in enumerate(_texts(captions))
    ]
    translator = create("google", {"endpoint": endpoint})
    answers: list[Translation] = []
    begin = time.monotonic()
    summary = translate(items, translator, on_answer=answers.append)
    took = time.monotonic() - begin
    if len(answers) != captions:
        raise RuntimeError(f"{len(answers)} of {captions} captions came: {summary.stopped}")
    return 60 * captions / took


def _command(captions: int, endpoint: str) -> float:
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        table = Path(folder) / "captions.csv"
        with table.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("meme_id", "template", "en"))
            for number, text in enumerate(_texts(captions)):
                parts = Caption.parse(text).parts
                template = {2: "cloud-monday", 3: "tug-of-war", 4: "four-steps"}.get(
                    len(parts), "protest-hamster"
                )
                writer.writerow((f"bench-{number:06d}", template, text))
        workspace = Path(folder) / "memes"
        _memeloc(Path(folder), "init", str(workspace), "--langs", "de")
        _memeloc(workspace, "import", str(table))
        options = ("--langs", "de", "--with", "google", "--endpoint", endpoint, "--json")
        begin = time.monotonic()
        answer = json.loads(_memeloc(workspace, "translate", *options))
        took = time.monotonic() - begin
    if answer["translated"] != captions:
        raise RuntimeError(f"{answer['translated']} of {captions} captions were translated")
    return 60 * captions / took


def _memeloc(folder: Path, *arguments: str) -> str:
    """What `memeloc ARGUMENTS...` prints, run in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "memeloc", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"memeloc {arguments[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


@contextmanager
def _server() -> Iterator[str]:
    """A server in a process of its own; its endpoint."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,), daemon=True)
    process.start()
    there.close()
    try:
        yield str(here.recv())
    finally:
        here.close()
        process.join(5)
        process.kill()


def _serve(pipe: Connection[Any, Any]) -> None:
    from tests.translate.google_server import serve_rest

    with serve_rest() as server:
        pipe.send(server.endpoint)
        try:
            pipe.recv()
        except EOFError:
            return
