"""Publishing, through the command. In: the starter set, over and over. Out: figures.

The bounds are those of the whole: 1,500 pictures, rendered and published, in twenty seconds;
100,000 in ten minutes, for which a smaller set stands that is rendered already; flat memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.command import make_table
from bench.figures import Bound, Figure
from bench.scenes import LANGUAGES, ROOT

_GROUP = "Publishing"
_SMALL, _MANY = 2_000, 8_000


class _Took(NamedTuple):
    """Seconds of the clock and of the processor, and the most memory held, in MB."""

    wall: float
    cpu: float
    memory: float


def measure(say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Time and memory of publishing for Hugging Face, as CSV and as folders of pictures."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        folder = Path(name)
        workspace = _workspace(folder / "first", 1_500)
        say("1,500 pictures, rendered and published")
        first = _memeloc(workspace, "publish", str(folder / "hf"))
        again = _memeloc(workspace, "publish", str(folder / "hf"))
        plain = _memeloc(workspace, "publish", str(folder / "csv"), "--to", "csv")
        took = {}
        for pictures in (_SMALL, _MANY):
            workspace = _workspace(folder / f"{pictures}", pictures)
            say(f"{pictures:,} pictures, rendered")
            _memeloc(workspace, "render", "--out", "out")
            say(f"{pictures:,} pictures, published")
            out = folder / f"release-{pictures}"
            took[pictures] = _memeloc(workspace, "publish", str(out), "--rendered", "out")
    small, many = took[_SMALL], took[_MANY]
    each = (many.wall - small.wall) / (_MANY - _SMALL)
    minutes = (small.wall + each * (100_000 - _SMALL)) / 60
    grown = (many.memory - small.memory) / (_MANY - _SMALL) * 100_000
    note = f"{_SMALL:,} to {_MANY:,} pictures: {small.wall:.1f} s to {many.wall:.1f} s"
    return [
        Figure(
            _GROUP,
            "1,500 pictures, rendered and published",
            first.wall,
            "s",
            Bound("at most", 20),
            f"CPU {first.cpu:.1f} s",
        ),
        Figure(
            _GROUP,
            "the same again, pictures unchanged",
            again.wall,
            "s",
            Bound("at most", 20),
            f"CPU {again.cpu:.1f} s",
        ),
        Figure(_GROUP, "the same as plain files", plain.wall, "s"),
        Figure(_GROUP, "100,000 pictures", minutes, "min", Bound("at most", 10), note),
        Figure(_GROUP, "peak memory", many.memory, "MB", Bound("at most", 600)),
        Figure(
            _GROUP,
            "memory that 100,000 captions take",
            grown,
            "MB",
            Bound("at most", 600),
            f"{small.memory:.0f} to {many.memory:.0f} MB; their texts and rows, no pictures",
        ),
    ]


def _workspace(folder: Path, pictures: int) -> Path:
    _memeloc(folder.parent, "init", str(folder), "--langs", ",".join(LANGUAGES[1:]))
    make_table(folder / "captions.csv", pictures)
    _memeloc(folder, "import", "captions.csv")
    return folder


def _memeloc(folder: Path, *arguments: str) -> _Took:
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "memeloc", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"memeloc {' '.join(arguments[:2])} failed: {process.returncode}")
    wall = time.monotonic() - begin
    return _Took(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
