"""What options may be, and the fourth option in each language."""

from __future__ import annotations

import json

import pytest

from memeloc.errors import InputError
from memeloc.knowledge.questions import none_of_the_others, problems, question_form
from memeloc.language_models.answers import read_form
from tests.each import each

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
