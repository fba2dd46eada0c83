"""Labelling by a model. In: memes, a prompt, a model. Out: a `RoundLabel` for each meme and round.

Rounds share one temperature and differ in seed. What a model refuses, or answers wrongly each time,
is a result like any other: nobody pays for it twice, and people label the meme.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from memeloc.errors import MemelocError
from memeloc.label.forms import LabelForm, TopicsForm
from memeloc.label.prompts import LabelPrompt
from memeloc.label.rounds import RoundLabel
from memeloc.language_models import LanguageModel, Question
from memeloc.language_models.meme_inputs import MemeInput
from memeloc.language_models.recording import Failures, Recorded, for_later, record


@dataclass(frozen=True, slots=True)
class Wanted:
    """An answer that is wanted of a meme; `round` counts from 1."""

    item: MemeInput
    question: Literal["label", "topics"]
    round: int


def questions(prompt: LabelPrompt, wanted: Iterable[Wanted]) -> Iterator[Question[Any]]:
    """The question of each answer that is wanted."""
    for each in wanted:
        make = prompt.question if each.question == "label" else prompt.topics_question
        yield replace(make(each.item), mark=each, round=each.round - 1)


def ask(
    model: LanguageModel,
    prompt: LabelPrompt,
    wanted: Iterable[Wanted],
    failures: Failures,
    recorded: Mapping[str, Any],
) -> Iterator[RoundLabel]:
    """Ask a model, several questions at once; the answers as they come.

    `failures` gets the memes that nobody answered about; `recorded` is stored with each answer.

    Raises:
        MemelocError: what would meet every further question too, after all that was under way has
            been given.
    """
    for question, answer in model.ask_all(questions(prompt, wanted)):
        if isinstance(answer, MemelocError) and for_later(answer):
            failures.add(question.mark.item.id, answer)
        else:
            yield _label(model, prompt, question.mark, record(answer), recorded)


def _label(
    model: LanguageModel,
    prompt: LabelPrompt,
    wanted: Wanted,
    answer: Recorded,
    recorded: Mapping[str, Any],
) -> RoundLabel:
    """What is stored of an answer."""
    return RoundLabel(
        wanted.item.id,
        wanted.item.content,
        wanted.question,
        prompt.scheme.taxonomy,
        model.settings.model,
        prompt.sha256 if wanted.question == "label" else prompt.topics_sha256,
        wanted.round,
        answer.settings.get("sent", {}).get("seed"),
        answer.status,
        answer=answer.answer,
        cost=answer.cost,
        settings={**recorded, "input": wanted.item.input, **answer.settings},
        currency=model.settings.currency,
        **_given(answer.value),
    )


def _given(value: LabelForm | TopicsForm | None) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, TopicsForm):
        return {"topics": value.given()}
    return {"labels": value.given(), "caption": value.transcript()}
