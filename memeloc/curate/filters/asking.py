"""Filters that ask a language model. In: items, what to ask of each. Out: each with its answers.

The error that a question meets comes with its item. When the server was gone for some, their items
do not come out: they are left for the next run, and this one ends with the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from memeloc.curate.protocol import FilterContext
from memeloc.errors import MemelocError, MissingError, ServiceError
from memeloc.items import Item
from memeloc.language_models import Answer, AnswerError, LanguageModel, Plan, Question

Value = TypeVar("Value")

Ask = Callable[[Item], Sequence[Question[Value]]]
"""What is asked of an item: one question or more."""


def model_of(context: FilterContext, name: str) -> LanguageModel:
    """The context's language model.

    Raises:
        MissingError: there is none.
    """
    if context.model is None:
        raise MissingError(
            f"the filter {name} asks a language model: name one with --model, or as model in "
            "[language_model] of memeloc.toml"
        )
    return context.model


def model_name(context: FilterContext) -> list[Any]:
    """What the context's model is to a cache key; empty when there is none."""
    if context.model is None:
        return []
    settings = context.model.settings
    return [settings.model, settings.temperature, settings.seed, settings.max_tokens]


def ask_items(
    model: LanguageModel, items: Iterable[Item], ask: Ask[Value]
) -> Iterator[tuple[Item, list[Answer[Value] | MemelocError]]]:
    """Ask of every item, several at once; each item comes when all its answers are there.

    Raises:
        MemelocError: what ends the run, see `LanguageModel.ask_all`; or that the server left some
            questions unanswered, after all others.
    """
    under_way: dict[int, tuple[Item, list[Answer[Value] | MemelocError | None]]] = {}

    def questions() -> Iterator[Question[Value]]:
        for number, item in enumerate(items):
            asked = ask(item)
            under_way[number] = item, [None] * len(asked)
            for place, each in enumerate(asked):
                yield replace(each, mark=(number, place))

    unanswered: list[ServiceError] = []
    for question, answer in model.ask_all(questions()):
        number, place = question.mark
        item, answers = under_way[number]
        answers[place] = answer
        whole = [each for each in answers if each is not None]
        if len(whole) < len(answers):
            continue
        del under_way[number]
        gone = [error for error in whole if isinstance(error, ServiceError) and error.retryable]
        unanswered.extend(gone[:1])
        if not gone:
            yield item, whole
    if unanswered:
        count = "1 item" if len(unanswered) == 1 else f"{len(unanswered)} items"
        raise ServiceError(
            unanswered[0].service,
            f"{count} got no answer, left for the next run: {unanswered[0].message}",
            retryable=True,
        )


def plan_items(model: LanguageModel, items: Iterable[Item], ask: Ask[Any]) -> Plan:
    """What asking would cost; nothing is asked."""
    return model.plan(question for item in items for question in ask(item))


def no_answer(errors: Sequence[MemelocError]) -> tuple[str, Mapping[str, Any]]:
    """Reason and evidence for an item that the model gave no usable answer about."""
    first = errors[0]
    refused = isinstance(first, AnswerError) and first.kind == "refused"
    return ("model refused" if refused else "no answer"), {"error": str(first)[:500]}
