"""Surveys, through the command. In: the starter set, simulated people. Out: figures.

300 memes in five cultures go out to every target with their rendered pictures. 100,000 answers
come back as tables of the csv target, in each way that Google Forms gives answers out, from
Qualtrics and as a plain table, are checked and settled. Times are CPU times of whole commands,
start included, for other programs on the machine do not change them; wall times stand beside them.
Python keeps compiled modules, as it does for everybody who has not turned that off.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from bench.figures import Bound, Figure
from bench.place import folder_in_memory
from bench.scenes import ROOT, STARTER

CULTURES = {"US": "en", "DE": "de", "MX": "es", "IN": "hi", "CN": "zh"}
"""The cultures of multi3hate, each with its column of the starter set."""
_EXPORTED, _IMPORTED = "Survey, 300 memes, 5 cultures", "Survey, 100,000 answers"
_MEMES = 300
_BATCHES, _SIZE = 173, 21
"""With four checks 25 entries a sheet; of those who take a place some stay away or stop."""
_BUILD, _EXPORTS = Bound("at most", 2), Bound("at most", 30)
_IMPORT, _MEMORY, _LABELS = Bound("at most", 10), Bound("at most", 500), Bound("at most", 10)
_MEGABYTE = 1_000_000
_WAYS = {
    "csv": "a table a culture",
    "tables": "google-forms, a table a culture",
    "responses": "google-forms, the API's responses",
    "forms": "google-forms, a CSV a form",
    "qsf": "qsf, a CSV a sheet",
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
    """Seconds and memory of export, import, check and settle.

    Args:
        say: gets what is being measured.
    """
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as folder:
        return [
            *_exports(Path(folder) / "small", say),
            *_imports(Path(folder), say),
        ]


def _exports(folder: Path, say: Callable[[str], None]) -> list[Figure]:
    from memeloc.survey.targets.resolver import target_names

    say(f"{_MEMES} memes are rendered in {len(CULTURES)} languages")
    _workspace(folder, _MEMES)
    _memeloc(folder, "render")
    say("survey build")
    built = _memeloc(folder, *_build("pilot", 20))
    took = {}
    for target in target_names():
        say(f"survey export --to {target}")
        words = ["survey", "export", "pilot", "--to", target, "--contact", "lab@example.org"]
        if target == "html":
            words += ["--option", "send_to=https://survey.example.org/answers"]
        # Studies lack the ids of filters, which need a token: they are drafted, with status 1.
        took[target] = _memeloc(folder, *words, status=int(target == "prolific"))
    cpu = sum(export.cpu for export in took.values())
    wall = sum(export.wall for export in took.values())
    note = ", ".join(f"{target} {export.cpu:.1f}" for target, export in took.items())
    return [
        Figure(_EXPORTED, "build, CPU", built.cpu, "s", _BUILD, f"wall {built.wall:.1f} s"),
        Figure(
            _EXPORTED,
            f"exports to all {len(took)} targets, CPU",
            cpu,
            "s",
            _EXPORTS,
            f"wall {wall:.1f} s; {note}",
        ),
    ]


def _imports(folder: Path, say: Callable[[str], None]) -> list[Figure]:
    say(f"{_BATCHES * _SIZE:,} memes, and people who answer")
    large, files = folder / "large", folder / "files"
    _workspace(large, _BATCHES * _SIZE)
    built = _memeloc(large, *_build("large", _SIZE))
    files.mkdir()
    answers = int(_child(ROOT, "-m", "bench.surveys", large, files).printed)
    figures = [Figure(_IMPORTED, "build of that survey, CPU", built.cpu, "s", note=f"{built}")]
    for way, name in _WAYS.items():
        say(f"survey import: {name}")
        copy = folder / way
        shutil.copytree(large, copy)
        paths = sorted((files / way).iterdir())
        took = _memeloc(copy, "survey", "import", "large", *paths, "--json")
        result = json.loads(took.printed)
        taken = sum(file["answers"] for file in result["files"])
        if taken < 0.99 * answers or result["problems"]:
            raise RuntimeError(f"{taken:,} of {answers:,} answers were taken: {result['problems']}")
        note = f"wall {took.wall:.1f} s, {len(paths):,} files, {taken:,} answers"
        figures += [
            Figure(_IMPORTED, f"import: {name}, CPU", took.cpu, "s", _IMPORT, note),
            Figure(_IMPORTED, "peak memory of that", took.memory / _MEGABYTE, "MB", _MEMORY),
        ]
        shutil.rmtree(copy)
    figures += _plain(folder, files / "plain.csv", say)
    say("survey check")
    filled = folder / "filled"
    checked = _memeloc(filled, "survey", "check", "large")
    say("survey settle")
    settled = _memeloc(filled, "survey", "settle", "large")
    wall = "wall {:.1f} s; the workspace read, what was found stored"
    peak = max(checked.memory, settled.memory) / _MEGABYTE
    return [
        *figures,
        Figure(_IMPORTED, "check, CPU", checked.cpu, "s", _LABELS, wall.format(checked.wall)),
        Figure(
            _IMPORTED,
            "check and settle, CPU",
            settled.cpu,
            "s",
            _LABELS,
            f"`survey settle` checks again; {wall.format(settled.wall)}",
        ),
        Figure(_IMPORTED, "peak memory of these", peak, "MB", _MEMORY),
    ]


def _plain(folder: Path, answers: Path, say: Callable[[str], None]) -> list[Figure]:
    """A table of the same people's answers to memes, which becomes a survey of its own."""
    say("survey import-answers")
    _memeloc(folder, "init", folder / "plain")
    columns = ("--participant", "participant", "--item", "item", "--answer", "answer")
    more = ("--culture", "country", "--time", "time", "--json")
    took = _memeloc(folder / "plain", "survey", "import-answers", "plain", answers, *columns, *more)
    (file,) = json.loads(took.printed)["files"]
    note = f"wall {took.wall:.1f} s, {file['answers']:,} answers"
    return [
        Figure(_IMPORTED, "import-answers, CPU", took.cpu, "s", _IMPORT, note),
        Figure(_IMPORTED, "peak memory of that", took.memory / _MEGABYTE, "MB", _MEMORY),
    ]


