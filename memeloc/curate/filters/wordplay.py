"""Wordplay. In: captions, people's answers about each. Out: verdicts, with hints for those to come.

Multi3Hate's appendix A.3.3: two fluent speakers classify each caption, and only what both call free
of wordplay is kept. People decide; lists and, where it is wanted, a model give hints, which stand
in the evidence and in the sheets that people get. A model's hint is given only for words that stand
in the caption: a model also sees what is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, Field

from memeloc.curate.filters.asking import AskingFilter, AskingSettings, no_answer
from memeloc.curate.hints import MOST, Hint, hint_line, in_words
from memeloc.curate.protocol import cache_key_of
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.language_models import Answer, Plan, Question
from memeloc.language_models.prompts import Prompt, read_prompt
from memeloc.model import SEPARATOR

_VERSION = "wordplay-3"


class WordplaySettings(AskingSettings):
    """The settings of the wordplay filter."""

    people: int = Field(2, ge=1, le=9, description="people who must call it free of wordplay")
    question: str = Field("wordplay", min_length=1, description="the question that they answer")
    disagreement: Literal["drop", "ask"] = Field(
        "drop", description="what becomes of a caption that some call wordplay and others not"
    )
    hints: bool = Field(True, description="whether lists of idioms and homophones give hints")
    model_hint: bool = Field(False, description="whether a language model gives hints, too")


class FoundWordplay(BaseModel):
    """A piece of wordplay that a model sees."""

    words: str = Field(description="the words, exactly as they stand in the text")
    why: str = Field("", description="one short sentence")


class Wordplay(BaseModel):
    """All that the model found."""

    found: list[FoundWordplay]


class WordplayFilter(AskingFilter[WordplaySettings, Wordplay]):
    """Keeps captions that people agree to be free of wordplay."""

    name = "wordplay"
    summary = "wordplay, by the answers of two people who must agree; lists give hints in English"
    kinds = ("caption",)
    Settings = WordplaySettings

    def cache_key(self, item: Item) -> str:
        """See `Filter.cache_key`: also people's answers, and the model where it gives hints."""
        model = self.model_key if self.settings.model_hint else []
        people = list(self.people(item.id).items())
        return cache_key_of(_VERSION, self.settings.model_dump(), model, item.parts, people)

    def without_model(self, item: Item) -> Verdict | None:
        """What people's answers come to; None where they wait for a model's hints."""
        if self._outcome(item)[0] != "ask":
            return self._verdict(item, {})
        return None if self.settings.model_hint else self._verdict(item, self._hints(item, []))

    def questions(self, item: Item) -> list[Question[Wordplay]]:
        """Where the caption has wordplay."""
        caption = SEPARATOR.join(part for part in item.parts if part.strip())
        values = {"language": item.language or "unknown", "caption": caption}
        return [Question(_prompt().fill("caption", values), Wordplay)]

    def with_answers(
        self, item: Item, answers: Sequence[Answer[Wordplay] | MemelocError]
    ) -> Verdict:
        """What people's answers come to, with the model's hints."""
        (answer,) = answers
        if isinstance(answer, MemelocError):
            return self._verdict(item, {**self._hints(item, []), **no_answer(answer)[1]})
        by_model = self._hints(item, _model_hints(item, answer.value))
        return self._verdict(item, {**by_model, "model": answer.model})

    def plan(self, items: Sequence[Item]) -> Plan | None:
        """See `AskingFilter.plan`; lists are not asked for their hints."""
        return super().plan(items) if self.settings.model_hint else None

    def _outcome(self, item: Item) -> tuple[Outcome, str]:
        """What people's answers come to: `no` is free of wordplay, `yes` is wordplay."""
        answers = [answer.casefold() for answer in self.people(item.id).values()]
        if "yes" in answers:
            if "no" in answers and self.settings.disagreement == "ask":
                return "ask", "people differ"
            return "drop", "wordplay"
        if any(answer != "no" for answer in answers):
            return "ask", "unsure"
        if len(answers) >= self.settings.people:
            return "keep", ""
        return "ask", "answers missing"

    def _hints(self, item: Item, by_model: Sequence[Hint]) -> dict[str, Any]:
        template = self.context.templates.get(item.parent)
        if not self.settings.hints:
            return {"hints": in_words(by_model)}
        return {"hints": hint_line(item, template, by_model)}

    def _verdict(self, item: Item, evidence: dict[str, Any]) -> Verdict:
        return self.verdict(
            item, *self._outcome(item), {"people": self.people(item.id), **evidence}
        )


@cache
def _prompt() -> Prompt:
    shipped = files("memeloc.curate") / "prompts" / "wordplay.toml"
    return read_prompt(shipped, {"caption": {"language", "caption"}})


def _model_hints(item: Item, answer: Wordplay) -> list[Hint]:
    """Return the hints of an answer, those that name words of the caption."""
    text = _plain(" ".join(item.parts))
    hints = [
        Hint("model", f'"{piece.words.strip()[:100]}": {piece.why.strip()[:200]}')
        for piece in answer.found
        if _plain(piece.words) and _plain(piece.words) in text
    ]
    return list(dict.fromkeys(hints))[:MOST]


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").replace(SEPARATOR.strip(), " ").split())
