"""Surveys, through the command. In: the starter set, simulated people. Out: figures.

300 memes in five cultures go out to every target with their rendered pictures. A million answers
come back as tables of the csv target and in each way that Google Forms gives answers out, are
checked and settled. Times are CPU times of whole commands, start included, for other programs on
the machine do not change them; wall times are told beside them.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from bench.figures import Bound, Figure
from bench.place import folder_in_memory
from bench.scenes import ROOT, STARTER

CULTURES = {"US": "en", "DE": "de", "MX": "es", "IN": "hi", "CN": "zh"}
"""The cultures of multi3hate, each with its column of the starter set."""
_SENT_OUT, _COMING_BACK = "Survey, 300 memes, 5 cultures", "Survey, a million answers"
_MEMES = 300
_BATCHES, _SIZE, _ANSWERS = 1_730, 21, 5
"""With four checks 25 entries a sheet; of those who take a place some stay away or stop."""
_BUILD, _EXPORTS = Bound("at most", 2), Bound("at most", 30)
_IMPORT, _MEMORY, _LABELS = Bound("at most", 60), Bound("at most", 1000), Bound("at most", 20)
_OVER_FLOOR = Bound("at most", 5)
_MEGABYTE = 1_000_000
_WAYS = {
    "csv": "a table a culture",
    "tables": "google-forms, a table a culture",
    "responses": "google-forms, the API's responses",
    "forms": "google-forms, a CSV a form",
}
"""What comes back, by the folder it is in."""


@dataclass(frozen=True, slots=True)
class _Took:
    """Seconds of a program, bytes of its peak memory, and what it printed."""

    wall: float
    cpu: float
    memory: int
    printed: str

    def __str__(self) -> str:
        return f"{self.cpu:.1f} s, wall {self.wall:.1f} s"


def measure(say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Seconds and memory of what goes out, what comes back, and what is made of it.

    Args:
        say: is told what is being measured.
    """
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as folder:
        return [
            *_out(Path(folder) / "small", say),
            *_back(Path(folder), say),
        ]


def _out(folder: Path, say: Callable[[str], None]) -> list[Figure]:
    from memeloc.survey.targets.registry import target_names

    say(f"{_MEMES} memes are rendered in {len(CULTURES)} languages")
    _workspace(folder, _MEMES)
    _memeloc(folder, "render")
    say("survey build")
    built = _memeloc(folder, *_build("pilot", 20))
    took = {}
    for target in target_names():
        say(f"survey export --to {target}")
        took[target] = _memeloc(
            folder, "survey", "export", "pilot", "--to", target, "--contact", "lab@example.org"
        )
    cpu, wall = (sum(getattr(one, what) for one in took.values()) for what in ("cpu", "wall"))
    note = ", ".join(f"{target} {one.cpu:.1f}" for target, one in took.items())
    return [
        Figure(_SENT_OUT, "build, CPU", built.cpu, "s", _BUILD, f"wall {built.wall:.1f} s"),
        Figure(
            _SENT_OUT,
            f"exports to all {len(took)} targets, CPU",
            cpu,
            "s",
            _EXPORTS,
            f"wall {wall:.1f} s; {note}; the examples' pictures rendered each time",
        ),
    ]


def _back(folder: Path, say: Callable[[str], None]) -> list[Figure]:
    say(f"{_BATCHES * _SIZE:,} memes, and people who answer")
    large, files = folder / "large", folder / "files"
    _workspace(large, _BATCHES * _SIZE)
    built = _memeloc(large, *_build("large", _SIZE))
    files.mkdir()
    told = json.loads(_child(ROOT, "-m", "bench.surveys", "answers", large, files).printed)
    answers, figures = (
        told["answers"],
        [Figure(_COMING_BACK, "build of that survey, CPU", built.cpu, "s", note=f"{built}")],
    )
    say("the floor: pandas reads the tables, SQLite stores the rows")
    floor = _child(ROOT, "-m", "bench.surveys", "floor", files)
    for way, name in _WAYS.items():
        say(f"survey import: {name}")
        copy = folder / way
        shutil.copytree(large, copy)
        several = sorted((files / way).iterdir())
        took = _memeloc(copy, "survey", "import", "large", *several, "--json")
        found = json.loads(took.printed)
        taken = sum(one["answers"] for one in found["files"])
        if taken < 0.99 * answers or found["problems"]:
            raise RuntimeError(f"{taken:,} of {answers:,} answers were taken: {found['problems']}")
        note = f"wall {took.wall:.1f} s, {len(several):,} files, {taken:,} answers"
        figures += [
            Figure(_COMING_BACK, f"import: {name}, CPU", took.cpu, "s", _IMPORT, note),
            Figure(_COMING_BACK, "peak memory of that", took.memory / _MEGABYTE, "MB", _MEMORY),
        ]
        if way == "csv":
            ratio = took.cpu / floor.cpu
            note = f"pandas.read_csv and executemany of four columns: {floor}"
            figures.append(
                Figure(_COMING_BACK, "import over its floor", ratio, "x", _OVER_FLOOR, note)
            )
        shutil.rmtree(copy)
    say("survey check")
    filled = folder / "filled"
    checked = _memeloc(filled, "survey", "check", "large")
    say("survey settle")
    settled = _memeloc(filled, "survey", "settle", "large")
    wall = "wall {:.1f} s; the workspace read, what was found stored"
    peak = max(checked.memory, settled.memory) / _MEGABYTE
    return [
        *figures,
        Figure(_COMING_BACK, "check, CPU", checked.cpu, "s", _LABELS, wall.format(checked.wall)),
        Figure(
            _COMING_BACK,
            "check and settle, CPU",
            settled.cpu,
            "s",
            _LABELS,
            f"`survey settle` checks again; {wall.format(settled.wall)}",
        ),
        Figure(_COMING_BACK, "peak memory of these", peak, "MB", _MEMORY),
    ]


