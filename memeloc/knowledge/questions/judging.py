"""People's judgements. In: questions, statements, answers of surveys. Out: `JudgedMeme`s, `Judged`.

Two questions of a meme are judged at a time (M-QUEST, Figure 7), each with its right answer, and in
the toxicity stage the statements that they rest on. Only YES counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memeloc.knowledge.questions.question import MemeQuestion
from memeloc.knowledge.statements import MemeKnowledge, Statement

TOXICITY = "toxicity"
"""The dimension that the first stage is about."""
COLUMNS = (
    "label", "toxicity-answer", "toxicity-statement", "linked-statement", "linked-question",
    "linked-answer",
)  # fmt: skip
"""What is judged of a meme: the questions of the taxonomy m-quest-validation, by id."""
PLACES = (("label", "toxicity-answer"), ("linked-question", "linked-answer"))
"""The columns of the first and second question, and of their right answers."""
STATEMENTS = ("toxicity-statement", "linked-statement")
YES = "yes"


@dataclass(frozen=True, slots=True)
class JudgedMeme:
    """What is judged of one meme: one or two questions, and the statements of the first stage."""

    meme: str
    questions: tuple[MemeQuestion, ...]
    statements: tuple[Statement, ...] = ()

    def cells(self) -> dict[str, str]:
        """The texts by column, empty where nothing is asked."""
        cells = dict.fromkeys(COLUMNS, "")
        for (question, answer), each in zip(PLACES, self.questions, strict=False):
            cells |= {question: each.question, answer: each.correct}
        for column, statement in zip(STATEMENTS, self.statements, strict=False):
            cells[column] = statement.text
        return cells


def toxicity_stage(
    questions: Iterable[MemeQuestion], knowledge: Mapping[str, MemeKnowledge]
) -> list[JudgedMeme]:
    """The first stage: of each meme its toxicity, and the element that it rests on.

    Args:
        questions: of all dimensions.
        knowledge: by meme what was extracted.
    """
    by_id = {each.id: each for each in questions}
    memes = []
    for question in by_id.values():
        if question.dimension != TOXICITY:
            continue
        meme = question.meme
        statements = list(knowledge[meme].statements()) if meme in knowledge else []
        shown = linked(statements)
        second = by_id.get(f"{meme}/{shown[1].dimension}") if len(shown) > 1 else None
        memes.append(JudgedMeme(meme, (question, *([second] if second else [])), shown))
    return memes


def linked(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The toxicity statement that people judge, and the one it rests on, where there are any.

    It is the first that rests on another; where none does, the first.
    """
    by_id = {each.id: each for each in statements}
    own = [each for each in statements if each.dimension == TOXICITY]
    for each in own:
        for id in each.rests_on:
            if id in by_id and by_id[id].dimension != TOXICITY:
                return each, by_id[id]
    return tuple(own[:1])


def others_stage(questions: Iterable[MemeQuestion]) -> list[list[JudgedMeme]]:
    """The second stage: two questions of a meme at a time, a list a survey."""
    by_meme: dict[str, list[MemeQuestion]] = {}
    for each in questions:
        by_meme.setdefault(each.meme, []).append(each)
    surveys: list[list[JudgedMeme]] = []
    for meme, those in by_meme.items():
        for place in range(0, len(those), len(PLACES)):
            number = place // len(PLACES)
            if number == len(surveys):
                surveys.append([])
            surveys[number].append(JudgedMeme(meme, tuple(those[place : place + len(PLACES)])))
    return surveys


@dataclass(frozen=True, slots=True)
class Judged:
    """What people settled on about a question and its right answer; empty where it is open."""

    question: str
    answer: str

    @property
    def is_positive(self) -> bool:
        """Whether the question is kept: both are a YES (M-QUEST, Manual Data Validation)."""
        return self.question == self.answer == YES

    @property
    def is_open(self) -> bool:
        """Whether it is not settled yet whether the question is kept."""
        return not self.question or (self.question == YES and not self.answer)
