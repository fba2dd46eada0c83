"""What a set of questions gives away."""

from __future__ import annotations

import pytest

from memeloc.knowledge.validity import review
from memeloc.reports.figures import value_of, wide
from tests.knowledge.questions.asked import question


def test_set_whose_right_option_is_longest_is_reported() -> None:
    questions = [question(f"m{n}", correct="A long answer about the cat and its keyboard, at night")
                 for n in range(40)]  # fmt: skip
    figures = review(questions, {}, seed=1)
    rules = wide(figures, "question-rules").set_index("item")
    longest = rules.loc["longest option", ["share", "share_low"]]
    assert longest.tolist() == pytest.approx([1, 0.9124], abs=1e-4)
    assert "most words of the caption" not in rules.index
    assert value_of(figures, "questions", "noted") == 40


def test_words_shared_with_question_and_text() -> None:
    asked = question("a", question="Who sits at the red desk?", correct="The red cat",
                     plausible="A dog", implausible="A train")  # fmt: skip
    figures = review([asked], {"a": "me // and my red cat"})
    shared = wide(figures, "question-options").set_index("item").loc["correct"]
    assert shared[["words_of_question", "words_of_caption"]].tolist() == pytest.approx([2 / 3] * 2)
    assert value_of(figures, "question-rules", "share", item="most words of the question") == 1
    assert wide(figures, "questions-noted")["alone_has_words_of_caption"].tolist() == [1]


def test_doubled_questions_are_noted() -> None:
    same = {"question": "What is the joke?"}
    questions = [question("a", **same), question("b", question="what is the joke"),
                 question("c", correct="It drinks", **same)]  # fmt: skip
    frame = wide(review(questions, {}), "questions-noted")
    assert frame["item"].str.partition(":")[0].tolist() == ["a/toxicity", "b/toxicity"]
    assert frame["same_questions"].tolist() == [2, 2]
