"""What is recorded of answers. In: answers and errors of a client. Out: `Recorded`, `Failures`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memeloc.errors import MemelocError
from memeloc.language_models.questions import Answer, AnswerError

_SHOWN = 20
"""Memes without an answer that are named."""


@dataclass(slots=True)
class Failures:
    """What nobody answered, and is left for the next run: how many, and sentences of the first."""

    count: int = 0
    sentences: list[str] = field(default_factory=list)

    def add(self, what: str, error: MemelocError | str) -> None:
        """Note what got no answer."""
        self.count += 1
        if len(self.sentences) < _SHOWN:
            self.sentences.append(f"{what}: {error}")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is stored of an answer, right or not.

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
    """Whether a question has no answer yet: neither a right one nor one that is final."""
    if isinstance(answer, AnswerError):
        return answer.kind == "server"
    return isinstance(answer, MemelocError)


def record(answer: Answer[Any] | MemelocError) -> Recorded:
    """What is stored of an answer that is not for later."""
    if isinstance(answer, AnswerError):
        status: Literal["refused", "wrong"] = "refused" if answer.kind == "refused" else "wrong"
        given = answer.answer
        settings = {"reason": answer.reason, **(_provenance(given) if given else {})}
        text = (given.text if given else "") or answer.reason
        return Recorded(status, None, text, answer.cost, settings)
    assert isinstance(answer, Answer)
    return Recorded("answered", answer.value, answer.text, answer.cost, _provenance(answer))


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
