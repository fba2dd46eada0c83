"""Correction sheets of ten thousand memes, through the command. In: the starter set. Out: figures.

One language is exported with its pictures, answered, and imported again; the bounds are those of a
set of 10,000 memes: two minutes and a gigabyte for the workbook, ten seconds for a sheet without
pictures, twenty seconds for the import.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from bench.figures import Bound, Figure
from bench.scenes import ROOT, STARTER

_GROUP = "Correction, 10,000 memes"
_EXPORT, _MEMORY, _BARE, _IMPORT = (
    Bound("at most", 120),
    Bound("at most", 1024),
    Bound("at most", 10),
    Bound("at most", 20),
)


def measure(memes: int = 10_000, say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Seconds and memory of a workbook's export, and corrections imported a second.

    Args:
        memes: in the workspace; the bounds are for 10,000.
        say: gets what is being measured.
    """
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        workspace = Path(folder) / "memes"
        _memeloc(Path(folder), "init", str(workspace), "--langs", "de")
        _table(workspace / "captions.csv", memes)
        _memeloc(workspace, "import", "captions.csv")
        say(f"{memes} captions, exported as a workbook with pictures")
        export = ("correct", "export", "--lang", "de", "--to", "anna", "--out")
        took, megabytes = _memeloc(workspace, *export, "anna.xlsx")
        say(f"{memes} captions, exported as CSV without pictures")
        options = ("--format", "csv", "--only", "all", "--no-pictures")
        bare, _ = _memeloc(workspace, *export, "anna.csv", *options)
        _answer(workspace / "anna.csv")
        say(f"{memes} corrections, imported")
        back, held = _memeloc(workspace, "correct", "import", "anna.csv", "--json")
    return [
        Figure(_GROUP, "export of a workbook with pictures", took, "s", _EXPORT),
        Figure(_GROUP, "peak memory of that export", megabytes, "MB", _MEMORY),
        Figure(_GROUP, "export as CSV without pictures", bare, "s", _BARE),
        Figure(_GROUP, "import of the answers, as CSV", back, "s", _IMPORT),
        Figure(_GROUP, "corrections imported a second", memes / back, "/s"),
        Figure(_GROUP, "peak memory of that import", held, "MB"),
    ]


def _table(path: Path, memes: int) -> None:
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        starter_rows = list(csv.DictReader(stream))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", "en", "de"))
        for number, row in enumerate(islice(cycle(starter_rows), memes)):
            writer.writerow((f"bench-{number:06d}", row["template"], row["en"], row["de"]))


def _answer(path: Path) -> None:
    """Correct the first part of every caption."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    text, machine, part = (rows[0].index(name) for name in ("your text", "to be corrected", "part"))
    for row in rows[1:]:
        if row[part] == "1" and row[machine]:
            row[text] = f"{row[machine]}!"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows(rows)


def _memeloc(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run a command; its seconds, and the most memory it held, in MB."""
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
    return time.monotonic() - begin, usage.ru_maxrss / 1024
