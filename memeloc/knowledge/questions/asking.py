"""Having a model write questions. In: what was found in a meme, its picture. Out: `MemeQuestion`s.

A question is made of the statements of its dimension and those that they rest on; a dimension
without any gets its question of its definition and the picture (M-QUEST, Human Validation Task
Design).
"""

from __future__ import annotations

import json
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, create_model, model_validator

from memeloc.knowledge.answers import KnowledgeAnswer
from memeloc.knowledge.dimensions import Dimension, Recipe
from memeloc.knowledge.extraction.asking import quoted_caption
from memeloc.knowledge.extraction.forms import one_line
from memeloc.knowledge.questions.options import LONGEST_EXPLANATION, none_of_the_others, problems
from memeloc.knowledge.questions.question import MemeQuestion
from memeloc.knowledge.statements import MemeKnowledge, Statement
from memeloc.language_models import Question
from memeloc.language_models.answers import strict_schema
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.language_models.prompts import read_prompt
from memeloc.language_models.questions import content_hash

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


_MOST = 40
"""Statements that a model is shown."""
_EXPECTED = 120
"""Tokens of a usual answer."""
_ALWAYS = {"name", "definition", "form", "caption", "language", "none"}
_NEEDS = {"statements": {"statements", *_ALWAYS}, "picture": _ALWAYS}


class QuestionWriting:
    """How questions are asked for.

    Args:
        none: the fourth option; empty for “None of the others” in the questions' language.
    """

    def __init__(self, recipe: Recipe, none: str = "") -> None:
        self.recipe = recipe
        self.none = none
        self._prompt = read_prompt(files(__package__) / "prompt.toml", _NEEDS)

    @cached_property
    def sha256(self) -> str:
        """SHA-256, in hex, of all that is the same for every meme: texts, form, recipe."""
        form = strict_schema(QuestionForm)
        return content_hash([self._prompt.texts(), form, self.none, self.recipe.sha256])

    def fourth(self, language: str) -> str:
        """The fourth option in a language.

        Raises:
            InputError: there is no text of it.
        """
        return self.none or none_of_the_others(language)

    def question(
        self,
        item: MemeInput,
        dimension: Dimension,
        statements: tuple[Statement, ...],
        language: str,
        language_name: str,
    ) -> Question[QuestionForm]:
        """What is asked for the question about a dimension of a meme; see `made_of`.

        Args:
            language: of the question, a tag; `language_name`, as the model is given it.
        """
        none = self.fourth(language)
        found = [
            {"dimension": each.dimension, "text": each.text, "value": each.value}
            for each in statements
        ]
        values = {
            "name": dimension.name,
            "definition": dimension.definition,
            "form": dimension.question,
            "statements": "\n".join(json.dumps(each, ensure_ascii=False) for each in found),
            "caption": quoted_caption(item),
            "language": language_name,
            "none": json.dumps(none, ensure_ascii=False),
        }
        pictures = () if item.picture is None else (item.picture,)
        messages = self._prompt.fill("statements" if found else "picture", values, pictures)
        return Question(messages, question_form(language, none), expected=_EXPECTED)


def made_of(knowledge: MemeKnowledge, dimension: str) -> tuple[Statement, ...]:
    """The statements of a dimension, and those that they rest on behind them."""
    by_id = {each.id: each for each in knowledge.statements()}
    own = [each for each in by_id.values() if each.dimension == dimension]
    bases = [by_id[id] for each in own for id in each.rests_on if id in by_id]
    return tuple(dict.fromkeys([*own, *bases]))[:_MOST]


def question_of(answer: KnowledgeAnswer) -> MemeQuestion:
    """The question that an answer of the step `ask` is; its status is `answered`."""
    return MemeQuestion(
        meme=answer.item,
        version=answer.version,
        dimension=answer.dimension,
        language=answer.language,
        none=str(answer.settings["none"]),
        statements=tuple(answer.settings["statements"]),
        model=answer.model,
        content=answer.content,
        **{name: str(answer.value[name]) for name in QuestionForm.model_fields},
    )
