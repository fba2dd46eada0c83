"""Multimodality. In: captions, two people's descriptions of each template, a model. Out: verdicts.

Multi3Hate's appendix A.3.2: a model is asked whether the caption alone is hateful, and whether it
is so together with each person's description of the picture. Multimodal is what is hateful with
every description and not alone: there, picture and text make the meaning together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BaseModel, Field

from memeloc.curate.filters.asking import ask_items, model_name, model_of, no_answer, plan_items
from memeloc.curate.protocol import FilterContext, FilterSettings, SettingsFilter, cache_key_of
from memeloc.curate.review.questions import by_subject
from memeloc.curate.verdict import Verdict
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.language_models import Answer, ModelForm, Plan, Question
from memeloc.language_models.prompts import read_prompt
from memeloc.model import SEPARATOR

_NEEDS = {"caption": {"caption"}, "described": {"caption", "description"}}
_VERSION = "multimodality-1"


class MultimodalSettings(FilterSettings):
    """The settings of the multimodality filter."""

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


class MultimodalFilter(SettingsFilter[MultimodalSettings]):
    """Keeps captions that are hateful with the picture and not without."""

    name = "multimodality"
    summary = "hateful with each description of the picture, and not as text alone (by a model)"
    kinds = ("caption",)
    Settings = MultimodalSettings

    def __init__(self, settings: Mapping[str, Any], context: FilterContext) -> None:
        super().__init__(settings, context)
        shipped = files("memeloc.curate") / "prompts" / "multimodality.toml"
        self._prompt = read_prompt(self.settings.prompt or shipped, _NEEDS)
        self._form = ModelForm(Vote)

    def cache_key(self, item: Item) -> str:
        """See `Filter.cache_key`: also the model, the prompts and the descriptions."""
        return cache_key_of(
            self._key_parts, model_name(self.context), item.parts, self._descriptions(item.parent)
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
        model = model_of(self.context, self.name)
        for item, answers in ask_items(model, ready, self._questions):
            yield self._verdict(item, answers)

    def plan(self, items: Sequence[Item]) -> Plan | None:
        """What judging would ask and cost; nothing is asked. None when nothing is ready for it."""
        ready = [item for item in items if self._wanting(item) is None]
        if not ready:
            return None
        return plan_items(model_of(self.context, self.name), ready, self._questions)

    @cached_property
    def _key_parts(self) -> list[Any]:
        return [_VERSION, self.settings.model_dump(exclude={"prompt"}), self._prompt.texts()]

    @cached_property
    def _described(self) -> Mapping[str, Mapping[str, str]]:
        """Every description, by template and person; the newest a person."""
        return by_subject(self.context.judgements(self.settings.question))

    def _descriptions(self, template: str) -> list[tuple[str, str]]:
        """Person and description, by person."""
        return sorted(self._described.get(template, {}).items())

    def _wanting(self, item: Item) -> Verdict | None:
        """A verdict for an item that a model cannot be asked about yet."""
        if not any(part.strip() for part in item.parts):
            return self.verdict(item, "ask", "no text")
        descriptions = self._descriptions(item.parent)
        if len(descriptions) >= self.settings.descriptions:
            return None
        evidence = {
            "template": item.parent,
            "described by": [person for person, _ in descriptions],
            "needed": self.settings.descriptions,
        }
        return self.verdict(item, "ask", "descriptions missing", evidence)

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
            vote = {"hateful": answer.value.hateful, "why": answer.value.why[:300]}
            votes.append({**asked, **vote, "attempts": answer.attempts})
        evidence: dict[str, Any] = {
            "model": ", ".join(sorted(models)) or model_of(self.context, self.name).settings.model,
            "prompts": self._prompt.texts(),
            "votes": votes,
        }
        if errors:
            reason, more = no_answer(errors)
            return self.verdict(item, "ask", reason, {**evidence, **more})
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
