"""Questions and answers. In: texts, pictures and a form. Out: `Message`s, `Question`, `Answer`.

A form is a pydantic model, and its answers are values of it. Without one, the question is sent as
it stands, with no schema and no word of ours, and its answer is the model's own text.

A picture is sent as a data URL, so that a server needs to fetch nothing. It is opened only when it
is sent: what stands for it in a cache's key is its name, which must change with its content.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from memeloc.errors import ServiceError

MOST_TOKENS = 16
"""Tokens of an answer whose logprobs are kept: options stand at its begin."""
EXPECTED_ANSWER = 60
"""Tokens of a usual answer, for estimates."""
_AROUND = " \t\r\n()[]{}.,:;*_`'\"▁Ġ"
"""What stands around an option's letter in a token, with the marks of spaces of tokenizers."""

Role = Literal["system", "user", "assistant"]
Kind = Literal["refused", "wrong", "server"]
Value = TypeVar("Value", bound=BaseModel | str)
"""What an answer is: a value of its form, or a text."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token that a model wrote.

    Attributes:
        text: of the token.
        logprob: the natural logarithm of its probability.
        top: the likeliest tokens at this place with theirs, this one among them as a rule.
    """

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


def option_logprobs(tokens: Sequence[Token], options: Sequence[str]) -> dict[str, float]:
    """Return the logprob of each option, such as a letter, at the first place where one stands.

    The probabilities of tokens that differ in case, spaces and brackets only are added up. An
    option that is not among the likeliest tokens is left out; so are all, where none is anywhere.

    >>> top = (("a", math.log(0.5)), (" A", math.log(0.25)), ("(b", math.log(0.25)))
    >>> options = option_logprobs([Token("a", math.log(0.5), top)], ["a", "b"])
    >>> round(math.exp(options["a"]), 2), round(math.exp(options["b"]), 2)
    (0.75, 0.25)
    """
    names = {option.strip(_AROUND).casefold(): option for option in options}
    for token in tokens:
        likely: dict[str, float] = {}
        for text, logprob in token.top or ((token.text, token.logprob),):
            option = names.get(text.strip(_AROUND).casefold())
            if option is not None:
                likely[option] = likely.get(option, 0.0) + math.exp(logprob)
        if likely:
            return {name: math.log(share) for name, share in likely.items() if share > 0}
    return {}


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
        """Return the picture within an address (RFC 2397)."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.read()).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: a text, its pictures, and a text behind them."""

    role: Role
    text: str
    pictures: tuple[Picture, ...] = ()
    after: str = ""

    @property
    def words(self) -> str:
        """Return both texts, as they are sent without pictures: below each other."""
        return whole("\n".join(filter(None, (self.text, self.after))))


def whole(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, which UTF-8 cannot hold.

    >>> whole("a\\ud800")
    'a\\ufffd'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True)  # with slots, Python 3.11 cannot make a Question[str]
class Question(Generic[Value]):
    """Something to ask: the conversation so far, and what the answer must look like.

    Without a form (None) any text is an answer: `Question[str](messages, None)`. `mark` is what the
    caller knows it by; `expected`, tokens of a usual answer, for estimates. The same question may
    be asked in several rounds, from 0: each has an answer of its own, drawn with the settings' seed
    and the round added to it. `check` raises a ValueError for a value that fits the form and is
    wrong all the same, such as one with ids that the question does not name; its sentence is sent
    back to the model.
    """

    messages: tuple[Message, ...]
    form: type[Value] | None
    mark: Any = None
    expected: int = EXPECTED_ANSWER
    round: int = 0
    check: Callable[[Value], None] | None = None

    def prompt_hash(self) -> str:
        """Return SHA-256 of its messages, with their pictures' keys, in hex."""
        return content_hash(
            [
                [
                    message.role,
                    message.text,
                    [[each.media_type, each.key] for each in message.pictures],
                    message.after,
                ]
                for message in self.messages
            ]
        )

    def __str__(self) -> str:
        """Return it in full, for people."""
        return "\n\n".join(
            "\n".join(
                [
                    f"[{each.role}]",
                    *filter(None, [whole(each.text)]),
                    *["[a picture]"] * len(each.pictures),
                    *filter(None, [whole(each.after)]),
                ]
            )
            for each in self.messages
        )


