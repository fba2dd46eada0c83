"""What a model answers that writes a question. In: a language. Out: a pydantic model."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, create_model, model_validator

from memeloc.knowledge.extraction.forms import one_line
from memeloc.knowledge.questions.options import LONGEST_EXPLANATION, problems

_Text = Annotated[str, AfterValidator(one_line)]


class QuestionForm(BaseModel):
    """A question with three options; the fourth is ours."""

    question: _Text = Field(description="the question, in one sentence")
    correct: _Text = Field(description="the right answer, short")
    plausible: _Text = Field(description="a wrong answer that somebody could give")
    implausible: _Text = Field(description="a wrong answer that hardly anybody would give")
    explanation: _Text = Field(description="why the right answer is right, in one or two sentences")


@cache
def question_form(language: str, none: str) -> type[QuestionForm]:
    """The form of questions in a language, which refuses those that `problems` finds useless."""

    def check(form: Any) -> Any:
        options = (form.correct, form.plausible, form.implausible)
        wrong = list(problems(form.question, options, language, none))
        if len(form.explanation) > LONGEST_EXPLANATION:
            wrong.append(f"the explanation has more than {LONGEST_EXPLANATION} characters")
        if wrong:
            raise ValueError("; ".join(wrong))
        return form

    validators: dict[str, Any] = {"useful": model_validator(mode="after")(check)}
    return create_model("Question", __base__=QuestionForm, __validators__=validators)
