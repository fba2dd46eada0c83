"""kill -9 at random moments of the whole way; one more run of the same command mends it all.

In: memes in one workspace, and processes that are killed. Out: the state of another workspace in
which nothing was: nothing lost, nothing doubled, and its dump and load the same byte for byte.
The workspace's and the renderer's own tests kill inside a narrower piece.
"""

from __future__ import annotations

import csv
import multiprocessing
import os
import pkgutil
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

import memeloc.cli
import memeloc.correct
import memeloc.render
import memeloc.store
import memeloc.workspace
from memeloc import Workspace
from memeloc.object_storage import TEMPORARY
from tests.store.test_dumps import content

OUT = "out"
_STEPS = {
    "import": ("import", "memes.csv"),
    "translate": ("translate", "--langs", "de,hi", "--with", "pseudo"),
    "correct import": ("correct", "import", "sheet.csv"),
    "settle": ("correct", "settle", "--from", "cases.csv", "--as", "eve"),
    "render": ("render", "--out", OUT, "--max-side", "64", "--jobs", "1"),
    "dump": ("dump", "dump"),
    "load": ("load", "dump", "loaded"),
}
_PREPARED = {
    "correct import": (
        *("correct", "export", "--lang", "de", "--to", "ann", "--format", "csv"),
        *("--no-pictures", "--out", "sheet.csv"),
    ),
    "settle": ("correct", "settle", "--to", "cases.csv"),
}
"""What is run before a step, and what people then fill in."""


@pytest.fixture(autouse=True)
def _on_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Makes processes that have imported memeloc already, so that a kill meets its work."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *_modules()])
    return context


def _modules() -> list[str]:
    """What the commands import on first use."""
    packages = (memeloc.cli, memeloc.store, memeloc.workspace, memeloc.correct, memeloc.render)
    names = [
        module.name
        for package in packages
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if ".survey" not in module.name and ".versions" not in module.name
    ]
    return [*names, "memeloc.translate.run", "pandas", "pyarrow.parquet", "openpyxl"]


def _run(folder: Path, arguments: tuple[str, ...]) -> None:
    """Run a command; what a process does."""
    from memeloc.cli import run

    os.chdir(folder)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os._exit(run(arguments))


class Team:
    """A workspace, and the people who work in it."""

    def __init__(self, folder: Path, processes: ForkServerContext, memes: int) -> None:
        self.folder = folder
        self._processes = processes
        with Workspace.create(folder, languages=["de", "hi"]):
            pass
        with (folder / "memes.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("meme_id", "template", "en"))
            writer.writerows((f"m{n}", "robot-chef", f"Dish {n} // is hot") for n in range(memes))

    def prepare(self, step: str) -> None:
        """What people do before a step."""
        if step in _PREPARED:
            process = self._start(_PREPARED[step])
            process.join()
            assert process.exitcode == 0, step
        if step == "correct import":
            _fill_in(self.folder / "sheet.csv", _answer)
        elif step == "settle":
            _fill_in(self.folder / "cases.csv", lambda row: {"take": "keep"})

    def finish(self, step: str) -> float:
        """Run a step to its end; the seconds it took."""
        begun = time.monotonic()
        process = self._start(_STEPS[step])
        process.join()
        is_whole = step == "dump" and (self.folder / "dump" / "manifest.json").exists()
        assert process.exitcode == 0 or is_whole, step
        return time.monotonic() - begun

    def kill(self, step: str, moment: float) -> bool:
        """Kill a step after some seconds; False when it had ended already."""
        process = self._start(_STEPS[step])
        process.join(moment)
        process.kill()
        process.join()
        return process.exitcode == -signal.SIGKILL

    def _start(self, arguments: tuple[str, ...]) -> BaseProcess:
        process = self._processes.Process(target=_run, args=(self.folder, arguments))
        process.start()
        return process

    def check(self) -> None:
        """Look for damage, and for anything that is there twice."""
        for file in self.folder.glob("**/memeloc.db"):
            with closing(sqlite3.connect(file)) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                assert database.execute("PRAGMA foreign_key_check").fetchall() == []
                if not database.execute("SELECT * FROM sqlite_master").fetchall():
                    continue
                for table, columns in _ONCE.items():
                    doubled = f"SELECT count(*) FROM {table} GROUP BY {columns} HAVING count(*) > 1"
                    assert database.execute(doubled).fetchall() == [], table

    def state(self) -> dict[str, object]:
        """All that the work came to, without what differs from run to run."""
        state: dict[str, object] = {}
        for name in ("", "loaded"):
            with Workspace.open(self.folder / name) as workspace:
                for table, facts in _FACTS.items():
                    rows = workspace.table(table)[facts].astype(str).values.tolist()
                    state[f"{name} {table}"] = sorted(map(tuple, rows))
        made = content(self.folder / OUT).items()
        state["pictures"] = {path: data for path, data in made if path.endswith(".jpg")}
        return state


_ONCE = {
    "memes": "id",
    "captions": "meme_id, language, stage",
    "corrections": "meme_id, language, person",
    "cases": "meme_id, language",
    "decisions": "case_id",
}
_FACTS = {
    "history": ["meme_id", "language", "version", "text", "stage", "person", "translator", "marks"],
    "corrections": ["meme_id", "language", "person", "status", "text", "typed", "outcome"],
    "cases": ["meme_id", "language", "reason", "open", "decision", "person"],
}


def _fill_in(table: Path, answer: Callable[[dict[str, str]], dict[str, str]]) -> None:
    with table.open(encoding="utf-8-sig", newline="") as stream:
        rows = [{**row, **answer(row)} for row in csv.DictReader(stream)]
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _answer(row: dict[str, str]) -> dict[str, str]:
    """Every fifth caption is a pun that nobody can translate; the others get another text."""
    if row["meme"].endswith(("0", "5")):
        return {"status": "wordplay"}
    return {"status": "corrected", "your text": f"Gericht {row['meme'][1:]} {row['part']}"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "memes", "steps"),
    [
        pytest.param(1, 20, ["import", "correct import", "settle"], id="1"),
        pytest.param(50, 150, list(_STEPS), id="50"),
    ],
)
def test_one_more_run_ends_with_the_same_state_as_an_undisturbed_one(
    tmp_path: Path, processes: ForkServerContext, kills: int, memes: int, steps: list[str]
) -> None:
    chance = random.Random(kills)
    calm = Team(tmp_path / "calm", processes, memes)
    longest = {}
    for step in _STEPS:
        calm.prepare(step)
        longest[step] = calm.finish(step)
    expected = calm.state()
    assert len(expected["pictures"]) == 3 * memes  # type: ignore[arg-type]
    struck = missed = 0
    while struck < kills and missed < 10 * kills:
        rough = Team(tmp_path / f"rough-{struck}-{missed}", processes, memes)
        wanted = chance.sample(steps, min(len(steps), kills - struck))
        for step in _STEPS:
            rough.prepare(step)
            for _ in range(min(2, kills - struck) if step in wanted else 0):
                if not rough.kill(step, chance.uniform(0, longest[step])):
                    missed += 1
                    longest[step] *= 0.9  # it was measured while the machine had more to do
                    break
                struck += 1
                rough.check()
            rough.finish(step)
            rough.check()
        assert rough.state() == expected
        assert content(rough.folder / "dump") == _dumped_again(rough.folder)
        assert not list(rough.folder.rglob(f"*{TEMPORARY}"))
    assert struck >= kills


def _dumped_again(folder: Path) -> dict[str, bytes]:
    with Workspace.open(folder / "loaded") as workspace:
        workspace.dump(folder / "again")
    return content(folder / "again")
