"""Correction sheets of ten thousand memes, through the command. In: the starter set. Out: figures.

One language is exported with its pictures, answered by two people, imported again, and settled
where they differ; the bounds are those of a set of 10,000 memes: two minutes and a gigabyte for the
workbook, ten seconds for a sheet without pictures, twenty seconds for the import, and for decisions
about all of them. `large` has 100,000 memes in five languages: ten seconds for a sheet without
pictures, a gigabyte for the workbook and for the report.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from bench.figures import Bound, Figure
from bench.scenes import ROOT, STARTER

_GROUP, _LARGE = "Correction, 10,000 memes", "Correction, 100,000 memes in 5 languages"
_LANGUAGES = ("de", "es", "hi", "zh", "ar")
_CSV = ("--format", "csv", "--only", "all", "--no-pictures")
_EXPORT, _MEMORY, _BARE, _IMPORT = (
    Bound("at most", 120),
    Bound("at most", 1024),
    Bound("at most", 10),
    Bound("at most", 20),
)


def measure(*, full: bool = False, say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Corrections of 10,000 memes, and with `full` of 100,000 in five languages too."""
    return _small(say) + (_large(say) if full else [])


def _small(say: Callable[[str], None], memes: int = 10_000) -> list[Figure]:
    """Seconds and memory of a workbook's export, and corrections imported a second."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        workspace = Path(folder) / "memes"
        _memeloc(Path(folder), "init", str(workspace), "--langs", "de")
        _table(workspace / "captions.csv", memes)
        _memeloc(workspace, "import", "captions.csv")
        say(f"{memes} captions, exported as a workbook with pictures")
        export = ("correct", "export", "--langs", "de", "--to", "anna", "--out")
        took, megabytes = _memeloc(workspace, *export, "anna.xlsx")
        say(f"{memes} captions, exported as CSV without pictures")
        bare, _ = _memeloc(workspace, *export, "anna.csv", *_CSV)
        _answer(workspace / "anna.csv")
        say(f"{memes} corrections, imported")
        back, held = _memeloc(workspace, "correct", "import", "anna.csv", "--json")
        say(f"{memes} corrections of another person, settled from a table")
        _memeloc(workspace, *export[:-2], "ben", "--out", "ben.csv", *_CSV)
        _answer(workspace / "ben.csv", "!!")
        _memeloc(workspace, "correct", "import", "ben.csv", "--json")
        _memeloc(workspace, "correct", "settle", "--to", "cases.csv")
        _decide(workspace / "cases.csv")
        settling, _ = _memeloc(workspace, "correct", "settle", "--from", "cases.csv", "--as", "eva")
    return [
        Figure(_GROUP, "export of a workbook with pictures", took, "s", _EXPORT),
        Figure(_GROUP, "peak memory of that export", megabytes, "MB", _MEMORY),
        Figure(_GROUP, "export as CSV without pictures", bare, "s", _BARE),
        Figure(_GROUP, "import of the answers, as CSV", back, "s", _IMPORT),
        Figure(_GROUP, "corrections imported a second", memes / back, "/s"),
        Figure(_GROUP, "peak memory of that import", held, "MB"),
        Figure(_GROUP, "decisions about all of them, from a table", settling, "s", _IMPORT),
    ]


def _large(say: Callable[[str], None], memes: int = 100_000) -> list[Figure]:
    """Seconds of a sheet, and memory of a workbook and a report; it takes half an hour."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        workspace = Path(folder) / "memes"
        _memeloc(Path(folder), "init", str(workspace), "--langs", ",".join(_LANGUAGES))
        _table(workspace / "captions.csv", memes, _LANGUAGES)
        _memeloc(workspace, "import", "captions.csv")
        seconds = []
        for tag in _LANGUAGES:
            say(f"{memes} captions in {tag}: a sheet out, and its answers in")
            export = ("correct", "export", "--langs", tag, "--to", "anna", "--out", "anna.csv")
            seconds.append(_memeloc(workspace, *export, *_CSV)[0])
            _answer(workspace / "anna.csv")
            _memeloc(workspace, "correct", "import", "anna.csv", "--json")
        say(f"{memes} captions, as a workbook with pictures, and the report")
        export = ("correct", "export", "--langs", "de", "--to", "ben", "--out", "ben.xlsx")
        _, workbook = _memeloc(workspace, *export)
        _, report = _memeloc(workspace, "correct", "report", "--to", "report.html")
    return [
        Figure(_LARGE, "export as CSV without pictures", median(seconds), "s", _BARE),
        Figure(_LARGE, "peak memory of a workbook with pictures", workbook, "MB", _MEMORY),
        Figure(_LARGE, "peak memory of the report", report, "MB", _MEMORY),
    ]


def _table(path: Path, memes: int, languages: Sequence[str] = ("de",)) -> None:
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        starter_rows = list(csv.DictReader(stream))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", "en", *languages))
        for number, row in enumerate(islice(cycle(starter_rows), memes)):
            texts = (row[tag] for tag in ("en", *languages))
            writer.writerow((f"bench-{number:06d}", row["template"], *texts))


def _answer(path: Path, end: str = "!") -> None:
    """Correct the first part of every caption."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    text, machine, part = (rows[0].index(name) for name in ("your text", "to be corrected", "part"))
    for row in rows[1:]:
        if row[part] == "1" and row[machine]:
            row[text] = f"{row[machine]}{end}"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows(rows)


def _decide(path: Path) -> None:
    """Take the first answer of every other case, and type a text for the rest."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        cases = list(csv.DictReader(stream))
    for number, case in enumerate(cases):
        if number % 2:
            case["take"] = case["answers"].split()[0]
        else:
            case["text"] = f"{case['now']}?"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(cases[0]))
        writer.writeheader()
        writer.writerows(cases)


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
