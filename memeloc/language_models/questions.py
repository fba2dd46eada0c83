"""Questions and answers. In: texts, pictures and a form. Out: `Message`s, `Question`, `Answer`.

A picture is sent as a data URL, so that a server needs to fetch nothing. It is opened only when it
is sent: what stands for it in a cache's key is its name, which must change with its content.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal

from memeloc.errors import ServiceError
from memeloc.language_models.forms import Fields

EXPECTED_ANSWER = 60
"""Tokens of a usual answer, for estimates."""

Role = Literal["system", "user", "assistant"]
Kind = Literal["refused", "wrong", "server"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture within a message.

    `key` changes whenever the bytes do, such as the SHA-256 of a file and how it was shrunk; `read`
    gives the bytes, and is called when the question is sent.
    """

    key: str
    read: Callable[[], bytes]
    media_type: str = "image/jpeg"

    def data_url(self) -> str:
        """The picture within an address (RFC 2397)."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.read()).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str
    pictures: tuple[Picture, ...] = ()

    def wire(self) -> dict[str, Any]:
        """As the protocol writes it."""
        content: list[dict[str, Any]] = [{"type": "text", "text": whole(self.text)}]
        for picture in self.pictures:
            content.append({"type": "image_url", "image_url": {"url": picture.data_url()}})
        return {"role": self.role, "content": content if self.pictures else whole(self.text)}


def whole(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which UTF-8 cannot hold.

    >>> whole("a\\ud800")
    'a\\ufffd'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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
