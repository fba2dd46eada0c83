"""kill -9 at random moments of the whole way, and two programs at once, on SQLite and PostgreSQL.

In: memes in one workspace, and processes that are killed; the same command is run once more. Out:
the state of another workspace in which nothing was: nothing lost, nothing doubled, and its dump and
load the same byte for byte. The renderer's own test kills inside a narrower piece.
"""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import pkgutil
import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

import memeloc.cli
import memeloc.correct
import memeloc.store
import memeloc.workspace
from memeloc import Workspace
from memeloc.object_storage import TEMPORARY
from tests.chat_server import serve_chat
from tests.store.test_dumps import content

_STEPS = {
    "import": ("import", "memes.csv"),
    "translate": ("translate", "--langs", "de,hi", "--with", "pseudo"),
    "correct import": ("correct", "import", "sheet.csv"),
    "settle": ("correct", "settle", "--from", "cases.csv", "--as", "eve"),
    "dump": ("dump", "dump"),
    "load": ("init", "loaded", "--from", "dump"),
}
_PREPARED = {
    "correct import": (
        *("correct", "export", "--langs", "de", "--to", "ann", "--format", "csv"),
        *("--no-pictures", "--out", "sheet.csv"),
    ),
    "settle": ("correct", "settle", "--to", "cases.csv"),
}
"""What is run before a step, and what people then fill in."""


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Makes processes that have imported memeloc already, so that a kill meets its work."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *_modules()])
    return context


def _modules() -> list[str]:
    """Return what the commands import on first use."""
    packages = (memeloc.cli, memeloc.store, memeloc.workspace, memeloc.correct)
    names = [
        module.name
        for package in packages
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if ".survey" not in module.name and ".versions" not in module.name
    ]
    return [*names, "memeloc.translate.run", "pandas", "pyarrow.parquet", "openpyxl", "psycopg"]


def _run(folder: Path, arguments: tuple[str, ...], database: str) -> None:
    """Run a command; what a process does."""
    from memeloc.cli import run

    with _database(database):
        os.chdir(folder)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os._exit(run(arguments))