def _workspace(folder: Path, memes: int) -> None:
    """A workspace with the starter set over and over, in the cultures' languages."""
    tags = list(CULTURES.values())
    folder.parent.mkdir(parents=True, exist_ok=True)
    _memeloc(folder.parent, "init", folder, "--langs", ",".join(tags[1:]))
    with STARTER.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with (folder / "captions.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", *tags))
        for number, row in enumerate(islice(cycle(rows), memes)):
            writer.writerow((f"bench-{number:06d}", row["template"], *(row[tag] for tag in tags)))
    _memeloc(folder, "import", "captions.csv")


def _build(name: str, size: int) -> Sequence[str]:
    cultures = ",".join(f"{code}={tag}" for code, tag in CULTURES.items())
    return ("survey", "build", name, "--cultures", cultures, "--size", f"{size}", "--seed", "6")


def _memeloc(folder: Path, *arguments: object, status: int = 0) -> _Took:
    return _child(folder, "-m", "memeloc", *arguments, status=status)


def _child(folder: Path, *arguments: object, status: int = 0) -> _Took:
    """Run Python with these arguments in a folder.

    Raises:
        RuntimeError: it ended with another status, with its message.
    """
    with tempfile.TemporaryDirectory() as answers:
        answer = Path(answers) / "answer.json"
        done = subprocess.run(
            [
                *(sys.executable, "-I", "-S", ROOT / "bench" / "launch.py", answer),
                *(sys.executable, *map(str, arguments)),
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""},
            capture_output=True,
            text=True,
            check=True,
        )
        measured = json.loads(answer.read_text(encoding="utf-8"))
    if measured["status"] != status:
        command = " ".join(map(str, arguments[:6]))
        raise RuntimeError(f"python {command} failed: {done.stderr.strip()[-500:]}")
    return _Took(measured["wall"], measured["cpu"], measured["memory"], done.stdout)


def _answers(workspace: Path, folder: Path) -> int:
    """Write what people send into `folder`, and store it in a copy of the workspace beside it.

    The copy has the times that only some targets have, and a recruitment service's data.
    """
    from bench import survey_answers as made
    from memeloc.store import FileRecord
    from memeloc.survey.targets.protocol import Imported
    from memeloc.workspace import Workspace

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
    made.write_qsf(pack, sent, folder / "qsf")
    made.write_plain(pack, sent, folder / "plain.csv")
    shutil.copytree(workspace, copy)
    with Workspace.open(copy) as filled:
        imported = Imported(tuple(sent), tuple(made.recruited(pack, sent)), ())
        filled.store.surveys.add_submissions(
            "large", FileRecord("submissions", "simulated", "0" * 64, len(sent)), imported
        )
    return sum(len(submission.answers) for submission in sent)


if __name__ == "__main__":
    print(_answers(*map(Path, sys.argv[1:])))
