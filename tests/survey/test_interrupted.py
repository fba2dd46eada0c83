"""kill -9 at random moments of a survey's way from sheets to labels, on SQLite and PostgreSQL.

In: answers to a survey, an export of the recruiter's, rows that cannot be read; commands that are
killed and run once more. Out: the state of a workspace in which nothing was killed: nothing lost,
nothing doubled, and who was erased is. tests/studio/test_process.py kills the server of a survey.
"""

from __future__ import annotations

import json
import multiprocessing
import pkgutil
from collections.abc import Callable, Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

import memeloc.survey
import memeloc.workspace
from memeloc import Workspace
from tests.store.conftest import postgresql
from tests.store.test_interrupted import Team, _database, databases, disturbed
from tests.worlds import answers_of, starter_rows, write_table

__all__ = ["databases", "postgresql"]

KEY = "0" * 64
TABLES = ("survey_batches", "survey_participants", "submissions", "rejected_rows")


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Makes processes that have imported memeloc already, so that a kill meets its work."""
    context = multiprocessing.get_context("forkserver")
    modules = [
        module.name
        for package in (memeloc.survey, memeloc.workspace)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    context.set_forkserver_preload([__name__, "memeloc.cli.survey", "pandas", "psycopg", *modules])
    return context


class SurveyTeam(Team):
    """A workspace with a survey that goes on to its labels and the next round of some memes."""

    steps: Mapping[str, tuple[str, ...]] = {
        "captions": ("import", "memes.csv"),
        "build": ("survey", "build", "pilot", "--cultures", "US,DE", "--size", "5"),
        "import": ("survey", "import", "pilot", "answers"),
        "check": ("survey", "check", "pilot", "--exclude", "US-r1-b01-0"),
        "settle": ("survey", "settle", "pilot", "--close", "--next", "--out", "labels.csv"),
        "forget": ("survey", "forget", "DE-r1-b01-1", "--yes"),
    }

    def prepare(self, step: str) -> None:
        if step == "captions":
            rows = starter_rows(["de"], self.memes)
            write_table(self.folder / "memes.csv", rows)
            (self.folder / "survey.key").write_text(KEY, "utf-8")
        if step != "import":
            return
        (self.folder / "answers").mkdir()
        with _database(self.databases[""]), Workspace.open(self.folder) as workspace:
            sheets = workspace.survey("pilot").all_sheets
        answers = list(answers_of(sheets))
        write_table(
            self.folder / "answers" / f"{sheets[0].id}.csv",
            (
                {"Submission id": f"{number:024x}", "Participant id": answer["participant"]}
                | {"Status": "AWAITING REVIEW", "Time taken": "480", "Completion code": "NOCODE"}
                for number, answer in enumerate(answers)
                if answer["sheet"] == sheets[0].id
            ),
        )
        answers += [{**answer, "participant": "a@lab.example"} for answer in answers[:3]]
        for half, name in ((answers[::2], "even.json"), (answers[1::2], "odd.json")):
            (self.folder / "answers" / name).write_text(json.dumps(half), "utf-8")

    def state(self, *names: str) -> dict[str, Any]:
        with _database(self.databases[""]), Workspace.open(self.folder) as workspace:
            store = workspace.store.surveys
            with workspace.store.database.read() as connection:
                rows = {
                    name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar()
                    for name in TABLES
                }
            return {
                "rows": rows,
                "batches": sorted(map(repr, store.batches("pilot"))),
                "submissions": sorted(map(repr, store.submissions("pilot"))),
                "participants": sorted(map(repr, store.participants("pilot"))),
                "rejected": sorted(store.rejected("pilot")),
                "check": store.result("pilot", "check"),
                "labels": (self.folder / "labels.csv").read_text("utf-8-sig"),
            }


@pytest.mark.slow
def test_one_more_run_ends_with_the_labels_of_an_undisturbed_one(
    tmp_path: Path,
    processes: ForkServerContext,
    databases: Callable[[], tuple[str, str]],
) -> None:
    memes = 40

    def make(name: str) -> SurveyTeam:
        return SurveyTeam(tmp_path / name, processes, memes, databases())

    teams = disturbed(make, 48)
    expected = next(teams).state()
    assert len(expected["submissions"]) == memes // 5 * 2 * 5 - 1  # one person is erased
    assert len(expected["rejected"]) == 3
    assert expected["participants"]
    assert any("round=2" in batch for batch in expected["batches"])
    for rough in teams:
        assert rough.state() == expected
