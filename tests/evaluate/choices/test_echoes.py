"""What models write is read as a careful person would, also behind a repeated prompt."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from memeloc.evaluate import read_choice
from memeloc.evaluate.runs.prompts import read_prompts
from tests.each import each

LABELS = ("Hate", "Non-hate")


TEXTS = read_prompts("multi3hate", Path(), LABELS).of("en")


CHOICES = TEXTS.choices(0, LABELS)


HEAD = TEXTS.definition + TEXTS.wordings[0] + TEXTS.picture


CAPTION = "\nText in the meme: 'tea // again'"


WHOLE = HEAD + CAPTION + CHOICES.text


ASKS = TEXTS.wordings[2] + TEXTS.picture + CHOICES.text


STORED = {
    "whole": (WHOLE + "b", "Non-hate"),
    "in one line": (WHOLE.replace("\n", " ") + "b", "Non-hate"),
    "in capitals": (WHOLE.upper() + "B", "Non-hate"),
    "with the mark of a picture": (WHOLE.replace("Meme: ", "Meme: <image>") + "b", "Non-hate"),
    "lines of Windows": (WHOLE.replace("\n", "\r\n") + "b", "Non-hate"),
    "nothing behind it": (WHOLE, ""),
    "cut at its end": (HEAD[:150], ""),
    "cut at its beginning": (WHOLE[60:] + "b", "Non-hate"),
    "without its options": (HEAD + "\n\nb", "Non-hate"),
    "first part of a chat": (HEAD + "\nAssistant: a", "Hate"),
    "its options alone": (CHOICES.text + "\nb", "Non-hate"),
    "caption and options": (CAPTION + CHOICES.text + "The answer is a.", "Hate"),
    "twice": (WHOLE + WHOLE, ""),
    "again behind the answer": (WHOLE + "b\n\n" + WHOLE + "a", "Non-hate"),
    "a name behind it": (WHOLE + "a: Hate", "Hate"),
    "roles in words": ("USER: <image>\n" + WHOLE + " ASSISTANT: a", "Hate"),
}


@each("prompt", [WHOLE, ""], ids=["known", "unknown"])
@each("stored", STORED)
def test_reads_from_behind_the_prompt(stored: str, prompt: str) -> None:
    text, name = STORED[stored]
    choice = read_choice(text, CHOICES.options, prompt=prompt)
    assert choice.name == name, choice


@pytest.mark.parametrize("prompt", [ASKS, ""], ids=["known", "unknown"])
def test_a_repeated_question_may_be_answered_no(prompt: str) -> None:
    assert read_choice(ASKS + "No", CHOICES.options, prompt=prompt).rule == "yes or no"


def test_yes_is_no_answer_to_a_question_of_either_or() -> None:
    for wording in TEXTS.wordings[:2]:
        assert read_choice("Yes", CHOICES.options, prompt=wording + CHOICES.text).invalid


def test_a_refusal_behind_the_prompt_is_one() -> None:
    choice = read_choice(WHOLE + "I can't assist with that.", CHOICES.options, prompt=WHOLE)
    assert choice.invalid
    assert choice.refused


@each(
    ("answer", "explanation"),
    [
        ("b. It is about tea.", "It is about tea"),
        ("<think>Tea.</think>b", "Tea."),
        ('{"answer": "b", "reason": "It is about tea."}', "It is about tea."),
        ("b", ""),
    ],
)
def test_what_else_an_answer_says_is_kept(answer: str, explanation: str) -> None:
    assert read_choice(answer, CHOICES.options).explanation == explanation


def test_long_and_odd_answers_are_read() -> None:
    for text in ("a " * 50_000, "answer is " * 20_000, "(" * 50_000, "assistant\n" * 9_000):
        read_choice(text, CHOICES.options, prompt=WHOLE)
    read_choice("\ud800b", CHOICES.options)
    read_choice("b", [])


GROUPS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text(encoding="utf-8"))[
    "group"
]


@each("group", GROUPS, ids=[group["about"] for group in GROUPS])
def test_reads_as_a_careful_person(group: dict[str, Any]) -> None:
    options = [(marker, name) for marker, name in group["options"]]
    for answer, expected in group["answers"]:
        choice = read_choice(
            answer, options, language=group["language"], prompt=group.get("prompt", "")
        )
        seen = choice.name or ("refused" if choice.refused else "invalid")
        assert seen == expected, f"{answer!r} by {choice.rule}"
