"""Questions about memes, that a model writes. In: what was found in a meme. Out: `MemeQuestion`s.

A question is made of the statements of its dimension and those that they rest on; a dimension
without any gets its question of its definition and the picture (M-QUEST, Human Validation Task
Design). What makes one useless is found at once and sent back: options that are the same, an
answer that stands in the question, "all of the above".
"""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, create_model, model_validator

from memeloc.errors import InputError
from memeloc.knowledge.dimensions import Dimension, Recipe
from memeloc.knowledge.extraction import NOT_ASKED, one_line, pictures_of, quoted_caption
from memeloc.knowledge.statements import KnowledgeAnswer, MemeKnowledge, Statement
from memeloc.language_models import Question
from memeloc.language_models.answers import strict_schema
from memeloc.language_models.passes import AskedMeme, Pass
from memeloc.language_models.prompts import MemeInput, read_prompt
from memeloc.language_models.questions import content_hash
from memeloc.locales.words import plain_words
from memeloc.settings import parse_toml

LONGEST = 200
"""Characters of a question and of an option at the most."""
LONGEST_EXPLANATION = 1000  # characters: a paragraph

_MARKED = re.compile(r"^\(?[A-Da-d1-4][.):]\s")
"""An option with a letter or number of its own in front."""
_WRITTEN = ("correct", "plausible", "implausible")
_MOST = 40
"""Statements that a model is shown."""
_EXPECTED = 120
"""Tokens of a usual answer."""
_ALWAYS = {"name", "definition", "form", "caption", "language", "none"}
_NEEDS = {"statements": {"statements", *_ALWAYS}, "picture": _ALWAYS}


@dataclass(frozen=True, slots=True)
class MemeQuestion:
    """A question that tests whether a model understands a dimension of a meme.

    Attributes:
        meme: id of the meme or collected item.
        version: language of the meme's version, a tag; empty if not known.
        dimension: the dimension's id.
        language: of the question and its options, a tag.
        correct, plausible, implausible, none: the options by what they are.
        explanation: why the right one is right.
        statements: ids of the statements that it was made of; empty where it was made of the
            definition and the picture, for the dimension has none.
        model: that made it.
        content: SHA-256 of what the model was given of the meme.
    """

    meme: str
    version: str
    dimension: str
    language: str
    question: str
    correct: str
    plausible: str
    implausible: str
    none: str
    explanation: str
    statements: tuple[str, ...] = ()
    model: str = ""
    content: str = ""

    @property
    def id(self) -> str:
        return f"{self.meme}/{self.dimension}"

    def options(self, seed: int) -> tuple[str, ...]:
        """Return all four, in an order that depends on seed, meme and dimension alone."""
        options = [self.correct, self.plausible, self.implausible, self.none]
        random.Random(f"{seed} {self.version} {self.id}").shuffle(options)
        return tuple(options)


def none_of_the_others(language: str) -> str:
    """Return the fourth option in a language; raise InputError if there is no text of it, though
    `MemeQuestion.none` may be any other.

    >>> none_of_the_others("en"), none_of_the_others("de-AT")
    ('None of the others', 'Keine der anderen')
    """
    texts = _texts(language)
    if not texts:
        raise InputError(
            f"There is no text for “None of the others” in {language[:40]!r}; give it by --none. "
            f"There are {', '.join(_shipped())}."
        )
    return str(texts["none"])


def _texts(language: str) -> dict[str, Any]:
    shipped = _shipped()
    return shipped.get(language) or shipped.get(language.partition("-")[0].lower()) or {}


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    return parse_toml((files(__package__) / "question_options.toml").read_text("utf-8"))


