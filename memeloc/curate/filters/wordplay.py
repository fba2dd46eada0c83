"""Wordplay. In: captions, people's answers about each. Out: verdicts, with hints for those to come.

Multi3Hate's appendix A.3.3: two fluent speakers classify each caption, and only what both call free
of wordplay is kept. People decide; rules and, where it is wanted, a model give hints, which stand
in the evidence and in the sheets that people get.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from memeloc.curate.filters.asking import ask_items, model_name, model_of, no_answer, plan_items
from memeloc.curate.hints import Hint, hints, in_words
from memeloc.curate.protocol import FilterSettings, SettingsFilter, cache_key_of
from memeloc.curate.review.questions import by_subject
from memeloc.curate.verdict import Outcome, Verdict
from memeloc.errors import MemelocError
from memeloc.items import Item
from memeloc.language_models import Plan

_VERSION = "wordplay-1"


class WordplaySettings(FilterSettings):
    """The settings of the wordplay filter."""

    people: Annotated[
        int, Field(ge=1, le=9, description="people who must call a caption free of wordplay")
    ] = 2
    question: Annotated[str, Field(min_length=1, description="the question that they answer")] = (
        "wordplay"
    )
    disagreement: Annotated[
        Literal["drop", "ask"],
        Field(description="what becomes of a caption that some call wordplay and others not"),
    ] = "drop"
    hints: Annotated[bool, Field(description="whether rules look for wordplay, as hints")] = True
    model_hint: Annotated[
        bool, Field(description="whether a language model looks for wordplay too, as hints")
    ] = False


class WordplayFilter(SettingsFilter[WordplaySettings]):
    """Keeps captions that people agree to be free of wordplay."""

    name = "wordplay"
    summary = "wordplay, by the answers of two people who must agree; rules give hints"
    kinds = ("caption",)
    Settings = WordplaySettings

    def cache_key(self, item: Item) -> str:
        """See `Filter.cache_key`: also people's answers, and the model where it gives hints."""
        model = model_name(self.context) if self.settings.model_hint else []
        people = sorted(self._people.get(item.id, {}).items())
        return cache_key_of(_VERSION, self.settings.model_dump(), model, item.parts, people)

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter.judge`. What people have not agreed on is `ask`, with hints."""
        open_: list[Item] = []
        for item in items:
            if self._outcome(item)[0] == "ask":
                open_.append(item)
            else:
                yield self._with_people(item, {})
        if self.settings.model_hint and open_:
            yield from self._with_model_hints(open_)
            return
        for item in open_:
            yield self._with_people(item, self._hints(item, []))

    def plan(self, items: Sequence[Item]) -> Plan | None:
        """What judging would ask a model; None when it asks none."""
        if not self.settings.model_hint:
            return None
        from memeloc.curate.hints.by_model import question

        open_ = (item for item in items if self._outcome(item)[0] == "ask")
        return plan_items(model_of(self.context, self.name), open_, lambda item: [question(item)])

    @cached_property
    def _people(self) -> Mapping[str, Mapping[str, str]]:
        """Every answer, by caption and person."""
        return by_subject(self.context.judgements(self.settings.question))

    def _outcome(self, item: Item) -> tuple[Outcome, str]:
        """What people's answers come to: `no` is free of wordplay, `yes` is wordplay."""
        answers = [answer.casefold() for answer in self._people.get(item.id, {}).values()]
        if "yes" in answers:
            if "no" in answers and self.settings.disagreement == "ask":
                return "ask", "people differ"
            return "drop", "wordplay"
        if any(answer != "no" for answer in answers):
            return "ask", "unsure"
        if len(answers) >= self.settings.people:
            return "keep", ""
        return "ask", "answers missing"

    def _with_model_hints(self, items: Sequence[Item]) -> Iterator[Verdict]:
        from memeloc.curate.hints.by_model import question, read_hints

        model = model_of(self.context, self.name)
        for item, (answer,) in ask_items(model, items, lambda item: [question(item)]):
            if isinstance(answer, MemelocError):
                evidence = {**self._hints(item, []), **no_answer([answer])[1]}
            else:
                hints_ = self._hints(item, read_hints(item, answer.value))
                evidence = {**hints_, "model": answer.model}
            yield self._with_people(item, evidence)

    def _hints(self, item: Item, by_model: Sequence[Hint]) -> dict[str, Any]:
        template = self.context.templates.get(item.parent)
        by_rule = hints(item, template) if self.settings.hints else []
        return {"hints": in_words([*by_rule, *by_model])}

    def _with_people(self, item: Item, evidence: Mapping[str, Any]) -> Verdict:
        people = dict(sorted(self._people.get(item.id, {}).items()))
        return self.verdict(item, *self._outcome(item), {"people": people, **evidence})