def _workspace(folder: Path, memes: int) -> None:
    """A workspace with the starter set over and over, in the cultures' languages."""
    tags = list(CULTURES.values())
    folder.parent.mkdir(parents=True, exist_ok=True)
    _memeloc(folder.parent, "init", folder, "--langs", ",".join(tags[1:]))
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        known = list(csv.DictReader(stream))
    with (folder / "captions.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", *tags))
        for number, row in enumerate(islice(cycle(known), memes)):
            writer.writerow((f"bench-{number:06d}", row["template"], *(row[tag] for tag in tags)))
    _memeloc(folder, "import", "captions.csv")


def _build(name: str, size: int) -> Sequence[str]:
    cultures = ",".join(f"{code}={tag}" for code, tag in CULTURES.items())
    return ("survey", "build", name, "--cultures", cultures, "--size", f"{size}", "--seed", "6")


def _memeloc(folder: Path, *arguments: object) -> _Took:
    return _child(folder, "-m", "memeloc", *arguments)


def _child(folder: Path, *arguments: object) -> _Took:
    """Run Python with these arguments in a folder.

    Raises:
        RuntimeError: it failed; what it said.
    """
    with tempfile.TemporaryDirectory() as answers:
        answer = Path(answers) / "answer.json"
        done = subprocess.run(
            [
                *(sys.executable, "-I", "-S", ROOT / "bench" / "launch.py", answer),
                *(sys.executable, *map(str, arguments)),
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(answer.read_text(encoding="utf-8"))
    if found["status"] != 0:
        said = " ".join(map(str, arguments[:6]))
        raise RuntimeError(f"python {said} failed: {done.stderr.strip()[-500:]}")
    return _Took(found["wall"], found["cpu"], found["memory"], done.stdout)


def _answers(workspace: Path, folder: Path) -> dict[str, Any]:
    """Write what people send into `folder`, and store it in a copy of the workspace beside it.

    The copy has the times that only some targets tell, and what a recruitment service says.
    """
    from bench import survey_answers as made
    from memeloc.store import FileRecord, Workspace
    from memeloc.survey.targets.protocol import Imported

    copy = folder.parent / "filled"
    with Workspace.open(workspace) as unfilled:
        pack = made.written_pack(unfilled, "large")
    sent = made.people(pack)
    for way in _WAYS:
        (folder / way).mkdir()
    made.write_csv(pack, sent, folder / "csv")
    made.write_forms(
        pack, sent, folder / "tables", folder / "forms", folder / "responses" / "responses.json"
    )
    shutil.copytree(workspace, copy)
    with Workspace.open(copy) as filled:
        imported = Imported(tuple(sent), tuple(made.recruited(pack, sent)), ())
        filled.add_submissions(
            "large", FileRecord("submissions", "simulated", "0" * 64, len(sent)), imported
        )
    return {"answers": sum(len(one.answers) for one in sent)}


def _floor(folder: Path) -> None:
    """Read the tables of the csv target and store what was answered, and nothing more."""
    import pandas as pd

    columns = ["sheet", "item", "participant", "answer"]
    with tempfile.TemporaryDirectory(dir=folder_in_memory()) as place:
        connection = sqlite3.connect(Path(place) / "floor.db")
        connection.execute(f"CREATE TABLE answers ({', '.join(columns)})")
        for path in sorted((folder / "csv").iterdir()):
            table = pd.read_csv(path, dtype=str, keep_default_na=False)
            rows = table[columns].itertuples(index=False, name=None)
            connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
        connection.commit()
        connection.close()


def _main(case: str, *folders: str) -> None:
    paths = [Path(folder) for folder in folders]
    if case == "floor":
        _floor(*paths)
    else:
        print(json.dumps(_answers(*paths)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
