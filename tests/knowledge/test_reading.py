"""Ids of a model's answer are made ASCII and unique, and refer to what was named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memeloc.knowledge.dimensions import read_recipe
from memeloc.knowledge.extraction import knowledge_of, read_value
from memeloc.knowledge.statements import KnowledgeAnswer


def entity(id: str, label: str = "a cat", kind: str = "") -> dict[str, str]:
    return {"id": id, "label": label, "kind": kind}


def value(*entities: dict[str, str], about: tuple[str, ...] = ()) -> dict[str, Any]:
    statement = {"text": "A cat drinks tea.", "entities": list(about)}
    return {"entities": list(entities), "statements": [statement]}


def test_ids_are_ascii_and_unique() -> None:
    found = read_value(
        "visual",
        value(
            *(entity("Cat 1"), entity("cat-1", "a dog"), entity("बिल्ली", "बिल्ली", "animal")),
            *(entity("кот", "кот"), entity("Cat 1", "a cat")),
            about=("Cat 1", "बिल्ली"),
        ),
    )
    assert [each.id for each in found.entities] == ["cat-1", "cat-1-2", "animal", "entity"]
    assert found.statements[0].entities == ("cat-1", "animal")


ANSWER = KnowledgeAnswer(
    *("cat", "c" * 64, "de", "extract", "textual", "m-quest", "hi", "tiny", "p" * 64),
    status="answered",
    value=value(entity("cat")),
)


def test_only_answers_to_the_newest_picture_and_prompt_count() -> None:
    newer = replace(ANSWER, content="d" * 64, dimension="visual")
    (meme,) = knowledge_of([ANSWER, newer], read_recipe("m-quest"))
    assert [each.state for each in meme.dimensions[:2]] == ["missing", "answered"]
    assert meme.dimensions[0].reason == "it was not asked yet"


def test_versions_and_statement_languages_are_apart() -> None:
    answers = [ANSWER, replace(ANSWER, version="hi"), replace(ANSWER, language="en")]
    found = knowledge_of(answers, read_recipe("m-quest"))
    assert [(each.version, each.language) for each in found] == [
        ("de", "en"),
        ("de", "hi"),
        ("hi", "hi"),
    ]


@pytest.mark.parametrize("broken", [{}, {"entities": "cats", "statements": []}, {"entities": [1]}])
def test_stored_answer_that_is_no_use_is_missing(broken: dict[str, Any]) -> None:
    (meme,) = knowledge_of([replace(ANSWER, value=broken)], read_recipe("m-quest"))
    assert meme.dimensions[0].state == "missing"
    assert "cannot be read" in meme.dimensions[0].reason
