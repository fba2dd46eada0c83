"""`memeloc label` on the command line: a run, how far it is, differences, an audit, a table."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat_server import ChatServer, serve_chat
from tests.conftest import Outcome
from tests.workspace.labels.answering import labels, text_of
from tests.workspace.teams import team_table, workspace_of

Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ChatServer]]:
    """A folder with a workspace of six captions, and a model that differs on one."""
    folder = tmp_path_factory.mktemp("label")
    workspace_of(folder, [], memes=6).close()

    def say(number: int, body: dict[str, Any]) -> str:
        rude = "Monday" in text_of(body) and body["seed"] == 2
        return labels("offensive/vulgarity" if rude else "safe")

    with serve_chat() as server:
        server.say = say
        yield folder, server


@pytest.fixture
def run(
    labelled: tuple[Path, ChatServer], command: Run, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    folder, server = labelled
    monkeypatch.chdir(folder / "work")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    first = command("label", "--model", "tiny", "--taxonomy", "charmemes")
    assert first.status == 0, first.err
    return command


def test_a_dry_run_asks_nothing(labelled: tuple[Path, ChatServer], run: Run) -> None:
    asked = len(labelled[1].bodies)
    plan = run("label", "--model", "another", "--dry-run")
    assert "6 memes to label by charmemes" in plan.out
    assert "18 questions to another" in plan.out
    assert "nothing was asked" in plan.out
    assert len(labelled[1].bodies) == asked


def test_a_second_run_says_what_is_there(run: Run) -> None:
    again = run("label", "--model", "tiny", "--taxonomy", "charmemes")
    assert "0 answers now, 18 before" in again.out
    assert "accepted 5, differing 1" in again.out
    assert "5 in the most severe category, 5 also in its subcategories" in again.out


def test_status_says_how_far_and_how_sure(run: Run) -> None:
    status = json.loads(run("label", "status", "--json").out)["labellings"][0]
    assert (status["taxonomy"], status["model"]) == ("charmemes", "tiny")
    assert status["counts"]["accepted"] == 5
    assert "tiny by charmemes: 6 memes" in run("label", "status").out


def test_differences_and_an_audit_become_surveys(
    run: Run, labelled: tuple[Path, ChatServer]
) -> None:
    people = team_table(labelled[0], {"a": 2})
    hard = run("label", "differing", "hard", "--cultures", "US", "--people", people)
    assert "hard: 1 meme in 1 batch" in hard.out, hard.err
    trial = run("label", "audit", "trial", "--cultures", "US", "--people", people, "--sample", 3)
    assert "trial: 3 memes" in trial.out, trial.err
    assert "Nobody has labelled the sample yet." in run("label", "agreement", "trial").out


def test_an_export_says_by_whom_each_label_is(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    assert run("label", "export", table).status == 0
    with table.open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["by"] == "model"]
    assert {row["who"] for row in rows} == {"tiny"}
    assert sorted(row["state"] for row in rows) == ["accepted"] * 5 + ["differing"]
    run("label", "export", table, "--accepted")
    with table.open(encoding="utf-8-sig", newline="") as stream:
        assert next(csv.DictReader(stream)) | {"meme_id": ""} == {
            "meme_id": "",
            "model": "tiny",
            "label": "safe",
        }


def test_unknown_names_are_sentences(run: Run) -> None:
    assert "There is no prompt 'mine'" in run("label", "--prompt", "mine", "--model", "tiny").err
    assert "No model other has labelled" in run("label", "status", "--model", "other").err
