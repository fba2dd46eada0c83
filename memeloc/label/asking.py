"""Labelling by a model. In: memes, a prompt, a model. Out: a `RoundLabel` for each meme and round.

Rounds share one temperature and differ in seed. What a model refuses, or answers wrongly each time,
is a result like any other: nobody pays for it twice, and people label the meme.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memeloc.errors import MemelocError
from memeloc.label.forms import LabelForm, TopicsForm
from memeloc.label.prompts import LabelPrompt
from memeloc.label.rounds import RoundLabel, Status
from memeloc.language_models import Answer, AnswerError, LanguageModel, Question
from memeloc.language_models.meme_inputs import MemeInput

_SHOWN = 20
"""Memes without an answer that are named."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An answer that is wanted of a meme; `round` counts from 1."""

    item: MemeInput
    question: Literal["label", "topics"]
    round: int


@dataclass(slots=True)
class Failures:
    """What nobody answered, and is left for the next run: how many, and sentences of the first."""

    count: int = 0
    sentences: list[str] = field(default_factory=list)

    def add(self, item: MemeInput, error: MemelocError) -> None:
        """Note a meme that got no answer."""
        self.count += 1
        if len(self.sentences) < _SHOWN:
            self.sentences.append(f"{item.id}: {error}")


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
        if isinstance(answer, MemelocError) and _is_for_later(answer):
            failures.add(question.mark.item, answer)
        else:
            yield _label(model, prompt, question.mark, answer, recorded)


def _is_for_later(error: MemelocError) -> bool:
    return not (isinstance(error, AnswerError) and error.kind in ("refused", "wrong"))


def _label(
    model: LanguageModel,
    prompt: LabelPrompt,
    wanted: Wanted,
    answer: Answer[Any] | MemelocError,
    recorded: Mapping[str, Any],
) -> RoundLabel:
    """What is stored of an answer."""
    given: dict[str, Any] = {}
    status: Status = "answered"
    if isinstance(answer, AnswerError):
        status = "refused" if answer.kind == "refused" else "wrong"
        given = {"answer": answer.reason, "cost": answer.cost}
        provenance = answer.answer
    else:
        assert isinstance(answer, Answer)
        given, provenance = {"cost": answer.cost, **_given(answer.value)}, answer
    settings = {**recorded, "input": wanted.item.input}
    if provenance is not None:
        given["answer"] = provenance.text or given.get("answer", "")
        settings |= _provenance(provenance)
    return RoundLabel(
        wanted.item.id,
        wanted.item.content,
        wanted.question,
        prompt.scheme.taxonomy,
        model.settings.model,
        prompt.sha256 if wanted.question == "label" else prompt.topics_sha256,
        wanted.round,
        model.settings.seed + wanted.round - 1,
        status,
        settings=settings,
        currency=model.settings.currency,
        **given,
    )


def _provenance(answer: Answer[Any]) -> dict[str, Any]:
    """Which model gave it, to which prompt, under which settings, and when."""
    return {
        **answer.settings,
        "served": answer.model,
        "question": answer.prompt,
        "answered": answer.date,
        "attempts": answer.attempts,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
    }


def _given(value: LabelForm | TopicsForm) -> dict[str, Any]:
    if isinstance(value, TopicsForm):
        return {"topics": value.given()}
    return {"labels": value.given(), "caption": value.transcript()}
