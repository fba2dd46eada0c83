"""What a model answers that writes a question. In: a language. Out: a pydantic model."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model, field_validator, model_validator

from memeloc.knowledge.questions.options import LONGEST_EXPLANATION, problems


class QuestionForm(BaseModel):
    """A question with three options; the fourth is ours."""

    question: str = Field(description="the question, in one sentence")
    correct: str = Field(description="the right answer, short")
    plausible: str = Field(description="a wrong answer that somebody could take for the right one")
    implausible: str = Field(description="a wrong answer that nobody takes for the right one")
    explanation: str = Field(description="why the right answer is right, in one or two sentences")

    @field_validator("*", mode="after")
    @classmethod
    def _on_one_line(cls, text: str) -> str:
        """Without line breaks and control characters."""
        printable = "".join(letter if letter.isprintable() else " " for letter in text)
        return " ".join(printable.split())


@cache
def question_form(language: str, none: str) -> type[QuestionForm]:
    """The form of questions in a language, which refuses those that `problems` finds useless."""

    def check(form: Any) -> Any:
        options = (form.correct, form.plausible, form.implausible)
        wrong = list(problems(form.question, options, language, none))
        if not 0 < len(form.explanation) <= LONGEST_EXPLANATION:
            wrong.append(f"the explanation must have 1 to {LONGEST_EXPLANATION} characters")
        if wrong:
            raise ValueError("; ".join(wrong))
        return form

    validators: dict[str, Any] = {"useful": model_validator(mode="after")(check)}
    return create_model("Question", __base__=QuestionForm, __validators__=validators)
