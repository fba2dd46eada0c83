"""A model writes questions, people judge them, and what they find right is the benchmark."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from examples.simulated_team import Colleagues
from memeloc.errors import InputError
from memeloc.workspace import Workspace
from memeloc.workspace.knowledge import KnowledgeSettings
from memeloc.workspace.knowledge.questions import AskSettings
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
            assert (result.asked, result.wrong, result.stopped) == (MEMES * DIMENSIONS, 0, "")
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
        fill(workspace.survey(each.survey), folder, seed=3, colleagues=Colleagues(agreement=0.9))
    return [each.survey for each in built]


def test_questions_are_made_of_statements_and_what_they_rest_on(workspace: Workspace) -> None:
    questions = workspace.knowledge.questions.set()
    assert len(questions.questions) == MEMES * DIMENSIONS
    first = questions.questions[0]
    assert (first.dimension, first.language, first.model) == ("textual", "en", MODEL)
    assert first.statements == ("textual-1",)
    toxicity = next(each for each in questions.questions if each.dimension == "toxicity")
    assert toxicity.statements == ("toxicity-1", "scene-1")
    assert toxicity.none == "None of the others"
    assert questions.missing() == {}


def test_prompt_has_definition_and_statements(made: tuple[Path, ChatServer]) -> None:
    bodies = [b for b in made[1].bodies if "How a question" in text_of(b)]
    (text, *_) = [text_of(b) for b in bodies if "is Toxicity" in text_of(b)]
    assert '"It mocks cats."' in text
    assert '"A cat waits for tea."' in text
    assert "English (en)" in text


def test_what_was_asked_is_not_asked_again(
    workspace: Workspace, made: tuple[Path, ChatServer]
) -> None:
    before = len(made[1].bodies)
    again = workspace.knowledge.questions.ask(model=MODEL)
    assert (again.asked, again.there) == (0, MEMES * DIMENSIONS)
    assert workspace.knowledge.questions.plan(model=MODEL).model.questions == 0
    assert len(made[1].bodies) == before


def test_useless_question_is_sent_back_and_then_missing(
    workspace: Workspace, made: tuple[Path, ChatServer]
) -> None:
    same = json.dumps(dict.fromkeys(
        ("question", "correct", "plausible", "implausible", "explanation"), "Tea"))  # fmt: skip
    made[1].say = lambda number, body: same
    before = len(made[1].bodies)
    result = workspace.knowledge.questions.ask(model="other")
    assert result.wrong == MEMES * DIMENSIONS
    assert "the same as correct" in result.missing[0]
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
    workspace.knowledge.questions.ask(AskSettings(of="blind"), model=MODEL)
    questions = workspace.knowledge.questions.set().questions
    assert len(questions) == MEMES * DIMENSIONS
    assert not any(each.statements for each in questions)
    assert "Nothing of this dimension was found" in text_of(made[1].bodies[-1])


def test_nothing_is_asked_before_extraction(tmp_path: Path) -> None:
    with (
        workspace_of(tmp_path, [], memes=1) as workspace,
        pytest.raises(InputError, match="Nothing was extracted"),
    ):
        workspace.knowledge.questions.ask(model=MODEL)


def test_language_without_a_fourth_option_is_refused_at_once(
    workspace: Workspace, made: tuple[Path, ChatServer]
) -> None:
    settings = KnowledgeSettings(input="text", statements_language="gd")
    workspace.knowledge.extract(settings, model="gaelic")
    before = len(made[1].bodies)
    questions = workspace.knowledge.questions
    with pytest.raises(InputError, match="in 'gd'; give it by --none"):
        questions.ask(AskSettings(of="gaelic"), model=MODEL)
    assert len(made[1].bodies) == before
    plan = questions.plan(AskSettings(of="gaelic", none="Gin dhiubh"), model=MODEL)
    assert plan.model.questions == MEMES * DIMENSIONS


def test_second_stage_waits_for_the_first(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="settle the first stage"):
        judged(workspace, tmp_path, "others")
    with pytest.raises(InputError, match="not found any question about toxicity right"):
        workspace.knowledge.questions.select(tmp_path / "benchmark")


def test_two_stages_of_judges_make_the_benchmark(workspace: Workspace, tmp_path: Path) -> None:
    questions = workspace.knowledge.questions
    assert judged(workspace, tmp_path, "toxicity") == ["toxicity"]
    texts = workspace.survey("toxicity").item_texts
    assert {len(each) for each in texts.values()} == {6}
    labels = settled(workspace, "toxicity")
    positive = set(labels.index[(labels[["label", "toxicity-answer"]] == "yes").all(axis=1)])
    assert 0 < len(positive) < MEMES

    surveys = judged(workspace, tmp_path, "others", sample=1, seed=4, answers=2)
    assert set(workspace.survey(surveys[0]).memes) <= positive
    result = questions.select(tmp_path / "benchmark", seed=1)
    rows = read(tmp_path / "benchmark" / "questions.csv")
    kept = {row["item"] for row in rows}
    assert {f"{meme}/toxicity" for meme in positive} <= kept
    linked = set(labels.index[(labels[["linked-question", "linked-answer"]] == "yes").all(axis=1)])
    assert {item for item in kept if item.endswith("/scene")} == {
        f"{meme}/scene" for meme in positive & linked
    }
    others = valid_others(workspace, surveys)
    assert {i for i in kept if not i.endswith(("/toxicity", "/scene"))} == others
    assert len(rows) + result.left_out == MEMES * DIMENSIONS
    about = json.loads((tmp_path / "benchmark" / "questions.json").read_text("utf-8"))
    assert about["surveys"] == ["toxicity", *surveys]
    assert about["second_stage"] == {"sample": 1, "seed": 4}

    section = questions.validity().section
    counted = section.tables[0].frame.set_index(["dimension", "stage"])
    expected = [MEMES, len(positive)]
    assert counted.loc[("toxicity", "toxicity"), ["judged", "valid"]].tolist() == expected
    assert section.tables[2].frame["by several"].tolist()[0] > 0
    assert section.tables[1].frame["judged"].tolist() == [MEMES, MEMES]


def test_judgements_of_questions_written_anew_do_not_count(
    workspace: Workspace, tmp_path: Path
) -> None:
    judged(workspace, tmp_path, "toxicity")
    workspace.knowledge.questions.ask(AskSettings(none="Nothing of that"), model=MODEL)
    assert workspace.knowledge.questions.validity().section.gaps


def test_models_without_the_picture_are_the_control(workspace: Workspace, tmp_path: Path) -> None:
    ids = [each.id for each in workspace.knowledge.questions.set().questions]
    table = pd.DataFrame(
        {"model": MODEL, "item": ids, "input": "none", "choice": "Work comes first"}
    )
    table.loc[:2, "choice"] = "Tea comes first"
    table.to_parquet(tmp_path / "answers.parquet")
    result = workspace.knowledge.questions.review(answers=[tmp_path])
    rules = result.section.figures["rules"]
    assert rules[f"{MODEL} without the picture"] == pytest.approx(3 / len(ids))
    with pytest.raises(InputError, match="no answers of memeloc evaluate"):
        workspace.knowledge.questions.review(answers=[tmp_path / "work"])


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
            workspace.knowledge.questions.ask(AskSettings(lang=tag), model=MODEL)
        german = workspace.knowledge.questions.set(lang="de")
        assert german.questions[0].none == "Keine der anderen"
        assert german.questions[0].language == "de"
        assert workspace.knowledge.questions.set().versions == ["en"]
        judged(workspace, tmp_path, "toxicity")
        validity = workspace.knowledge.questions.validity
        assert not validity().section.gaps
        assert validity(lang="de").section.gaps
        assert not validity(lang="de").notes
        with pytest.raises(InputError, match="about captions in de"):
            judged(workspace, tmp_path, "toxicity", lang="de")


def settled(workspace: Workspace, name: str) -> pd.DataFrame:
    return workspace.survey(name).settle(close=True).table.set_index("item")


def valid_others(workspace: Workspace, surveys: list[str]) -> set[str]:
    """The questions of the second stage with two YES, counted apart."""
    by_text = {}
    for each in workspace.knowledge.questions.set().questions:
        by_text[each.meme, each.question] = each.id
    valid = set()
    for name in surveys:
        texts = workspace.survey(name).item_texts
        for meme, row in settled(workspace, name).iterrows():
            for pair in (("label", "toxicity-answer"), ("linked-question", "linked-answer")):
                if (row[list(pair)] == "yes").all():
                    valid.add(by_text[str(meme), texts[str(meme)][pair[0]]])
    return valid


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))
