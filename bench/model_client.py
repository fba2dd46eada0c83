"""The client of language models. In: made pictures, a slow server. Out: CPU, memory, what is lost.

Clients run as processes of their own, as `python -m bench.model_client`, so that their CPU time and
memory are theirs alone, and so that they can be killed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
from PIL import Image

from bench.chat_server import LATENCY
from bench.figures import Bound, Figure
from memeloc.language_models import (
    Answer,
    EncodedPictures,
    FileCache,
    LanguageModel,
    Message,
    ModelSettings,
    Question,
    picture_of,
    read_model_settings,
)
from memeloc.language_models.protocol import Reply
from memeloc.request_pool import Backoff

_GROUP = "language models"
MEMES = 1_500
"""Pictures; each is asked about in six prompts, as Multi3Hate does: 9,000 questions."""
PROMPTS = 6
AT_ONCE = 40
SIMULATED = 1_000_000
_SIDE = 512


def measure(*, say: Callable[[str], None], simulated: int = SIMULATED) -> list[Figure]:
    """CPU time a question, memory, and what a killed run asks again."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        folder = Path(name)
        make_pictures(folder, MEMES)
        figures = _picture_questions(folder, say)
        figures += _killed(folder, say)
    figures += _memory(simulated, say)
    return figures


def _picture_questions(folder: Path, say: Callable[[str], None]) -> list[Figure]:
    say(f"{MEMES * PROMPTS:,} picture questions, {AT_ONCE} at once")
    with chat_server() as url:
        report = json.loads(_client(url, folder, "first.sqlite").communicate()[0])
        again = json.loads(_client(url, folder, "first.sqlite").communicate()[0])
        asked, _ = _count(url)
    questions = MEMES * PROMPTS
    note = f"{questions:,} questions, {MEMES:,} pictures, {LATENCY * 1000:g} ms, {AT_ONCE} at once"
    return [
        Figure(
            _GROUP,
            "CPU time a picture question",
            1000 * report["cpu"] / questions,
            "ms",
            Bound("at most", 1.5),
            f"{note}; the pictures were encoded before",
        ),
        Figure(
            _GROUP,
            "CPU time of scaling and encoding a picture",
            1000 * report["encoding"] / MEMES,
            "ms",
            None,
            f"once for its {PROMPTS} questions; 800 x 600 to {_SIDE} pixels",
        ),
        Figure(_GROUP, "time of the run", report["wall"], "s", None, note),
        Figure(
            _GROUP,
            "CPU time a kept question",
            1000 * again["cpu"] / questions,
            "ms",
            None,
            f"{asked - questions} asked again",
        ),
    ]


def _killed(folder: Path, say: Callable[[str], None]) -> list[Figure]:
    """What is sent again after kill -9, three times on the way."""
    say("killed and resumed")
    with chat_server() as url:
        for kill in range(1, 4):
            process = _client(url, folder, "killed.sqlite", "--plain")
            while _count(url)[0] < kill * MEMES * PROMPTS // 4:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        _client(url, folder, "killed.sqlite", "--plain").communicate()
        asked, different = _count(url)
    assert different == MEMES * PROMPTS
    return [
        Figure(
            _GROUP,
            "questions sent again after a kill -9",
            (asked - different) / 3,
            "",
            Bound("at most", AT_ONCE),
            f"mean of three kills; {AT_ONCE} at once",
        )
    ]


def _memory(simulated: int, say: Callable[[str], None]) -> list[Figure]:
    """Peak memory on the way to many questions, whose server answers at once."""
    say(f"{simulated:,} simulated questions")
    command = [sys.executable, "-m", "bench.model_client", "--simulate", str(simulated)]
    peaks = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [
        Figure(
            _GROUP,
            "memory grows by",
            peaks["end"] - peaks["tenth"],
            "MB",
            Bound("at most", 16.0),
            f"from {simulated // 10:,} to {simulated:,} questions; peak {peaks['end']:.0f} MB",
        )
    ]


