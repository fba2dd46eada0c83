"""The command `memeloc`, measured from outside. In: tables made from the starter set. Out: figures.

Jobs are compared by wall time, in turns; memory is the largest resident size of any process of a
run. Wall time is only true on a machine that does nothing else.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import median

from bench import bare_jpeg
from bench.figures import Bound, Figure, of_rounds
from bench.place import folder_in_memory
from bench.scenes import LANGUAGES, ROOT, STARTER

MEGABYTE = 1_000_000
FLAT = Bound("at most", 1.1)
MEMORY = Bound("at most", 400)

_NOT_COMPILED = "PYTHONDONTWRITEBYTECODE"
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != _NOT_COMPILED}
"""Modules are kept compiled, as they are where memeloc is installed."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of a program took: wall and CPU seconds, and bytes of peak memory."""

    wall: float
    cpu: float
    memory: int


def run(*arguments: str, root: Path = ROOT) -> Run:
    """Run `memeloc` of a checkout with these arguments.

    Raises:
        RuntimeError: it failed, with its message.
    """
    return run_program(sys.executable, "-m", "memeloc", *arguments, root=root)


def run_program(*command: str, root: Path = ROOT) -> Run:
    """Run a program in a folder.

    Raises:
        RuntimeError: it failed, with its message.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        launch = (sys.executable, "-I", "-S", str(ROOT / "bench" / "launch.py"), str(answer))
        done = subprocess.run(
            [*launch, *command],
            cwd=root,
            env=_ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        )
        measured = json.loads(answer.read_text(encoding="utf-8"))
    if measured["status"] != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    return Run(measured["wall"], measured["cpu"], measured["memory"])


def make_table(path: Path, pictures: int, languages: Sequence[str] = LANGUAGES) -> None:
    """Write a table of `pictures` captions: the starter set over and over, with new ids."""
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", *languages))
        left = pictures
        for number, row in enumerate(cycle(rows)):
            captions = [row[language] if i < left else "" for i, language in enumerate(languages)]
            writer.writerow((f"bench-{number:06d}", row["template"], *captions))
            left -= len(languages)
            if left <= 0:
                break


def measure(*, full: bool = False, say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Time of the command, gain of a second process, and memory at 6,000 or 30,000 pictures."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as folder:
        command = Command(Path(folder), say)
        return [
            command.help_time(),
            *command.unchanged(),
            *command.jobs(),
            *command.memory(many=30_000 if full else 6_000),
        ]


class Command:
    """Measures the command in a folder of its own.

    Args:
        folder: for tables and pictures.
        say: gets what is being measured.
    """

    def __init__(self, folder: Path, say: Callable[[str], None] = lambda _: None) -> None:
        self._folder = folder
        self._say = say
        self._runs = 0

    def help_time(self, times: int = 7) -> Figure:
        """CPU seconds of `memeloc --help`."""
        self._say("memeloc --help")
        run("--help")
        spent = [run("--help").cpu for _ in range(times)]
        return of_rounds("Commands", "memeloc --help, CPU", spent, "s", Bound("at most", 0.25))

    def unchanged(self, times: int = 3) -> list[Figure]:
        """Wall seconds of rendering the starter set, and of doing so again."""
        self._say("memeloc render of the starter set, twice")
        out = str(self._folder / "starter")
        arguments = ("render", str(STARTER), "--langs", "all", "--out", out, "--json")
        first = run(*arguments).wall
        again = [run(*arguments).wall for _ in range(times)]
        bound = Bound("at most", 2.0)
        return [
            Figure("Commands", "memeloc render, starter set, all languages", first, "s"),
            of_rounds("Commands", "the same again, all unchanged", again, "s", bound),
        ]

    def jobs(self, pictures: int = 3000, turns: int = 13) -> list[Figure]:
        """How much faster two processes are than one, and two bare ones in the same minutes.

        Both are the median of pairs of runs, one right after the other: a rented machine may be a
        third faster or slower some minutes later.
        """
        runs: dict[int, list[Run]] = {1: [], 2: []}
        bare: dict[int, list[float]] = {1: [], 2: []}
        for turn in range(turns):
            for jobs in (1, 2) if turn % 2 else (2, 1):
                self._say(f"{pictures} pictures, --jobs {jobs}, {turn + 1} of {turns}")
                runs[jobs].append(self._render(pictures, jobs))
                bare[jobs].append(bare_jpeg.seconds(jobs))
        single, double = ([took.wall for took in runs[jobs]] for jobs in (1, 2))
        gains = [a / b for a, b in zip(single, double, strict=True)]
        possible = [2 * a / b for a, b in zip(bare[1], bare[2], strict=True)]
        spent = [median(took.cpu for took in runs[jobs]) for jobs in (1, 2)]
        note = (
            f"median of {turns} pairs, start included; wall {median(single):.1f} s to "
            f"{median(double):.1f} s, CPU {spent[0]:.1f} s to {spent[1]:.1f} s; "
            f"best over best {min(single) / min(double):.2f}"
        )
        group = "Many pictures"
        return [
            of_rounds(
                group,
                f"--jobs 2 over --jobs 1, {pictures} pictures",
                gains,
                "x",
                Bound("at least", 1.8),
                note,
            ),
            of_rounds(
                group,
                "two processes over one, bare JPEG encoding",
                possible,
                "x",
                note=f"median of {turns} pairs",
            ),
            Figure(
                group,
                "--jobs 2, of what two bare processes gain",
                100 * median(gains) / median(possible),
                "%",
                note="the cores of a rented machine are shared with others",
            ),
            Figure(group, "pictures a second, --jobs 2", pictures / median(double), "/s"),
        ]

    def memory(self, few: int = 1000, many: int = 6000) -> list[Figure]:
        """Peak memory with few and with many pictures, and how much it grows."""
        peaks = {}
        for pictures in (few, many):
            self._say(f"memory at {pictures} pictures")
            peaks[pictures] = self._render(pictures, 1).memory / MEGABYTE
        figures = [
            Figure("Many pictures", f"peak memory, {pictures} pictures", peak, "MB", MEMORY)
            for pictures, peak in peaks.items()
        ]
        growth = peaks[many] / peaks[few]
        name = f"peak memory, {many} over {few} pictures"
        return [*figures, Figure("Many pictures", name, growth, "x", FLAT)]

    def _render(self, pictures: int, jobs: int) -> Run:
        # No picture is removed before the end: making files where many have just been removed is
        # slower, and the next run would pay for it.
        self._runs += 1
        table, out = self._folder / f"{pictures}.csv", self._folder / f"out-{self._runs}"
        if not table.exists():
            make_table(table, pictures)
        done = run(
            *("render", str(table), "--langs", "all", "--out", str(out)),
            *("--jobs", str(jobs), "--json"),
        )
        made = sum(1 for _ in out.glob("*/*/*.jpg"))
        if made != pictures:
            raise RuntimeError(f"{made} pictures were made instead of {pictures}")
        return done
