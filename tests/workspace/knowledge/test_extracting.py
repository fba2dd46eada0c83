"""A model says what memes mean, dimension by dimension; what it answers wrongly is missing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.workspace import Workspace
from memeloc.workspace.knowledge import KnowledgeSettings
from tests.chat_server import ChatServer, serve_chat
from tests.workspace.knowledge.answering import dimension_of, found, right, text_of
from tests.workspace.teams import workspace_of

MODEL = "tiny"
TEXT = KnowledgeSettings(input="text")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serve_chat() as state:
        state.say = right
        yield state


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    workspace_of(folder, [], memes=2).close()
    return folder


@pytest.fixture
def workspace(
    tmp_path: Path, imported: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    """Two captions, and a model behind the server."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    shutil.copytree(imported, tmp_path, dirs_exist_ok=True)
    with Workspace.open(tmp_path / "work") as made:
        yield made


def test_dimensions_are_asked_in_order_with_what_was_found(
    workspace: Workspace, server: ChatServer
) -> None:
    result = workspace.knowledge.extract(TEXT, model=MODEL)
    assert (result.asked, result.unanswered, result.stopped) == (22, 0, "")
    names = list(dict.fromkeys(map(dimension_of, server.bodies)))
    assert names[:2] == ["Textual Material", "Visual Material"]
    assert names[-2:] == ["Toxicity", ""]
    assert "Found before" not in text_of(server.bodies[0])
    assert '["grey-cat","a grey cat",""]' in text_of(server.bodies[2])


def test_memes_have_statements_links_and_provenance(workspace: Workspace) -> None:
    workspace.knowledge.extract(TEXT, model=MODEL)
    memes = list(workspace.knowledge.memes())
    assert len(memes) == 2
    first = memes[0]
    assert [each.state for each in first.dimensions] == ["answered"] * 10
    assert list(first.entities()) == ["grey-cat"]
    (toxic,) = [each for each in first.statements() if each.dimension == "toxicity"]
    assert (toxic.value, toxic.rests_on) == ("harmful", ("scene-1",))
    provenance = first.dimensions[0].provenance
    assert provenance is not None
    assert first.linked is not None
    assert (provenance.served, len(provenance.prompt)) == ("tiny-2026", 64)
    assert provenance.date


def test_what_was_answered_is_not_asked_again(workspace: Workspace, server: ChatServer) -> None:
    workspace.knowledge.extract(TEXT, model=MODEL)
    again = workspace.knowledge.extract(TEXT, model=MODEL)
    assert (again.asked, again.there, len(server.bodies)) == (0, 22, 22)


def test_dry_run_asks_nothing_and_says_what_it_would(
    workspace: Workspace, server: ChatServer
) -> None:
    plan = workspace.knowledge.plan(TEXT, model=MODEL)
    assert (plan.memes, plan.there, plan.model.questions) == (2, 0, 20)
    assert not server.bodies


def test_statements_may_have_another_language(workspace: Workspace, server: ChatServer) -> None:
    settings = KnowledgeSettings(input="text", statements_language="hi")
    workspace.knowledge.extract(settings, model=MODEL)
    assert "Hindi (hi)" in text_of(server.bodies[0])
    (first, _) = workspace.knowledge.memes()
    assert (first.version, first.language) == ("en", "hi")


_BAD: dict[str, tuple[Any, str]] = {
    "cut": ('{"entities": [{"id": "grey', "it is not JSON"),
    "unknown dimension": (json.dumps({"horoscope": ["Leo"]}), "horoscope"),
    "unknown value": (
        found(statements=[{"text": "It is.", "entities": [], "value": "funny"}]),
        "value",
    ),
    "unknown id": (
        found(statements=[{"text": "It is.", "entities": ["dog"], "value": "harmful"}]),
        "no entity has the id 'dog'",
    ),
    "itself": (
        found(
            relations=[{"source": "grey-cat", "relation": "harms", "target": "Grey Cat"}],
            statements=[],
        ),
        "joins 'grey-cat' to itself",
    ),
    "ten thousand": (
        found(entities=[{"id": f"c{n}", "label": "cat", "kind": ""} for n in range(10_000)]),
        "at most 40 items",
    ),
    "control character": (
        found(entities=[{"id": "c", "label": "c\u0007t", "kind": ""}]),
        "control character",
    ),
}


@pytest.mark.parametrize("bad", _BAD)
def test_bad_answer_is_missing_and_the_rest_goes_on(
    workspace: Workspace, server: ChatServer, bad: str
) -> None:
    answer, sentence = _BAD[bad]
    server.say = lambda number, body: (
        answer if dimension_of(body) == "Toxicity" else right(number, body)
    )
    result = workspace.knowledge.extract(TEXT, model=MODEL)
    assert (result.wrong, result.stopped) == (2, "")
    assert sentence in result.missing[0]
    first = next(workspace.knowledge.memes())
    assert [each.state for each in first.dimensions] == ["answered"] * 9 + ["missing"]
    assert sentence in first.dimensions[-1].reason
    assert first.linked is None


def test_links_to_nothing_or_in_a_circle_are_dropped(
    workspace: Workspace, server: ChatServer
) -> None:
    links = [
        {"statement": "toxicity-1", "rests_on": ["toxicity-1", "scene-9", "visual-1"]},
        {"statement": "scene-1", "rests_on": ["toxicity-1"]},
    ]
    server.say = lambda number, body: (
        right(number, body) if dimension_of(body) else json.dumps({"links": links})
    )
    workspace.knowledge.extract(TEXT, model=MODEL)
    first = next(workspace.knowledge.memes())
    assert {each.id: each.rests_on for each in first.statements() if each.rests_on} == {
        "toxicity-1": ("visual-1",)
    }
    assert len(first.notes) == 3


def test_pictures_are_needed_unless_text_is_given(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="--pictures"):
        workspace.knowledge.extract(model=MODEL)


def test_status_counts_what_was_found_and_is_missing(
    workspace: Workspace, server: ChatServer
) -> None:
    server.say = lambda number, body: (
        "I'm sorry, I can't." if dimension_of(body) == "Emotion" else right(number, body)
    )
    workspace.knowledge.extract(TEXT, model=MODEL)
    (status,) = workspace.knowledge.status().extractions
    assert (status.memes, status.statements, status.links) == (2, 18, 2)
    by_id = {each.dimension: each for each in status.dimensions}
    assert (by_id["emotion"].missing, by_id["scene"].answered) == (2, 2)
    assert "would not answer" in status.reasons[0]