@contextmanager
def chat_server(*answers: Path) -> Iterator[str]:
    """The address of a server; see `bench.chat_server`."""
    command = [sys.executable, "-m", "bench.chat_server", *map(str, answers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.kill()


def _count(url: str) -> tuple[int, int]:
    """Questions that came, and different ones."""
    with urlopen(f"{url}/count") as response:
        asked, different = json.load(response)
    return asked, different


def _client(url: str, folder: Path, cache: str, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.model_client", "--ask", url, str(folder), cache, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def make_pictures(folder: Path, count: int) -> None:
    """Memes as they are found: JPEGs of some 800 by 600 pixels with letters and a photograph."""
    random = np.random.default_rng(18)
    for number in range(count):
        small = random.integers(0, 256, (12, 16, 3), dtype=np.uint8)
        picture = Image.fromarray(small).resize((800, 600), Image.Resampling.BICUBIC)
        picture.save(folder / f"{number:04}.jpg", quality=85)


def _ask(url: str, folder: Path, cache: str, *, plain: bool) -> None:
    """Ask all questions about all pictures; print times as JSON.

    The pictures are encoded before, so that this is timed apart; when it is `plain`, as they come.
    """
    gc.set_threshold(50_000)  # as the command: see memeloc.cli
    settings = _settings(url)
    paths = sorted(folder.glob("*.jpg"))
    pictures = EncodedPictures(most=10**9)
    encoding = time.process_time()
    for path in () if plain else paths:
        pictures.data_url(picture_of(path, _SIDE))
    encoding = time.process_time() - encoding

    def questions() -> Iterator[Question[str]]:
        for path in paths:
            picture = picture_of(path, _SIDE)
            for prompt in range(PROMPTS):
                text = f"Is this meme hateful? ({prompt}) a) Hate b) Non-hate. " + "Why? " * 60
                yield Question(
                    (Message("user", "Caption: tea", (picture,), text),), None, expected=6
                )

    begin, cpu = time.monotonic(), time.process_time()
    count = 0
    with (
        FileCache(folder / cache) as kept,
        LanguageModel(settings, kept, pictures=pictures) as model,
    ):
        for _, answer in model.ask_all(questions()):
            assert isinstance(answer, Answer)
            count += 1
    wall, cpu = time.monotonic() - begin, time.process_time() - cpu
    assert count == PROMPTS * len(paths)
    print(json.dumps({"wall": wall, "cpu": cpu, "encoding": encoding}))


def _simulate(count: int) -> None:
    """Ask so many questions of a server within the process; print peaks of memory as JSON."""
    settings = _settings("http://127.0.0.1:9/v1")
    model = LanguageModel(settings, _NoCache(), backoff=Backoff(attempts=1))
    model._server = _Simulated()  # type: ignore[assignment]
    tenth = 0.0
    questions = (
        Question[str]((Message("user", f"Is cup {number} warm?"),), None) for number in range(count)
    )
    for number, _ in enumerate(model.ask_all(questions), start=1):
        if number == count // 10:
            tenth = _peak()
    print(json.dumps({"tenth": tenth, "end": _peak()}))


def _settings(url: str) -> ModelSettings:
    values = {"model": "bench", "base_url": url, "at_once": AT_ONCE, "max_tokens": 40}
    return read_model_settings(values, environ={})


class _Simulated:
    """A server that answers at once."""

    def send(self, *_: Any) -> Reply:
        """See `Server.send`."""
        return Reply("b", tokens_in=9, tokens_out=1)


class _NoCache:
    """A cache that forgets, so that its own memory is none."""

    def get(self, key: str) -> str | None:
        """See `Cache.get`."""
        return None

    def put(self, key: str, value: str) -> None:
        """See `Cache.put`."""


def _peak() -> float:
    """Peak memory of this process in megabytes; Linux counts in kilobytes."""
    status = Path(f"/proc/{os.getpid()}/status")
    if status.exists() and (match := re.search(r"VmHWM:\s+(\d+)", status.read_text())):
        return int(match[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main() -> None:
    """A client of the bench."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask", nargs=3, metavar=("URL", "FOLDER", "CACHE"))
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--simulate", type=int, metavar="QUESTIONS")
    chosen = parser.parse_args()
    if chosen.ask:
        url, folder, cache = chosen.ask
        _ask(url, Path(folder), cache, plain=chosen.plain)
    else:
        _simulate(chosen.simulate)


if __name__ == "__main__":
    main()
