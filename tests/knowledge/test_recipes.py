"""Recipes, the options of questions, and the ids of a model's answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.knowledge.dimensions import dimension_names, read_recipe, recipe_names
from memeloc.knowledge.extraction import knowledge_of, read_value
from memeloc.knowledge.questions import none_of_the_others, problems, question_form
from memeloc.knowledge.statements import KnowledgeAnswer
from memeloc.language_models.answers import read_form
from tests.each import each

ORDERS = {
    "m-quest": "textual visual scene background intent emotion community semiotic analogical "
    "toxicity",
    "m-quest-code": "intent textual visual scene background emotion analogical semiotic toxicity "
    "community",
}


HUMOUR = """
id = "humour"
name = "Humour"
class = "Humour"
definition = "What is funny."
extract = "State what is funny."
question = "What is funny in this meme?"
"""


def written(folder: Path, text: str) -> str:
    (folder / "humour.toml").write_text(HUMOUR)
    path = folder / "own.toml"
    path.write_text(text)
    return str(path)


def test_shipped_recipes_have_all_ten_dimensions_in_order() -> None:
    assert recipe_names() == ("m-quest", "m-quest-code")
    for name, order in ORDERS.items():
        recipe = read_recipe(name)
        assert list(recipe.by_id) == order.split()
        assert sorted(recipe.by_id) == list(dimension_names())
        assert recipe.link == "toxicity"


def test_m_quest_shows_all_earlier_and_its_code_what_it_prints() -> None:
    assert read_recipe("m-quest").contexts["scene"] == ("textual", "visual")
    contexts = read_recipe("m-quest-code").contexts
    assert contexts["intent"] == ()
    assert contexts["scene"] == ("intent", "visual")
    assert "emotion" not in contexts["semiotic"]
    assert "emotion" not in contexts["community"]
    assert len(contexts["toxicity"]) == 8


def test_a_team_may_add_a_dimension_in_a_file(tmp_path: Path) -> None:
    text = 'name = "tea"\norder = ["textual", "humour.toml"]\n[contexts]\nhumour = ["textual"]'
    recipe = read_recipe(written(tmp_path, text))
    assert recipe.contexts == {"textual": (), "humour": ("textual",)}
    assert recipe.sha256 != read_recipe("m-quest").sha256


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ('order = ["textual", "smell"]', "no dimension 'smell'"),
        ('order = ["textual", "textual"]', "textual stands in the order twice"),
        ('order = ["textual"]\nlink = "toxicity"', "link names 'toxicity'"),
        ('order = ["textual"]\n[contexts]\ntextual = ["smell"]', "name the dimension 'smell'"),
        (
            'order = ["scene", "visual"]\n[contexts]\nscene = ["visual"]',
            "put visual before it",
        ),
        (
            'order = ["scene", "visual"]\n[contexts]\nscene = ["visual"]\nvisual = ["scene"]',
            "in a circle: (scene is shown to visual is shown to scene|visual is shown to scene)",
        ),
        ('order = ["scene"]\n[contexts]\nscene = ["scene"]', "circle: scene is shown to scene"),
        ('order = ["humour.toml", "gone.toml"]', "gone.toml: cannot be read"),
    ],
)
def test_wrong_recipe_is_refused_with_a_sentence(tmp_path: Path, lines: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_recipe(written(tmp_path, f'name = "own"\n{lines}'))


GOOD = {
    "question": "What does the cat want?",
    "correct": "A warm place",
    "plausible": "A bowl of milk",
    "implausible": "A driving licence",
    "explanation": "It lies on the keyboard, which is warm.",
}


def read(language: str = "en", **changed: str) -> object:
    form = question_form(language, none_of_the_others(language))
    return read_form(form, json.dumps(GOOD | changed))


@each(
    ("changed", "sentence"),
    [
        ({"plausible": "ａ ＷＡＲＭ place!"}, "plausible is the same as correct"),
        ({"implausible": "none of the OTHERS."}, "the same as the fourth option"),
        ({"question": "Does the cat want a warm place?"}, "holds the right answer"),
        ({"plausible": "All of the above"}, "about the other options"),
        ({"plausible": "Both A and B"}, "about the other options"),
        ({"correct": "A) a warm place"}, "begins with a letter or number"),
        ({"correct": " "}, "correct: value error, it is empty"),
        ({"question": "What?\x00"}, "it holds a control character"),
        ({"implausible": "x" * 201}, "implausible has 201 characters"),
        ({"question": "x" * 201}, "the question has 201 characters"),
        ({"explanation": "x" * 1001}, "the explanation has more than 1000"),
    ],
)
def test_useless_question_is_sent_back(changed: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(**changed)


@each(
    ("language", "question", "options", "sentence"),
    [
        ("zh", "猫想要什么？", ["暖和的地方", "以上都是", "驾照"], "about the other options"),
        ("hi", "बिल्ली क्या चाहती है?", ["दूध", "दूध।", "उपरोक्त सभी"], "the same as correct"),
        ("ar", "ماذا تريد القطة؟", ["القطة", "الحليب", "رخصة"], "holds the right answer"),
        ("de", "Was tut sie?", ["Sie SCHLIEẞT auf", "sie schliesst auf", "x"], "same as correct"),
    ],
)
def test_options_are_compared_in_their_language(
    language: str, question: str, options: list[str], sentence: str
) -> None:
    none = none_of_the_others(language)
    assert any(sentence in each for each in problems(question, options, language, none))


def test_language_without_a_fourth_option_is_refused() -> None:
    with pytest.raises(InputError, match="give it by --none"):
        none_of_the_others("gd")


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
