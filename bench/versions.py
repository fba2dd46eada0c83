"""memeloc of this checkout and of a commit, by turns. In: captions. Out: CPU seconds each.

Each is a process of its own that has started before time is taken, and gets the command lines of
`memeloc`: nothing else is the same in all commits.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from statistics import median
from time import process_time

from PIL import Image

from bench.command import run
from bench.figures import Bound, Figure, of_rounds
from bench.peers import Peer
from bench.scenes import ROOT, Scene, scenes, templates

LANGUAGES = ("en", "de", "hi", "zh", "ar")
CAPTIONS = 1500
"""Of a round: a language has 300, from four orders of the starter set's words."""
_ORDER = 75
OURS, FLOOR = "memeloc --to files", "bare JPEG"
_PEER_SHARE = 15
_SERVE = """
import contextlib, io, json, sys, time
from memeloc.cli import main
for line in sys.stdin:
    sys.argv = ["memeloc", *json.loads(line)]
    begin, output, status = time.process_time(), io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            main()
        except SystemExit as end:
            status = end.code
    spent = time.process_time() - begin
    print(json.dumps([spent, status, output.getvalue()[-500:]]), flush=True)
"""


class Memeloc:
    """memeloc as it is in a folder; `name` is for the table."""

    def __init__(self, name: str, root: Path) -> None:
        self.name, self._root = name, root
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", _SERVE]
        self._process = subprocess.Popen(command, cwd=root, stdin=pipe, stdout=pipe, text=True)

    def run(self, *arguments: str) -> float:
        """Run a command in the process that is there; CPU seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(arguments), file=self._process.stdin, flush=True)
        spent, status, output = json.loads(self._process.stdout.readline())
        if status:
            raise RuntimeError(f"{self.name}: memeloc {' '.join(arguments)} failed: {output}")
        return float(spent)

    def start(self, *arguments: str) -> float:
        """Run a command in a new process; CPU seconds."""
        return run(*arguments, root=self._root).cpu

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


@contextmanager
def versions(before: str, lacking: list[str]) -> Iterator[list[Memeloc]]:
    """This checkout's memeloc, and that of a commit; without it, `lacking` gets a sentence."""
    with ExitStack() as stack:
        ours = Memeloc("memeloc", ROOT)
        stack.callback(ours.end)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memeloc-bench-"))
        added = _git("worktree", "add", "--quiet", "--detach", f"{folder}/before", before)
        if added.returncode:
            lacking.append(f"The commit before is not compared: {added.stderr.strip()}")
            yield [ours]
            return
        stack.callback(_git, "worktree", "remove", "--force", f"{folder}/before")
        commit = _git("rev-parse", "--short=8", before).stdout.strip()
        theirs = Memeloc(f"memeloc at {commit}", Path(folder, "before"))
        stack.callback(theirs.end)
        yield [ours, theirs]


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def time_rounds(
    memelocs: Sequence[Memeloc],
    layouts: Sequence[str],
    peers: Sequence[Peer],
    folder: Path,
    rounds: int,
    captions: int,
    say: Callable[[str], None],
) -> dict[str, list[float]]:
    """CPU seconds a picture, a round each, of memeloc's layouts, bare encoding and the peers.

    All make the same new texts in a round. Peers, which are slow, make one of fifteen, by language.
    """
    made = [write_captions(folder / f"{turn}.csv", turn, captions) for turn in range(rounds + 1)]

    def render(memeloc: Memeloc, layout: str, turn: int) -> float:
        out = folder / memeloc.name / layout / str(turn)
        options = ("--langs", ",".join(LANGUAGES), "--jobs", "1", "--to", layout)
        arguments = ("render", str(folder / f"{turn}.csv"), "--out", str(out), *options)
        return memeloc.run(*arguments) / captions

    def encode(_: int) -> float:
        spent = []
        for file in sorted((folder / "memeloc" / "files" / "0").rglob("*.jpg"))[::3]:
            image = Image.open(file)
            image.load()
            begin = process_time()
            image.save(BytesIO(), "JPEG", quality=90)
            spent.append(process_time() - begin)
        return sum(spent) / len(spent)

    def draw(peer: Peer, language: str, turn: int) -> float:
        some = made[turn][language][::_PEER_SHARE]
        begin = process_time()
        for scene in some:
            peer.draw(scene).save(BytesIO(), "JPEG", quality=90)
        return (process_time() - begin) / len(some)

    ways: dict[str, Callable[[int], float]] = {}
    for memeloc in memelocs:
        ways |= {f"{memeloc.name} --to {to}": partial(render, memeloc, to) for to in layouts}
    ways[FLOOR] = encode
    for peer in peers:
        ways |= {f"{peer.name}, {tag}": partial(draw, peer, tag) for tag in LANGUAGES}
    return by_turns(ways, rounds, say)


def by_turns(
    ways: Mapping[str, Callable[[int], float]], rounds: int, say: Callable[[str], None]
) -> dict[str, list[float]]:
    """What each way returned in each round, in which all have their turn; round 0 warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        say(f"round {turn} of {rounds}")
        for name in reversed([*ways]) if turn % 2 else ways:
            seconds[name].append(ways[name](turn))
    return {name: spent[1:] for name, spent in seconds.items()}


def ratio(
    group: str, seconds: Mapping[str, list[float]], name: str, to: str, bound: Bound | None = None
) -> Figure:
    """The CPU of one way over another's in the same round."""
    note = f"{1e3 * median(seconds[name]):.2f} ms a picture"
    ratios = [a / b for a, b in zip(seconds[name], seconds[to], strict=True)]
    return of_rounds(group, name, ratios, "x", bound, note)


def write_captions(table: Path, turn: int, captions: int) -> dict[str, list[Scene]]:
    """Write a table of so many captions, and return the scenes of each language."""
    each = captions // len(LANGUAGES)
    made: dict[str, list[Scene]] = {}
    for language in LANGUAGES:
        orders = (scenes(language, templates(), turn=4 * turn + order) for order in (1, 2, 3, 4))
        made[language] = [scene for order in orders for scene in order[:_ORDER]][:each]
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", *LANGUAGES))
        for number, meme in enumerate(zip(*made.values(), strict=True)):
            texts = (" // ".join(scene.caption.parts) for scene in meme)
            writer.writerow((f"m{number}", meme[0].template.name, *texts))
    return made
