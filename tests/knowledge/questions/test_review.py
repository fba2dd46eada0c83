"""What a set of questions gives away."""

from __future__ import annotations

import pytest

from memeloc.knowledge.questions.review import review
from tests.knowledge.questions.asked import question


def test_set_whose_right_option_is_longest_is_reported() -> None:
    questions = [question(f"m{n}", correct="A long answer about the cat and its keyboard, at night")
                 for n in range(40)]  # fmt: skip
    section = review(questions, {}, seed=1)
    assert section.figures["rules"]["longest option"] == 1.0
    rules = section.tables[0].frame.set_index("chosen by")
    assert rules.loc["longest option", "low"] == pytest.approx(0.9124, abs=1e-4)
    assert "most words of the caption" not in rules.index
    assert section.figures["noted"] == 40


def test_words_shared_with_question_and_text() -> None:
    asked = question("a", question="Who sits at the red desk?", correct="The red cat",
                     plausible="A dog", implausible="A train")  # fmt: skip
    section = review([asked], {"a": "me // and my red cat"})
    frame = section.tables[2].frame.set_index("option")
    assert frame.loc["correct", "with the question"] == pytest.approx(2 / 3)
    assert frame.loc["correct", "with the caption"] == pytest.approx(2 / 3)
    assert section.figures["rules"]["most words of the question"] == 1.0
    (noted,) = section.tables[4].frame["noted"]
    assert "only the right option has words of the caption" in noted


def test_doubled_questions_are_noted() -> None:
    same = {"question": "What is the joke?"}
    questions = [question("a", **same), question("b", question="what is the joke"),
                 question("c", correct="It drinks", **same)]  # fmt: skip
    frame = review(questions, {}).tables[4].frame
    assert frame["item"].tolist() == ["a/toxicity", "b/toxicity"]
