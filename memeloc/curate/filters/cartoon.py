"""Cartoons. In: templates and pictures, people's answers, a model that sees. Out: verdicts.

HarMeme's fourth reason to reject a meme (appendix B.3). What people answered comes first; a model
looks only at what nobody has judged, and at a small copy of it, sent within the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, Field

from memeloc.curate.filters.asking import AskingFilter, AskingSettings, no_answer
from memeloc.curate.protocol import FilterContext, cache_key_of
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.language_models import Answer, Question
from memeloc.language_models.pictures import picture_of
from memeloc.language_models.prompts import read_prompt

_VERSION = "cartoon-1"


class CartoonSettings(AskingSettings):
    """The settings of the cartoon filter."""

    people: int = Field(1, ge=1, le=9, description="people who must say no for a picture to stay")
    question: str = Field("cartoon", min_length=1, description="the question that they answer")
    part: Literal["drop", "keep", "ask"] = Field(
        "drop", description="what becomes of a picture that is a cartoon in part"
    )
    longest_side: int = Field(
        512, ge=64, le=2048, description="pixels of the copy that a model sees"
    )
    prompt: str = Field("", description="a TOML file with other texts to ask; empty: memeloc's own")


class Look(BaseModel):
    """What the model sees."""

    shows: str = Field("", description="what the picture shows, in a few words")
    cartoon: Literal["no", "part", "whole"]


class CartoonFilter(AskingFilter[CartoonSettings, Look]):
    """Drops cartoons, by people's answers or by a model that looks."""

    name = "cartoon"
    summary = "cartoons, by people's answers or by a model that looks at the picture"
    kinds = ("template", "picture")
    Settings = CartoonSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        shipped = files("memeloc.curate") / "prompts" / "cartoon.toml"
        self._prompt = read_prompt(self.settings.prompt or shipped, {"look": set()})
        self._form = Look

    def cache_key(self, item: Item) -> str:
        """See `Filter.cache_key`: also the model, the prompt and people's answers."""
        people = list(self.people(item.id).items())
        return cache_key_of(self._key_parts, self.model_key, item.picture, people)

    @cached_property
    def _key_parts(self) -> list[Any]:
        return [_VERSION, self.settings.model_dump(exclude={"prompt"}), self._prompt.texts()]

    def without_model(self, item: Item) -> Verdict | None:
        """What people's answers come to; None while they are too few and a model may look."""
        people = self.people(item.id)
        answers = {answer.casefold() for answer in people.values()}
        if answers == {"yes"}:
            return self.verdict(item, "drop", "cartoon", {"people": people})
        if answers == {"no"} and len(people) >= self.settings.people:
            return self.verdict(item, "keep", "", {"people": people})
        if answers - {"no"}:
            reason = "people differ" if len(people) > 1 else "unsure"
            return self.verdict(item, "ask", reason, {"people": people})
        if not item.picture or item.path is None:
            return self.verdict(item, "ask", "no picture")
        if self.context.model is None:
            return self.verdict(item, "ask", "nobody looked", {"people": self.settings.people})
        return None

    def questions(self, item: Item) -> list[Question[Look]]:
        """What the picture is, with a small copy of it."""
        assert item.path is not None
        picture = picture_of(item.path, self.settings.longest_side, sha256=item.picture)
        return [Question(self._prompt.fill("look", {}, (picture,)), self._form)]

    def with_answers(self, item: Item, answers: Sequence[Answer[Look] | MemelocError]) -> Verdict:
        """What the model's answer comes to."""
        (answer,) = answers
        asked = {"prompts": self._prompt.texts(), "longest side": self.settings.longest_side}
        if isinstance(answer, MemelocError):
            reason, error = no_answer(answer)
            return self.verdict(item, "ask", reason, {**error, **asked})
        look = answer.value
        evidence = {
            "model": answer.model,
            "cartoon": look.cartoon,
            "shows": look.shows[:300],
            "attempts": answer.attempts,
            **asked,
        }
        outcomes: dict[str, Outcome] = {"no": "keep", "part": self.settings.part, "whole": "drop"}
        outcome = outcomes[look.cartoon]
        reason = "cartoon" if look.cartoon == "whole" else "cartoon in part"
        return self.verdict(item, outcome, "" if outcome == "keep" else reason, evidence)
