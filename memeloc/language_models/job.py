"""One job of asking a model. In: questions, a store. Out: a plan; what came of it, as a mapping.

Answers are stored some at a time, and each stands in the model's cache before: whatever ends a job,
the next one goes on from there and pays for nothing twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, TypeAlias

from memeloc.errors import MemelocError
from memeloc.language_models.client import LanguageModel
from memeloc.language_models.cost import Budget, Plan
from memeloc.language_models.kept import Cache
from memeloc.language_models.questions import Answer, AnswerError, Question
from memeloc.language_models.settings import ModelSettings

_SHOWN = 20
"""Memes without an answer that are named."""
_STORED = 50
"""Answers that are stored at a time."""

OnProgress: TypeAlias = Callable[[int, int], None]
"""Gets how many answers more are stored, and how many are wanted at the most."""


@dataclass(slots=True)
class Sentences:
    """A count of times that something happened, and sentences of the first."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        """Note that it happened."""
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append(sentence)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A record of an answer, right or not.

    Attributes:
        value: of its form; None where it is refused or wrong.
        answer: the model's own words; of a refusal by its server, what that wrote.
        settings: all that it depends on, and where it comes from; `reason` of what is no answer.
    """

    status: Literal["answered", "refused", "wrong"]
    value: Any
    answer: str
    cost: float
    settings: Mapping[str, Any]


@dataclass
class Job:
    """Questions to a model whose answers are stored.

    Attributes:
        batches: gives the questions that are not answered yet; a batch is answered and stored
            before the next one is made. Its argument is told what cannot be asked; for a plan it is
            None, and all are made at once.
        store: stores answers, with the marks of their questions.
        name: what a question is called, by its mark.
        total: how many answers are wanted at the most.
    """

    settings: ModelSettings
    cache: Cache
    batches: Callable[[Sentences | None], Iterator[Iterable[Question[Any]]]]
    store: Callable[[Sequence[tuple[Any, Recorded]]], None]
    name: Callable[[Any], str]
    total: int

    def plan(self) -> Plan:
        """Return what asking would cost; nothing is asked."""
        with LanguageModel(self.settings, cache=self.cache) as model:
            return model.plan(chain.from_iterable(self.batches(None)))

    def run(
        self, budget: float | None = None, on_progress: OnProgress = lambda more, total: None
    ) -> dict[str, Any]:
        """Ask, and return what came of it.

        Returns:
            `asked`: answers that were given now, `refused` and `wrong` ones among them, of which
            `missing` are the first sentences; `unanswered`: questions without any, left for the
            next run, of which `problems` are the first; `cost`: a sentence, empty where nothing
            was asked; `stopped`: why it ended before its end, or empty.
        """
        states: Counter[str] = Counter()
        missing, problems, stopped = Sentences(), Sentences(), ""

        def store(answers: Sequence[tuple[Any, Recorded]]) -> None:
            self.store(answers)
            states.update(answer.status for _, answer in answers)
            on_progress(len(answers), self.total)

        with LanguageModel(self.settings, cache=self.cache, budget=Budget(budget)) as model:
            try:
                for batch in self.batches(problems):
                    waiting: list[tuple[Any, Recorded]] = []
                    try:
                        for question, answer in model.ask_all(batch):
                            if for_later(answer):
                                problems.add(f"{self.name(question.mark)}: {answer}")
                                continue
                            recorded = record(answer)
                            if recorded.status != "answered":
                                missing.add(f"{self.name(question.mark)}: {answer}")
                            waiting.append((question.mark, recorded))
                            if len(waiting) >= _STORED:
                                full, waiting = waiting, []
                                store(full)
                    finally:
                        if waiting:
                            store(waiting)
            except MemelocError as error:
                stopped = str(error)
            spent = model.spent
        return {
            "asked": states.total(),
            "refused": states["refused"],
            "wrong": states["wrong"],
            "missing": missing.first,
            "unanswered": problems.count,
            "problems": problems.first,
            "cost": spent.line() if spent.answered or spent.requests or spent.failed else "",
            "stopped": stopped,
        }


def sent_counts(settings: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Count answers by the parameters that their requests held, and the value of each as JSON.

    `not sent` is a parameter that the server refuses; `not recorded`, of an answer that memeloc
    stored before it noted what was sent. `settings` are those of `Answer` or `Recorded`.
    """
    requests: list[Mapping[str, Any]] = [each.get("sent", {}) for each in settings]
    names = dict.fromkeys(name for sent in requests for name in sent if name != "model")
    return {name: dict(Counter(_value(sent, name) for sent in requests)) for name in sorted(names)}


def _value(sent: Mapping[str, Any], name: str) -> str:
    if sent.get(name) is None:
        return "not sent" if sent else "not recorded"
    return json.dumps(sent[name], sort_keys=True)


def sent_text(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Say in a line what requests held; by counts of answers, where they differ.

    >>> sent_text({"seed": {"7": 3}, "temperature": {"0.5": 1, "not sent": 2}})
    'temperature 0.5 (1) and not sent (2), seed 7'
    """
    texts = []
    for name in filter(counts.__contains__, ("temperature", "top_p", "seed")):
        values = counts[name]
        shown = [
            f"{value} ({count:,})" if len(values) > 1 else value for value, count in values.items()
        ]
        texts.append(f"{name} {' and '.join(shown)}")
    return ", ".join(texts) or "not recorded"


def for_later(answer: Answer[Any] | MemelocError) -> bool:
    """Return whether a question has no answer yet: neither a right one nor one that is final."""
    if isinstance(answer, AnswerError):
        return answer.kind == "server"
    return isinstance(answer, MemelocError)


def record(answer: Answer[Any] | MemelocError) -> Recorded:
    """Return what is stored of an answer that is not for later."""
    if isinstance(answer, AnswerError):
        status: Literal["refused", "wrong"] = "refused" if answer.kind == "refused" else "wrong"
        given = answer.answer
        settings = {"reason": answer.reason, **(_provenance(given) if given else {})}
        text = (given.text if given else "") or answer.reason
        return Recorded(status, None, text, answer.cost, settings)
    assert isinstance(answer, Answer)
    return Recorded("answered", answer.value, answer.text, answer.cost, _provenance(answer))


def _provenance(answer: Answer[Any]) -> dict[str, Any]:
    """Return which model gave it, to which prompt, under which settings, and when."""
    return {
        **answer.settings,
        "served": answer.model,
        "question": answer.prompt,
        "answered": answer.date,
        "attempts": answer.attempts,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
    }
