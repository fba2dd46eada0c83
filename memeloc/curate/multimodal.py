"""Multimodality. In: captions, two people's descriptions of each template, a model. Out: verdicts.

Multi3Hate's appendix A.3.2: a model is asked whether the caption alone is hateful, and whether it
is so together with each person's description of the picture. Multimodal is what is hateful with
every description and not alone: there, picture and text make the meaning together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BaseModel, Field

from memeloc.curate.asking import ask_items, model_name, model_of, no_answer, plan_items
from memeloc.curate.protocol import FilterContext, FilterSettings, cache_key_of, read_settings
from memeloc.curate.verdict import Verdict
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.language_models import Answer, ModelForm, Plan, Question
from memeloc.language_models.prompts import read_prompt
from memeloc.model import SEPARATOR

_NEEDS = {"caption": {"caption"}, "described": {"caption", "description"}}
_VERSION = "multimodality-1"


class MultimodalSettings(FilterSettings):
    """What the multimodality filter can be told."""

    descriptions: Annotated[
        int, Field(ge=1, le=9, description="people who must have described the template")
    ] = 2
    question: Annotated[
        str, Field(min_length=1, description="the question that their descriptions answer")
    ] = "description"
    prompt: Annotated[
        str, Field(description="a TOML file with other texts to ask; empty: memeloc's own")
    ] = ""


class Vote(BaseModel):
    """What the model says of one text."""

    why: Annotated[str, Field(description="one short sentence")] = ""
    hateful: bool


class MultimodalFilter:
    """Keeps captions that are hateful with the picture and not without."""

    name = "multimodality"
    summary = "hateful with each description of the picture, and not as text alone (by a model)"
    kinds = ("caption",)
    Settings = MultimodalSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        self._settings = read_settings(MultimodalSettings, settings, self.name)
        self._context = context
        shipped = files("memeloc.curate") / "prompts" / "multimodality.toml"
        self._prompt = read_prompt(self._settings.prompt or shipped, _NEEDS)
        self._form = ModelForm(Vote)

    def cache_key(self, item: Item) -> str:
        """See `Filter.cache_key`: also the model, the prompts and the descriptions."""
        return cache_key_of(
            self._key_parts, model_name(self._context), item.parts, self._descriptions(item.parent)
        )

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter.judge`. Captions whose template too few people described are `ask`."""
        ready: list[Item] = []
        for item in items:
            if wanting := self._wanting(item):
                yield wanting
            else:
                ready.append(item)
        if not ready:
            return
        model = model_of(self._context, self.name)
        for item, answers in ask_items(model, ready, self._questions):
            yield self._verdict(item, answers)

    def plan(self, items: Sequence[Item]) -> Plan | None:
        """What judging would ask and cost; nothing is asked. None when nothing is ready for it."""
        ready = [item for item in items if self._wanting(item) is None]
        if not ready:
            return None
        return plan_items(model_of(self._context, self.name), ready, self._questions)

    @cached_property
    def _key_parts(self) -> list[Any]:
        return [_VERSION, self._settings.model_dump(exclude={"prompt"}), self._prompt.texts()]

    @cached_property
    def _described(self) -> Mapping[str, Mapping[str, str]]:
        """Every description, by template and person; the newest a person."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for said in self._context.judgements(self._settings.question):
            found[said.subject][said.person] = said.answer.strip()
        return found

    def _descriptions(self, template: str) -> list[tuple[str, str]]:
        """Person and description, by person."""
        described = self._described.get(template, {})
        return sorted((person, text) for person, text in described.items() if text)

    def _wanting(self, item: Item) -> Verdict | None:
        """A verdict that needs no model: something is missing to ask it."""
        if not any(part.strip() for part in item.parts):
            return Verdict(item.id, self.name, "ask", None, "no text", {}, self.cache_key(item))
        there = self._descriptions(item.parent)
        if len(there) >= self._settings.descriptions:
            return None
        evidence = {
            "template": item.parent,
            "described by": [person for person, _ in there],
            "needed": self._settings.descriptions,
        }
        reason = "descriptions missing"
        return Verdict(item.id, self.name, "ask", None, reason, evidence, self.cache_key(item))

    def _questions(self, item: Item) -> list[Question[Vote]]:
        """The caption alone, then with each description."""
        caption = SEPARATOR.join(part for part in item.parts if part.strip())
        asked = [self._prompt.fill("caption", {"caption": caption})]
        asked += [
            self._prompt.fill("described", {"caption": caption, "description": text})
            for _, text in self._descriptions(item.parent)
        ]
        return [Question(messages, self._form) for messages in asked]

    def _verdict(self, item: Item, answers: Sequence[Answer[Vote] | MemelocError]) -> Verdict:
        about: list[dict[str, Any]] = [{"asked": "caption"}]
        about += [
            {"asked": "caption and description", "person": person, "description": text}
            for person, text in self._descriptions(item.parent)
        ]
        votes: list[dict[str, Any]] = []
        models: set[str] = set()
        errors: list[MemelocError] = []
        for asked, answer in zip(about, answers, strict=True):
            if isinstance(answer, MemelocError):
                errors.append(answer)
                votes.append({**asked, "error": str(answer)[:500]})
                continue
            models.add(answer.model)
            said = {"hateful": answer.value.hateful, "why": answer.value.why[:300]}
            votes.append({**asked, **said, "attempts": answer.attempts})
        evidence: dict[str, Any] = {
            "model": ", ".join(sorted(models)) or model_of(self._context, self.name).settings.model,
            "prompts": self._prompt.texts(),
            "votes": votes,
        }
        cache_key = self.cache_key(item)
        if errors:
            reason, more = no_answer(errors)
            evidence.update(more)
            return Verdict(item.id, self.name, "ask", None, reason, evidence, cache_key)
        alone, *described = (vote["hateful"] for vote in votes)
        score = sum(described) / len(described)
        if alone:
            reason = "hateful by its text alone"
        elif not any(described):
            reason = "not hateful"
        elif not all(described):
            reason = "not hateful with every description"
        else:
            return Verdict(item.id, self.name, "keep", score, "", evidence, cache_key)
        return Verdict(item.id, self.name, "drop", score, reason, evidence, cache_key)
