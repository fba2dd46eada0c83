"""`memeloc knowledge ask`, `questions`, `survey`, `validity` and `select` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from examples.simulated_team import Colleagues
from memeloc.workspace import Workspace
from memeloc.workspace.knowledge import KnowledgeSettings
from tests.chat_server import serve_chat
from tests.conftest import Outcome
from tests.workspace.knowledge.answering import asked
from tests.workspace.teams import fill, team_table, workspace_of

Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace with four captions that were extracted."""
    folder = tmp_path_factory.mktemp("questions")
    with serve_chat() as server, pytest.MonkeyPatch.context() as patch:
        server.say = asked
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.chdir(folder)
        with workspace_of(folder, [], memes=4) as workspace:
            workspace.knowledge.extract(KnowledgeSettings(input="text"), model="tiny")
        yield folder


@pytest.fixture
def run(folder: Path, command: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(folder / "work")
    return command


def test_from_questions_to_the_benchmark(folder: Path, run: Run) -> None:
    plan = run("knowledge", "ask", "--model", "tiny", "--dry-run")
    assert "4 memes to ask about by m-quest" in plan.out
    assert "40 questions to tiny" in plan.out
    assert "There are no such questions yet" in run("knowledge", "questions").err

    assert "40 answers now" in run("knowledge", "ask", "--model", "tiny").out
    looked = run("knowledge", "questions", "--out", "page")
    assert "longest option is right in" in looked.out
    assert (folder / "work" / "page" / "report.html").is_file()
    as_json = json.loads(run("knowledge", "questions", "--json").out)
    assert as_json["sections"][0]["figures"]["questions"] == 40
    assert "Nobody has judged" in run("knowledge", "validity").out

    team = str(team_table(folder, {"judge": 2}))
    stage = ("--cultures", "US", "--people", team, "--stage")
    built = run("knowledge", "survey", "toxic", *stage, "toxicity")
    assert "toxic: 4 memes" in built.out
    with Workspace.open(folder / "work") as workspace:
        fill(workspace.survey("toxic"), folder, seed=3, colleagues=Colleagues(agreement=1.0))
    assert "questions right, with the answer" in run("knowledge", "validity").out
    refused = run("knowledge", "survey", "toxic", *stage, "others")
    assert refused.status == 1
    selected = run("knowledge", "select", "benchmark")
    assert "are left out" in selected.out
    assert (folder / "work" / "benchmark" / "questions.csv").is_file()
