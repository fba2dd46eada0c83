"""Filters that ask a language model what people have not settled. In: items. Out: verdicts.

The error that a question meets comes with its item. When the server was gone for some, their items
get no verdict: they are left for the next run, and this one ends with the error.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from memeloc.counts import counted
from memeloc.curate.protocol import FilterSettings, SettingsFilter
from memeloc.curate.review.questions import by_subject
from memeloc.curate.verdict import Verdict
from memeloc.errors import MemelocError, MissingError, ServiceError
from memeloc.items import Item
from memeloc.language_models import Answer, AnswerError, LanguageModel, Plan, Question


class AskingSettings(FilterSettings):
    """The settings of a filter that asks a model; each has at least this one."""

    question: str


Settings = TypeVar("Settings", bound=AskingSettings)
Value = TypeVar("Value", bound=BaseModel)


class AskingFilter(SettingsFilter[Settings], Generic[Settings, Value]):
    """The beginning of a filter that asks a model; answers to its questions are `Value`s."""

    @abstractmethod
    def without_model(self, item: Item) -> Verdict | None:
        """The verdict on an item that no model is to be asked about; else None."""

    @abstractmethod
    def questions(self, item: Item) -> Sequence[Question[Value]]:
        """What is asked of an item: one question or more."""

    @abstractmethod
    def with_answers(self, item: Item, answers: Sequence[Answer[Value] | MemelocError]) -> Verdict:
        """The verdict on an item, from the model's answers to its questions."""

    def judge(self, items: Sequence[Item]) -> Iterator[Verdict]:
        """See `Filter.judge`."""
        open_: list[Item] = []
        for item in items:
            if verdict := self.without_model(item):
                yield verdict
            else:
                open_.append(item)
        if open_:
            yield from self._ask(self.model, open_)

    def plan(self, items: Sequence[Item]) -> Plan | None:
        """What judging would ask and cost; nothing is asked. None when it asks nothing."""
        open_ = [item for item in items if self.without_model(item) is None]
        asked = (question for item in open_ for question in self.questions(item))
        return self.model.plan(asked) if open_ else None

    @property
    def model(self) -> LanguageModel:
        """The context's language model.

        Raises:
            MissingError: there is none.
        """
        if self.context.model is None:
            raise MissingError(
                f"the filter {self.name} asks a language model: name one with --model, or as model "
                "in [language_model] of memeloc.toml"
            )
        return self.context.model

    @property
    def model_key(self) -> list[Any]:
        """What the context's model is to a cache key; empty when there is none."""
        if self.context.model is None:
            return []
        return [self.context.model.settings.recorded]

    def people(self, item: str) -> dict[str, str]:
        """What people answered to the filter's question about an item, by person."""
        return dict(sorted(self._people.get(item, {}).items()))

    @cached_property
    def _people(self) -> Mapping[str, Mapping[str, str]]:
        return by_subject(self.context.judgements(self.settings.question))

    def _ask(self, model: LanguageModel, items: Iterable[Item]) -> Iterator[Verdict]:
        """Ask about all items, several at once; a verdict when all answers about one are there."""
        under_way: dict[int, tuple[Item, list[Answer[Value] | MemelocError | None]]] = {}

        def questions() -> Iterator[Question[Value]]:
            for number, item in enumerate(items):
                asked = self.questions(item)
                under_way[number] = item, [None] * len(asked)
                for place, question in enumerate(asked):
                    yield replace(question, mark=(number, place))

        unanswered: list[ServiceError] = []
        for question, answer in model.ask_all(questions()):
            number, place = question.mark
            item, answers = under_way[number]
            answers[place] = answer
            complete = [each for each in answers if each is not None]
            if len(complete) < len(answers):
                continue
            del under_way[number]
            gone = [error for error in complete if isinstance(error, ServiceError)]
            gone = [error for error in gone if error.retryable]
            unanswered.extend(gone[:1])
            if not gone:
                yield self.with_answers(item, complete)
        if unanswered:
            count = counted(len(unanswered), "item")
            raise ServiceError(
                unanswered[0].service,
                f"{count} got no answer, left for the next run: {unanswered[0].message}",
                retryable=True,
            )


def no_answer(error: MemelocError) -> tuple[str, Mapping[str, Any]]:
    """Reason and evidence for an item that the model gave no usable answer about."""
    refused = isinstance(error, AnswerError) and error.kind == "refused"
    return ("model refused" if refused else "no answer"), {"error": str(error)[:500]}
