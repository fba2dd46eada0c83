"""What people judge of a meme."""

from __future__ import annotations

from memeloc.knowledge.benchmark import linked, others_stage, toxicity_stage
from memeloc.knowledge.statements import Statement
from tests.knowledge.questions.asked import knowledge, question

SEEN = Statement("visual-1", "visual", "A cat lies on a keyboard.")
TOXIC = Statement("toxicity-1", "toxicity", "It mocks people who work.", value="harmful")
LINKED = Statement("toxicity-2", "toxicity", "It mocks cats.", rests_on=("visual-1",))


def test_meme_has_up_to_six_judgements() -> None:
    questions = [question("a"), question("a", "visual", question="What lies there?", correct="Cat")]
    (meme,) = toxicity_stage(questions, {"a": knowledge("a", SEEN, TOXIC, LINKED)})
    assert meme.cells() == {
        "label": "What is the toxicity of a?",
        "toxicity-answer": "It sleeps",
        "toxicity-statement": "It mocks cats.",
        "linked-statement": "A cat lies on a keyboard.",
        "linked-question": "What lies there?",
        "linked-answer": "Cat",
    }


def test_meme_without_statements_is_asked_its_question_alone() -> None:
    (meme,) = toxicity_stage([question("a"), question("a", "visual")], {})
    assert [name for name, text in meme.cells().items() if text] == ["label", "toxicity-answer"]


def test_toxicity_that_rests_on_nothing_is_shown_alone() -> None:
    assert linked([SEEN, TOXIC]) == (TOXIC,)
    assert linked([SEEN]) == ()


def test_second_stage_has_two_questions_of_a_meme_a_survey() -> None:
    questions = [question("a", name) for name in ("scene", "visual", "intent")]
    first, second = others_stage([*questions, question("b", "scene")])
    assert [(each.meme, len(each.questions)) for each in first] == [("a", 2), ("b", 1)]
    assert [each.questions for each in second] == [(questions[2],)]
