"""A model writes questions, people judge them, and what they find right is the benchmark."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.simulated_team import Colleagues
from memeloc.errors import InputError
from memeloc.reports.figures import gaps
from memeloc.workspace import Workspace
from memeloc.workspace.knowledge import KnowledgeSettings
from tests.chat_server import ChatServer, serve_chat
from tests.workspace.knowledge.answering import asked, text_of
from tests.workspace.teams import fill, team_table, workspace_of

MODEL = "tiny"
DIMENSIONS = 10
MEMES = 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ChatServer]]:
    """A workspace with four captions, extracted and with their questions."""
    folder = tmp_path_factory.mktemp("made")
    with serve_chat() as server, pytest.MonkeyPatch.context() as patch:
        server.say = asked
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.delenv("MEMELOC_SURVEY_KEY", raising=False)
        with workspace_of(folder, [], memes=MEMES) as workspace:
            workspace.knowledge.extract(KnowledgeSettings(input="text"), model=MODEL)
            result = workspace.knowledge.questions.ask(model=MODEL)
            assert (result["asked"], result["wrong"], result["stopped"]) == (
                MEMES * DIMENSIONS,
                0,
                "",
            )
        yield folder, server


@pytest.fixture
def workspace(
    tmp_path: Path, made: tuple[Path, ChatServer], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    folder, server = made
    server.say = asked
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with Workspace.open(tmp_path / "work") as opened:
        yield opened


def judged(workspace: Workspace, folder: Path, stage: Any, **options: Any) -> list[str]:
    """The surveys of a stage, filled by judges who mostly agree with the truth."""
    team = team_table(folder, {"judge": 3})
    name = str(stage)
    built = workspace.knowledge.questions.build_surveys(
        name, "US", stage=stage, people=team, **options
    )
    for each in built:
        fill(workspace.survey(each["survey"]), folder, seed=3, colleagues=Colleagues(agreement=0.9))
    return [each["survey"] for each in built]


def test_useless_question_is_sent_back_and_then_missing(
    workspace: Workspace, made: tuple[Path, ChatServer]
) -> None:
    same = json.dumps(dict.fromkeys(
        ("question", "correct", "plausible", "implausible", "explanation"), "Tea"))  # fmt: skip
    made[1].say = lambda number, body: same
    before = len(made[1].bodies)
    result = workspace.knowledge.questions.ask(model="other")
    assert result["wrong"] == MEMES * DIMENSIONS
    assert "the same as correct" in result["missing"][0]
    sent = [str(body["messages"][-1]["content"]) for body in made[1].bodies[before:]]
    assert sum("all options must differ" in text for text in sent) >= MEMES * DIMENSIONS
    assert workspace.knowledge.questions.set().missing() == {"wrong": MEMES * DIMENSIONS}


def test_dimension_without_statements_gets_its_question_all_the_same(
    workspace: Workspace, made: tuple[Path, ChatServer]
) -> None:
    empty = json.dumps({"entities": [], "relations": [], "statements": []})
    made[1].say = lambda number, body: (
        asked(number, body) if "How a question" in text_of(body) else empty
    )
    workspace.knowledge.extract(KnowledgeSettings(input="text"), model="blind")
    workspace.knowledge.questions.ask(of="blind", model=MODEL)
    questions = workspace.knowledge.questions.set().questions
    assert len(questions) == MEMES * DIMENSIONS
    assert not any(each.statements for each in questions)
    assert "Nothing of this dimension was found" in text_of(made[1].bodies[-1])


def test_language_without_a_fourth_option_is_refused_at_once(
    workspace: Workspace, made: tuple[Path, ChatServer]
) -> None:
    settings = KnowledgeSettings(input="text", statements_language="gd")
    workspace.knowledge.extract(settings, model="gaelic")
    before = len(made[1].bodies)
    questions = workspace.knowledge.questions
    with pytest.raises(InputError, match="in 'gd'; give it by --none"):
        questions.ask(of="gaelic", model=MODEL)
    assert len(made[1].bodies) == before
    plan = questions.plan(of="gaelic", none="Gin dhiubh", model=MODEL)
    assert plan["model"].questions == MEMES * DIMENSIONS


def test_judgements_of_questions_written_anew_do_not_count(
    workspace: Workspace, tmp_path: Path
) -> None:
    judged(workspace, tmp_path, "toxicity")
    workspace.knowledge.questions.ask(none="Nothing of that", model=MODEL)
    assert gaps(workspace.knowledge.questions.validity().figures)


def test_versions_of_a_meme_have_questions_and_judges_of_their_own(
    tmp_path: Path, made: tuple[Path, ChatServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    made[1].say = asked
    monkeypatch.setenv("OPENAI_BASE_URL", made[1].url)
    with workspace_of(tmp_path, ["de"], memes=2) as workspace:
        for tag in ("de", "en"):
            settings = KnowledgeSettings(input="text", language=tag)
            workspace.knowledge.extract(settings, model=MODEL)
        for tag in ("de", "en"):
            workspace.knowledge.questions.ask(lang=tag, model=MODEL)
        german = workspace.knowledge.questions.set(lang="de")
        assert german.questions[0].none == "Keine der anderen"
        assert german.questions[0].language == "de"
        assert workspace.knowledge.questions.set().versions == ["en"]
        judged(workspace, tmp_path, "toxicity")
        validity = workspace.knowledge.questions.validity
        assert not gaps(validity().figures)
        assert gaps(validity(lang="de").figures)
        assert not validity(lang="de").notes
        with pytest.raises(InputError, match="about captions in de"):
            judged(workspace, tmp_path, "toxicity", lang="de")