@contextmanager
def _database(url: str) -> Iterator[None]:
    """Have workspaces in a database, or in a file of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMELOC_DATABASE_URL", url)
        yield


class Team:
    """A workspace, and the people who work in it.

    `databases` are the URLs of its database and of the one that its dump is loaded into; empty for
    files.
    """

    steps: Mapping[str, tuple[str, ...]] = _STEPS

    def __init__(
        self, folder: Path, processes: ForkServerContext, memes: int, databases: tuple[str, str]
    ) -> None:
        self.folder, self.memes = folder, memes
        self.databases = {"": databases[0], "loaded": databases[1]}
        self._processes = processes
        with _database(databases[0]), Workspace.create(folder, languages=["de", "hi"]):
            pass
        with (folder / "memes.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("meme_id", "template", "en"))
            writer.writerows((f"m{n}", "robot-chef", f"Dish {n} // is hot") for n in range(memes))

    def prepare(self, step: str) -> None:
        """Do what people do before a step."""
        if step in _PREPARED:
            process = self.start(*_PREPARED[step])
            process.join()
            assert process.exitcode == 0, step
        if step == "correct import":
            _fill_in(self.folder / "sheet.csv", _answer)
        elif step == "settle":
            _fill_in(self.folder / "cases.csv", lambda row: {"take": "keep"})

    def finish(self, step: str) -> float:
        """Run a step to its end; return the seconds it took."""
        begun = time.monotonic()
        process = self.start(*self.steps[step])
        process.join()
        is_whole = step == "dump" and (self.folder / "dump" / "manifest.json").exists()
        assert process.exitcode == 0 or is_whole, step
        return time.monotonic() - begun

    def kill(self, step: str, moment: float) -> bool:
        """Kill a step after some seconds; return False when it had ended already."""
        process = self.start(*self.steps[step])
        process.join(moment)
        process.kill()
        process.join()
        return process.exitcode == -signal.SIGKILL

    def start(self, *arguments: str) -> BaseProcess:
        database = self.databases["loaded" if arguments[0] == "init" else ""]
        process = self._processes.Process(target=_run, args=(self.folder, arguments, database))
        process.start()
        return process

    def check(self) -> None:
        """Look for damage."""
        for file in self.folder.glob("**/memeloc.db"):
            with closing(sqlite3.connect(file)) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                assert database.execute("PRAGMA foreign_key_check").fetchall() == []

    def state(self, *names: str) -> dict[str, list[tuple[str, ...]]]:
        """Return all that the work came to, without what differs from run to run."""
        state = {}
        for name in names:
            with _database(self.databases[name]), Workspace.open(self.folder / name) as workspace:
                for table, facts in _FACTS.items():
                    rows = workspace.table(table)[facts].astype(str).values.tolist()
                    state[f"{name} {table}"] = sorted(map(tuple, rows))
        return state


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
    if row["meme_id"].endswith(("0", "5")):
        return {"status": "wordplay"}
    return {"status": "corrected", "your text": f"Gericht {row['meme_id'][1:]} {row['part']}"}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def databases(request: pytest.FixtureRequest) -> Callable[[], tuple[str, str]]:
    """Makes two empty databases."""
    if request.param == "sqlite":
        return lambda: ("", "")
    fresh = request.getfixturevalue("postgresql")
    return lambda: (fresh("fresh"), fresh("loaded"))


@pytest.mark.slow
def test_one_more_run_ends_with_the_same_state_as_an_undisturbed_one(
    tmp_path: Path,
    processes: ForkServerContext,
    databases: Callable[[], tuple[str, str]],
) -> None:
    kills, memes = 50, 150

    def make(name: str) -> Team:
        return Team(tmp_path / name, processes, memes, databases())

    teams = disturbed(make, kills)
    expected = next(teams).state("", "loaded")
    assert len(expected[" corrections"]) == memes
    assert len(expected[" cases"]) == memes // 5
    for rough in teams:
        assert rough.state("", "loaded") == expected
        assert content(rough.folder / "dump") == _dumped_again(rough)
        assert not list(rough.folder.rglob(f"*{TEMPORARY}"))


def disturbed(make: Callable[[str], Any], kills: int) -> Iterator[Any]:
    """Yield a team whose steps run undisturbed, then teams until so many of theirs were killed.

    Each step that was killed is run once more, to its end.
    """
    chance = random.Random(kills)
    calm = make("calm")
    longest = {}
    for step in calm.steps:
        calm.prepare(step)
        longest[step] = calm.finish(step)
    yield calm
    struck = missed = 0
    while struck < kills and missed < 10 * kills:
        rough = make(f"rough-{struck}-{missed}")
        for step in rough.steps:
            rough.prepare(step)
            for _ in range(min(2, kills - struck)):
                if not rough.kill(step, chance.uniform(0, longest[step])):
                    missed += 1
                    longest[step] *= 0.9  # it was measured while the machine had more to do
                    break
                struck += 1
                rough.check()
            rough.finish(step)
            rough.check()
        yield rough
    assert struck >= kills


def _dumped_again(team: Team) -> dict[str, bytes]:
    with (
        _database(team.databases["loaded"]),
        Workspace.open(team.folder / "loaded") as workspace,
    ):
        workspace.dump(team.folder / "again")
    return content(team.folder / "again")


def test_two_programs_at_once_do_and_pay_everything_once(
    tmp_path: Path, processes: ForkServerContext, databases: Callable[[], tuple[str, str]]
) -> None:
    memes = 20
    team = Team(tmp_path / "memes", processes, memes, databases())
    with serve_chat() as chat:
        settings = team.folder / "memeloc.toml"
        service = f'\n[translate.openai]\nbase_url = "{chat.url}"\nprice_in = 1000\n'
        settings.write_text(settings.read_text("utf-8") + service, "utf-8")
        translate = ("translate", "--langs", "de", "--with", "openai", "--set", "model=tiny")
        for words in (team.steps["import"], translate):
            both = [team.start(*words) for _ in range(2)]
            for process in both:
                process.join()
            assert [process.exitcode for process in both] == [0, 0]
        asked = Counter(
            part["text"]
            for body in chat.bodies
            for part in json.loads(body["messages"][1]["content"])["caption"]
        )
    assert {text for text, times in asked.items() if times > 1} <= {"is hot"}
    assert sum(asked.values()) == 2 * memes
    history = team.state("")[" history"]
    assert len(history) == len({row[:2] for row in history}) == 2 * memes
