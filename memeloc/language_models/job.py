"""One job of asking a model. In: questions, a store. Out: a plan; what came of it, as a mapping.

Answers are stored some at a time, and each stands in the model's cache before: whatever ends a job,
the next one goes on from there and pays for nothing twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from time import monotonic
from typing import Any, TypeAlias

from memeloc.errors import MemelocError
from memeloc.language_models.client import LanguageModel
from memeloc.language_models.cost import Budget, Plan
from memeloc.language_models.questions import Answer, AnswerError, Question

_SHOWN = 20
"""Memes without an answer that are named."""
_STORED = 50
"""Answers that are stored at a time."""
_SECONDS = 2.0
"""Seconds after which fewer are stored, so that the progress of a slow model shows."""

OnProgress: TypeAlias = Callable[[int, int], None]
"""Gets how many answers more are stored, and how many are wanted at the most."""


@dataclass
class Job:
    """Questions to a model whose answers are stored.

    Attributes:
        batches: gives the questions that are not answered yet; a batch is answered and stored
            before the next one is made. Its argument is a list to which it adds a sentence for each
            that cannot be asked; for a plan it is None, and all batches are made at once.
        store: stores answers, right or not, with the marks of their questions.
        name: what a question is called, by its mark.
        total: how many answers are wanted at the most.
        problems: of the last run a sentence for each question that has no answer yet.
        error: what ended it before all was asked.
    """

    model: LanguageModel
    batches: Callable[[list[str] | None], Iterator[Iterable[Question[Any]]]]
    store: Callable[[Sequence[tuple[Any, Answer[Any]]]], None]
    name: Callable[[Any], str]
    total: int = 0
    problems: list[str] = field(default_factory=list, init=False)
    error: MemelocError | None = field(default=None, init=False)

    def plan(self) -> Plan:
        """Return what asking would cost; nothing is asked."""
        return self.model.plan(chain.from_iterable(self.batches(None)))

    def run(
        self,
        budget: float | Budget | None = None,
        on_progress: OnProgress = lambda more, total: None,
    ) -> dict[str, Any]:
        """Ask, and return what came of it.

        Returns:
            `asked`: answers that were given now, `refused` and `wrong` ones among them, of which
            `missing` are the first sentences; `unanswered`: questions without any, left for the
            next run, of which `problems` are the first; `cost`: a sentence, empty where nothing
            was asked; `stopped`: why it ended before its end, or empty.
        """
        model = self.model
        states: Counter[str] = Counter()
        missing: list[str] = []
        problems = self.problems
        waiting: list[tuple[Any, Answer[Any]]] = []
        since = monotonic()
        if budget is not None:
            model.limit(budget)

        def store() -> None:
            nonlocal waiting, since
            full, waiting, since = waiting, [], monotonic()
            if full:
                self.store(full)
                states.update(answer.status for _, answer in full)
                on_progress(len(full), self.total)

        with model:
            try:
                for batch in self.batches(problems):
                    try:
                        for question, answer in model.ask_all(batch):
                            mark = question.mark
                            if isinstance(answer, MemelocError):
                                final = answer.answer if isinstance(answer, AnswerError) else None
                                if final is None or not final.reason:
                                    problems.append(f"{self.name(mark)}: {answer}")
                                    continue
                                missing.append(f"{self.name(mark)}: {answer}")
                                answer = replace(final, text=final.text or final.reason)
                            waiting.append((mark, answer))
                            if len(waiting) >= _STORED or monotonic() - since > _SECONDS:
                                store()
                    finally:
                        store()
            except MemelocError as error:
                self.error = error
        spent = model.spent
        return {
            "asked": states.total(),
            "refused": states["refused"],
            "wrong": states["wrong"],
            "missing": missing[:_SHOWN],
            "unanswered": len(problems),
            "problems": problems[:_SHOWN],
            "cost": spent.line() if spent.answered or spent.requests or spent.failed else "",
            "stopped": "" if self.error is None else str(self.error),
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