def problems(question: str, options: Sequence[str], language: str, none: str) -> Iterator[str]:
    """Return what is wrong with a question, in sentences that a model understands.

    Args:
        options: the right one first, without the fourth.
        language: of all of them, a tag.
        none: the fourth option.
    """

    def words_of(text: str) -> tuple[str, ...]:
        """Return words without case, width and punctuation; of a text without any, itself."""
        return tuple(plain_words(text, language)) or (unicodedata.normalize("NFKC", text).strip(),)

    def holds(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
        places = range(len(words) - len(part) + 1)
        return any(part) and any(words[at : at + len(part)] == part for at in places)

    words = {name: words_of(text) for name, text in zip(_WRITTEN, options, strict=True)}
    for name, text in zip(("the question", *_WRITTEN), (question, *options), strict=True):
        if not text or len(text) > LONGEST:
            yield f"{name} has {len(text)} characters; it must have 1 to {LONGEST}"
    seen = {words_of(none): f"the fourth option, {none!r}, which is added to yours"}
    for name in _WRITTEN:
        if words[name] in seen:
            yield f"{name} is the same as {seen[words[name]]}; all options must differ"
        seen.setdefault(words[name], name)
    if holds(words_of(question), words["correct"]):
        yield "the question holds the right answer; ask without giving it away"
    # Phrases about other options, in the questions' language and in English.
    phrases = (*_texts(language).get("about_others", ()), *_texts("en")["about_others"])
    for name, option in zip(_WRITTEN, options, strict=True):
        if any(holds(words[name], words_of(each)) for each in phrases):
            yield f"{name} is about the other options ({option[:60]!r}); name something instead"
        if _MARKED.match(option):
            yield f"{name} begins with a letter or number; leave it out"


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
    """Return the form of questions in a language, which refuses what `problems` finds."""

    def check(form: Any) -> Any:
        options = [getattr(form, name) for name in _WRITTEN]
        wrong = list(problems(form.question, options, language, none))
        if len(form.explanation) > LONGEST_EXPLANATION:
            wrong.append(f"the explanation has more than {LONGEST_EXPLANATION} characters")
        if wrong:
            raise ValueError("; ".join(wrong))
        return form

    validators: dict[str, Any] = {"useful": model_validator(mode="after")(check)}
    return create_model("Question", __base__=QuestionForm, __validators__=validators)


class QuestionWriting:
    """Requests for questions.

    Args:
        none: the fourth option; empty for “None of the others” in the questions' language.
    """

    def __init__(self, recipe: Recipe, none: str = "") -> None:
        self.recipe = recipe
        self.none = none
        self._prompt = read_prompt(files(__package__) / "prompts" / "questions.toml", _NEEDS)

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of all that is the same for every meme: texts, form, recipe."""
        form = strict_schema(QuestionForm)
        return content_hash([self._prompt.texts(), form, self.none, self.recipe.sha256])

    def fourth(self, language: str) -> str:
        """Return the fourth option in a language; raise InputError if there is no text of it."""
        return self.none or none_of_the_others(language)

    def question(
        self,
        item: MemeInput,
        dimension: Dimension,
        statements: tuple[Statement, ...],
        language: str,
        language_name: str,
    ) -> Question[QuestionForm]:
        """Return what is asked for the question about a dimension of a meme; see `made_of`.

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
        ask = "statements" if found else "picture"
        messages = self._prompt.fill(ask, values, pictures_of(item))
        return Question(messages, question_form(language, none), expected=_EXPECTED)

    def passes(
        self,
        knowledge: Iterable[MemeKnowledge],
        model: str,
        language_name: Callable[[str], str],
    ) -> list[Pass]:
        """Return a pass for the question about each dimension of what a model extracted;
        `language_name` gives a language as the model is given it."""
        extracted = {(each.meme, each.version, each.language): each for each in knowledge}
        prompt = content_hash([self.sha256, model])

        def statements(meme: AskedMeme, dimension: str) -> tuple[Statement, ...] | None:
            """Return what a question is made of; None where it was not extracted yet."""
            found = extracted.get((meme.input.id, meme.input.version, meme.language))
            if found is None or found.content != meme.input.content:
                return None
            asked = [each.dimension for each in found.dimensions if each.reason != NOT_ASKED]
            return made_of(found, dimension) if dimension in asked else None

        def ask(dimension: str) -> Pass:
            def question(meme: AskedMeme) -> Question[Any] | None:
                made = statements(meme, dimension)
                if made is None:
                    return None
                name, about = language_name(meme.language), self.recipe.by_id[dimension]
                return self.question(meme.input, about, made, meme.language, name)

            def about(meme: AskedMeme) -> Mapping[str, Any]:
                ids = [each.id for each in statements(meme, dimension) or ()]
                return {"statements": ids, "none": self.fourth(meme.language), "of": model}

            return Pass(("ask", dimension), prompt, question, about=about, name=dimension)

        return [ask(each.id) for each in self.recipe.dimensions]


def made_of(knowledge: MemeKnowledge, dimension: str) -> tuple[Statement, ...]:
    """Return the statements of a dimension, and those that they rest on behind them."""
    by_id = {each.id: each for each in knowledge.statements()}
    of_dimension = [each for each in by_id.values() if each.dimension == dimension]
    bases = [by_id[id] for each in of_dimension for id in each.rests_on if id in by_id]
    return tuple(dict.fromkeys([*of_dimension, *bases]))[:_MOST]


def question_of(answer: KnowledgeAnswer) -> MemeQuestion:
    """Return the question that an answer of the step `ask` is; its status is `answered`."""
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