def content_hash(content: Any) -> str:
    """Return SHA-256 of a JSON value, in hex."""
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer(Generic[Value]):
    """An answer, right or not, with the tokens of all attempts and where it comes from.

    Attributes:
        text: the model's own words, the last ones where it was asked again.
        model: the server's name of what answered.
        attempts: how often it was asked.
        tokens_in, tokens_out: of all attempts.
        cost: in the `currency` of the settings; 0 when the answer is `cached`: given before.
        date: when it was given, in UTC (ISO 8601).
        refusal: why the server or a filter before it did not answer.
        wrong: what is wrong with it.
        cut: whether the words ended at the limit of tokens.
        logprobs: of the text's first tokens, where the settings ask for them and the server has
            them.
        sent: what the body of the request held (model, temperature, seed and so on; None where its
            server refuses a parameter, and empty of an answer that memeloc kept before it noted
            that).
        value: what its form makes of the text; without a form, the text; None of what is not right.
        status: `refused` and `wrong` are those of questions with a form; `reason` is why.
        settings: all else that is recorded of it: address, round, `sent`, the model as it was
            `served`, SHA-256 of the `question`, when it was `answered`, attempts, tokens, reason.
    """

    text: str
    model: str
    attempts: int
    tokens_in: int
    tokens_out: int
    cost: float
    currency: str
    date: str
    refusal: str = ""
    wrong: str = ""
    cut: bool = False
    logprobs: tuple[Token, ...] = ()
    sent: Mapping[str, Any] = field(default_factory=dict)
    value: Value = None  # type: ignore[assignment]
    status: Literal["answered", "refused", "wrong"] = "answered"
    reason: str = ""
    cached: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return what a cache keeps; what is empty is left out."""
        values = {name: getattr(self, name) for name in (*_WRITTEN, *_LEFT_OUT)}
        values["logprobs"] = [[each.text, each.logprob, each.top] for each in self.logprobs]
        filled = {name: v for name, v in values.items() if v or name not in _LEFT_OUT}
        return whole(json.dumps(filled, ensure_ascii=False))

    @classmethod
    def from_json(cls, value: str) -> Answer[Any] | None:
        """Return what a cache kept; None for what is broken."""
        try:
            values = json.loads(value)
            tokens = tuple(
                Token(text, logprob, tuple((name, share) for name, share in top))
                for text, logprob, top in values.pop("logprobs", ())
            )
            answer = cls(**values, logprobs=tokens)
        except (ValueError, TypeError, AttributeError):
            return None
        is_whole = isinstance(answer.text, str) and isinstance(answer.attempts, int)
        return answer if is_whole else None


_LEFT_OUT = ("refusal", "wrong", "cut", "logprobs", "sent")
_WRITTEN = ("text", "model", "attempts", "tokens_in", "tokens_out", "cost", "currency", "date")


class AnswerError(ServiceError):
    """One question has no right answer; the next may have one.

    Attributes:
        kind: the model would not answer; it answered wrongly each time; or its server refused.
        reason: what it answered, or what is wrong with it.
        attempts, cost: how often it was asked, and what was paid all the same.
        answer: the last answer; None when the server gave none.
    """

    def __init__(
        self,
        service: str,
        kind: Kind,
        reason: str,
        attempts: int = 0,
        cost: float = 0.0,
        answer: Answer[Any] | None = None,
    ) -> None:
        times = {1: "once", 2: "twice"}.get(attempts, f"{attempts} times")
        sentence = {
            "refused": f"the model will not answer: {reason}",
            "wrong": f"the model answered wrongly {times}: {reason}",
            "server": reason,
        }[kind]
        super().__init__(service, sentence, retryable=False)
        self.kind, self.reason, self.attempts, self.cost = kind, reason, attempts, cost
        self.answer = answer

    def __reduce__(self) -> tuple[object, ...]:
        values = (self.service, self.kind, self.reason, self.attempts, self.cost, self.answer)
        return (AnswerError, values)
