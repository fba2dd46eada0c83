"""Multimodality. In: captions, two people's descriptions of each template, a model. Out: verdicts.

Multi3Hate's appendix A.3.2: a model is asked whether the caption alone is hateful, and whether it
is so together with each person's description of the picture. Multimodal is what is hateful with
every description and not alone: there, picture and text make the meaning together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, Field

from memeloc.curate.filters.asking import AskingFilter, AskingSettings, no_answer
from memeloc.curate.protocol import FilterContext, cache_key_of
from memeloc.curate.verdict import Verdict
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.language_models import Answer, Question
from memeloc.language_models.prompts import read_prompt
from memeloc.model import SEPARATOR

_NEEDS = {"caption": {"caption"}, "described": {"caption", "description"}}
_VERSION = "multimodality-1"


class MultimodalSettings(AskingSettings):
    """The settings of the multimodality filter."""

    descriptions: int = Field(2, ge=1, le=9, description="people who must describe the template")
    question: str = Field("description", min_length=1, description="what their descriptions answer")
    prompt: str = Field("", description="a TOML file with other texts to ask; empty: memeloc's own")


class Vote(BaseModel):
    """What the model says of one text."""

    why: str = Field("", description="one short sentence")
    hateful: bool


class MultimodalFilter(AskingFilter[MultimodalSettings, Vote]):
    """Keeps captions that are hateful with the picture and not without."""

    name = "multimodality"
    summary = "hateful with each description of the picture, and not as text alone (by a model)"
    kinds = ("caption",)
    Settings = MultimodalSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        shipped = files("memeloc.curate") / "prompts" / "multimodality.toml"
        self._prompt = read_prompt(self.settings.prompt or shipped, _NEEDS)
        self._form = Vote

    def cache_key(self, item: Item) -> str:
        """See `Filter.cache_key`: also the model, the prompts and the descriptions."""
        descriptions = list(self.people(item.parent).items())
        return cache_key_of(self._key_parts, self.model_key, item.parts, descriptions)

    @cached_property
    def _key_parts(self) -> list[Any]:
        return [_VERSION, self.settings.model_dump(exclude={"prompt"}), self._prompt.texts()]

    def without_model(self, item: Item) -> Verdict | None:
        """`ask` for a caption without text, or whose template too few people described."""
        if not any(part.strip() for part in item.parts):
            return self.verdict(item, "ask", "no text")
        people = list(self.people(item.parent))
        if len(people) >= self.settings.descriptions:
            return None
        needed = self.settings.descriptions
        evidence = {"template": item.parent, "described by": people, "needed": needed}
        return self.verdict(item, "ask", "descriptions missing", evidence)

    def questions(self, item: Item) -> list[Question[Vote]]:
        """Whether the caption is hateful alone, then with each description."""
        caption = SEPARATOR.join(part for part in item.parts if part.strip())
        messages = [self._prompt.fill("caption", {"caption": caption})]
        for text in self.people(item.parent).values():
            values = {"caption": caption, "description": text}
            messages.append(self._prompt.fill("described", values))
        return [Question(message, self._form) for message in messages]

    def with_answers(self, item: Item, answers: Sequence[Answer[Vote] | MemelocError]) -> Verdict:
        """What the answers come to; `ask` when one is missing."""
        votes: list[dict[str, Any]] = [{"asked": "caption"}]
        for person, text in self.people(item.parent).items():
            about = {"asked": "caption and description", "person": person, "description": text}
            votes.append(about)
        models: set[str] = set()
        errors: list[MemelocError] = []
        for vote, answer in zip(votes, answers, strict=True):
            if isinstance(answer, MemelocError):
                errors.append(answer)
                vote["error"] = str(answer)[:500]
                continue
            models.add(answer.model)
            vote |= {"hateful": answer.value.hateful, "why": answer.value.why[:300]}
            vote["attempts"] = answer.attempts
        evidence: dict[str, Any] = {
            "model": ", ".join(sorted(models)) or self.model.settings.model,
            "prompts": self._prompt.texts(),
            "votes": votes,
        }
        if errors:
            reason, error = no_answer(errors[0])
            return self.verdict(item, "ask", reason, {**evidence, **error})
        alone, *described = (vote["hateful"] for vote in votes)
        score = sum(described) / len(described)
        if alone:
            reason = "hateful by its text alone"
        elif not any(described):
            reason = "not hateful"
        elif not all(described):
            reason = "not hateful with every description"
        else:
            return self.verdict(item, "keep", "", evidence, score)
        return self.verdict(item, "drop", reason, evidence, score)
