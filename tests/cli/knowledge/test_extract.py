"""`memeloc knowledge extract` and `status` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.chat_server import ChatServer, serve_chat
from tests.conftest import Outcome
from tests.workspace.knowledge.answering import dimension_of, right
from tests.workspace.teams import workspace_of

Run = Callable[..., Outcome]
EXTRACT = ("knowledge", "extract", "--model", "tiny", "--no-picture")


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    """A model that never answers as it should about emotions."""
    with serve_chat() as state:
        state.say = lambda number, body: (
            "Joy." if dimension_of(body) == "Emotion" else right(number, body)
        )
        yield state


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("knowledge")
    workspace_of(made, [], memes=2).close()
    return made


@pytest.fixture
def run(folder: Path, server: ChatServer, command: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(folder / "work")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return command


def test_dry_run_then_run_then_status(run: Run, server: ChatServer) -> None:
    plan = run(*EXTRACT, "--dry-run")
    assert "2 memes to ask about by m-quest" in plan.out
    assert "22 questions to tiny" in plan.out
    assert not server.bodies
    result = run(*EXTRACT)
    assert "2 memes by m-quest: 22 answers now (0 refused, 2 wrong), 0 before" in result.out
    assert "Missing: " in result.err
    assert "it is not JSON" in result.err
    assert result.status == 0
    status = run("knowledge", "status")
    assert "18 statements, 2 links of 2 memes" in status.out
    (extraction,) = json.loads(run("knowledge", "status", "--json").out)["extractions"]
    assert extraction["dimensions"][5]["missing"] == 2


def test_unknown_recipe_is_a_sentence(run: Run) -> None:
    result = run(*EXTRACT, "--recipe", "tea")
    assert result.status == 1
    assert "no recipe 'tea'" in result.err
