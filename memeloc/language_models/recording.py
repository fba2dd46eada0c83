"""What is recorded of answers. In: answers and errors of a client. Out: `Recorded`, `Failures`."""

from __future__ import annotations

from collections.abc import Mapping
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
