"""Questions and answers. In: messages and a form. Out: `Question`, `Answer`, `AnswerError`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal

from memeloc.errors import ServiceError
from memeloc.language_models.forms import Fields
from memeloc.language_models.messages import Message, whole

EXPECTED_ANSWER = 60
"""Tokens of a usual answer, for estimates."""

Kind = Literal["refused", "wrong", "server"]


class AnswerError(ServiceError):
    """One question has no right answer; the next may have one.

    Attributes:
        kind: the model would not answer; it answered wrongly each time; or its server refused.
        reason: what it answered, or what is wrong with it.
        attempts, cost: how often it was asked, and what was paid all the same.
    """

    def __init__(
        self, service: str, kind: Kind, reason: str, attempts: int = 0, cost: float = 0.0
    ) -> None:
        times = {1: "once", 2: "twice"}.get(attempts, f"{attempts} times")
        sentence = {
            "refused": f"the model will not answer: {reason}",
            "wrong": f"the model answered wrongly {times}: {reason}",
            "server": reason,
        }[kind]
        super().__init__(service, sentence, retryable=False)
        self.kind, self.reason, self.attempts, self.cost = kind, reason, attempts, cost

    def __reduce__(self) -> tuple[object, ...]:
        return (AnswerError, (self.service, self.kind, self.reason, self.attempts, self.cost))


@dataclass(frozen=True, slots=True)
class Question(Generic[Fields]):
    """Something to ask: the conversation so far, and what the answer must look like.

    `mark` is what the caller knows it by; `expected`, tokens of a usual answer, for estimates.
    """

    messages: tuple[Message, ...]
    form: type[Fields]
    mark: Any = None
    expected: int = EXPECTED_ANSWER


@dataclass(frozen=True, slots=True)
class Answer(Generic[Fields]):
    """A right answer, checked, with the tokens of all attempts.

    `model` is the server's name of what answered; `cost`, in the currency of the settings, is 0
    when the answer is `cached`: given before.
    """

    value: Fields
    model: str
    attempts: int
    tokens_in: int
    tokens_out: int
    cost: float
    cached: bool = False


def as_text(question: Question[Any]) -> str:
    """A question in full, for people."""
    return "\n\n".join(
        f"[{message.role}]\n{whole(message.text)}" + "\n[a picture]" * len(message.pictures)
        for message in question.messages
    )
