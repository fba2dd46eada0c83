"""Asking a language model. In: questions with a form. Out: checked answers, with what they cost.

An answer that does not fit its form is sent back with what is wrong with it, a few times. A right
one is kept by the content of its question, so that nobody pays for it twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Condition, Event
from typing import Any, Protocol, TypeAlias, cast, overload

from pydantic import BaseModel

from memeloc.counts import counted
from memeloc.errors import InputError, MemelocError, ServiceError
from memeloc.language_models.answers import refuses
from memeloc.language_models.cost import (
    MOST_PICTURE,
    OVERHEAD,
    Budget,
    Estimate,
    Plan,
    Spending,
)
from memeloc.language_models.forms import read_form, strict_schema
from memeloc.language_models.questions import (
    Answer,
    AnswerError,
    Kind,
    Message,
    Question,
    Value,
    as_text,
    whole,
)
from memeloc.language_models.server import Reply, Server, StatusError
from memeloc.language_models.settings import ModelSettings
from memeloc.request_pool import Backoff, ask_in_parallel

SAMPLES = 3
"""Questions that a plan shows in full."""
SENT_BACK = 2000
"""Characters of a wrong answer that are sent back at the most."""
WRONG = 400
"""Bytes of what is reported to be wrong with it, at the most."""
_HOPELESS = 3
"""Questions in a row from the first on that a server refuses before no more are sent."""

_Asked: TypeAlias = tuple[Question[Value], Answer[Value] | MemelocError]


class Cache(Protocol):
    """Keeps answers by the content of their questions. It is called from several threads."""

    def get(self, key: str) -> str | None:
        """What was kept under a key; None when nothing was."""
        ...

    def put(self, key: str, value: str) -> None:
        """Keep a value under a key; what was there before may stay."""
        ...


class MemoryCache(dict[str, str]):
    """A cache that lasts as long as the process."""

    def put(self, key: str, value: str) -> None:
        """See `Cache.put`."""
        self[key] = value


class LanguageModel:
    """Asks one model on a server that speaks the OpenAI protocol. May be used by several threads.

    Without a cache no answer is kept, without a budget all may be spent. `backoff` is how it waits
    when the server refuses for quota or is not there; `service`, what it is called in errors; `pip`
    is to be installed when httpx is missing.
    """

    def __init__(
        self,
        settings: ModelSettings,
        cache: Cache | None = None,
        budget: Budget | None = None,
        backoff: Backoff | None = None,
        *,
        service: str = "language model",
        pip: str = "memeloc[models]",
    ) -> None:
        self.settings = settings
        self.cache = cache
        self.budget = budget or Budget()
        self.backoff = backoff or Backoff()
        self.service = service
        self.spent = Spending(settings.currency)
        self._server = Server(settings, service, pip)
        self._asking: set[str] = set()
        self._changed = Condition()
        self._hopeless = 0

    def __enter__(self) -> LanguageModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Make ready to ask; MissingError when httpx or a key is missing."""
        self._server.connect()

    def close(self) -> None:
        """Close the connections; the next question opens them again."""
        self._server.close()

    @overload
    def ask(self, messages: Sequence[Message], form: type[Value]) -> Answer[Value]: ...
    @overload
    def ask(self, messages: Sequence[Message], form: None = None) -> Answer[str]: ...
    def ask(self, messages: Sequence[Message], form: type[Value] | None = None) -> Answer[Any]:
        """Ask one question, whose answer must look like a pydantic model; without one, is text.

        Raises:
            AnswerError: the model refuses, or answers wrongly each time.
            ServiceError: the server cannot be reached, or refuses.
            OverBudgetError: the question does not fit the budget.
            MissingError: httpx or a key is missing.
        """
        return self._ask(Question[Any](tuple(messages), form), self.backoff)

    def ask_all(self, questions: Iterable[Question[Value]]) -> Iterator[_Asked[Value]]:
        """Ask many, several at once; give each with its answer or its error, as they come.

        Questions are taken as they are needed, from the caller's thread.

        Raises:
            MemelocError: what would meet every further question too (a wrong key, an empty budget,
                a server that is gone), after everything under way has been answered.
        """
        backoff = replace(self.backoff, stop=Event())

        def failed(question: Question[Value], error: MemelocError) -> list[_Asked[Value]]:
            passing = isinstance(error, ServiceError) and error.retryable
            return [(question, error)] if passing else []

        yield from ask_in_parallel(
            questions,
            lambda question: [(question, self._answer_or_error(question, backoff))],
            failed,
            at_once=self.settings.at_once,
            stop=backoff.stop,
        )

    def key(self, question: Question[Any]) -> str:
        """A question in the cache: SHA-256 of all that its answer depends on, in hex."""
        content = [
            "memeloc-question-2",
            self.settings.base_url,
            self.settings.model,
            [
                [
                    message.role,
                    message.text,
                    [[each.media_type, each.key] for each in message.pictures],
                    message.after,
                ]
                for message in question.messages
            ],
            question.form and strict_schema(question.form),
            self.settings.model_dump(include={"temperature", "seed", "max_tokens", "extra"}),
        ]
        text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def plan(self, questions: Iterable[Question[Any]]) -> Plan:
        """What asking would cost. No request is sent and no key is needed."""
        count = cached = tokens_in = tokens_out = 0
        most = 0.0
        keys: set[str] = set()
        samples: list[str] = []
        for question in questions:
            count += 1
            if self.cache is not None:
                key = self.key(question)
                if key in keys or self._stored(key, question.form) is not None:
                    cached += 1
                    continue
                keys.add(key)
            tokens = self.estimate(question)
            tokens_in += tokens.tokens_in
            tokens_out += tokens.tokens_out
            most += self.most(question)
            if len(samples) < SAMPLES:
                samples.append(as_text(question))
        return Plan(
            self.settings.model,
            count,
            cached,
            tokens_in,
            tokens_out,
            self.settings.price(tokens_in, tokens_out),
            most,
            self.settings.currency,
            tuple(samples),
        )

    def estimate(self, question: Question[Any]) -> Estimate:
        """Tokens of asking once."""
        messages, settings = question.messages, self.settings
        schema = len(json.dumps(strict_schema(question.form))) if question.form else 0
        sizes = [len(message.words.encode()) for message in messages]
        # What the model itself wrote has no more tokens than it was allowed to write.
        most = sum(
            min(size, settings.max_tokens) if message.role == "assistant" else size
            for message, size in zip(messages, sizes, strict=True)
        )
        pictures = settings.picture_tokens * sum(len(message.pictures) for message in messages)
        return Estimate(
            -(-(schema + sum(sizes)) // 4) + pictures,
            min(question.expected, settings.max_tokens),
            schema + most + OVERHEAD * len(messages) + MOST_PICTURE * pictures,
            settings.max_tokens,
        )

    def most(self, question: Question[Any]) -> float:
        """What a question may cost when it is asked as often as allowed."""
        # From the second time on, the wrong answer and what is wrong with it come on top.
        more = self.settings.max_tokens + WRONG + 100 + 2 * OVERHEAD
        asks = self.settings.asks
        tokens_in = asks * self.estimate(question).most_in + more * (asks - 1)
        return self.settings.price(tokens_in, asks * self.settings.max_tokens)

    def _answer_or_error(
        self, question: Question[Value], backoff: Backoff
    ) -> Answer[Value] | MemelocError:
        try:
            return self._ask(question, backoff)
        except InputError as error:  # a picture that does not open
            return error
        except AnswerError as error:
            with self._changed:
                hopeless = error.kind == "server" and not self.spent.requests
                self._hopeless = self._hopeless + 1 if hopeless else 0
                if self._hopeless >= _HOPELESS:
                    raise ServiceError(self.service, error.reason, retryable=False) from error
            return error

    def _ask(self, question: Question[Value], backoff: Backoff) -> Answer[Value]:
        if self.cache is None:
            return self._ask_server(question, backoff)[0]
        key = self.key(question)
        with self._only(key):
            stored = self._stored(key, question.form)
            if stored is not None:
                self.spent.add(answered=1, cached=1)
                return stored
            answer, text = self._ask_server(question, backoff)
            names = ("model", "attempts", "tokens_in", "tokens_out", "refusal")
            stored_fields = {name: getattr(answer, name) for name in names}
            stored_fields |= {"cost": answer.cost, "currency": self.settings.currency}
            self.cache.put(key, json.dumps({"text": text, **stored_fields}, ensure_ascii=False))
            return answer

    def _ask_server(self, question: Question[Value], backoff: Backoff) -> tuple[Answer[Value], str]:
        """Asked, and again with what is wrong, until the answer is right: it and its text."""
        messages = question.messages
        tokens_in = tokens_out = attempts = 0
        cost = 0.0
        wrong = text = ""

        def failed(kind: Kind, reason: str) -> AnswerError:
            self.spent.add(**{"refused" if kind == "refused" else "failed": 1})
            return AnswerError(self.service, kind, reason, attempts, cost)

        while attempts < self.settings.asks:
            try:
                reply = self._pay(replace(question, messages=messages), backoff)
            except ServiceError as error:
                for_all = isinstance(error, StatusError) and error.for_all
                if not attempts and (for_all or error.retryable):
                    raise  # what was paid for an earlier attempt is kept with its failure
                raise failed("server", error.message) from error
            attempts += 1
            tokens_in += reply.tokens_in or 0
            tokens_out += reply.tokens_out or 0
            cost = self.settings.price(tokens_in, tokens_out)
            text = whole(reply.text)
            if reply.refusal and question.form:
                raise failed("refused", reply.refusal)
            try:
                value = _read(question.form, text)
            except ValueError as error:
                cut = (
                    f"; it was cut off at {counted(self.settings.max_tokens, 'token')}"
                    if reply.cut
                    else ""
                )
                wrong = whole(f"{error}{cut}").encode()[:WRONG].decode("utf-8", "ignore")
                messages = (
                    *question.messages,
                    Message("assistant", text[:SENT_BACK]),
                    Message("user", f"That is not right: {wrong}. Answer again."),
                )
                continue
            self.spent.add(answered=1)
            model = reply.model or self.settings.model
            answer = Answer(value, model, attempts, tokens_in, tokens_out, cost)
            return replace(answer, refusal=reply.refusal), text
        if refuses(text):
            raise failed("refused", " ".join(text.split())[:300])
        raise failed("wrong", wrong)

    def _pay(self, question: Question[Any], backoff: Backoff) -> Reply:
        """One request within the budget: its reply, with tokens counted by the server or us."""
        about = self.estimate(question)
        with self.budget.hold(self.settings.price(about.most_in, about.most_out)) as spend:
            reply = self._server.send(question.messages, question.form, backoff)
            guessed = reply.tokens_in is None
            tokens_in, tokens_out = reply.tokens_in or 0, reply.tokens_out or 0
            if guessed:  # a token a byte, which is never too few
                tokens_in = about.most_in
                tokens_out = min(len(whole(reply.text).encode()), self.settings.max_tokens)
            cost = self.settings.price(tokens_in, tokens_out)
            spend(cost)
        self.spent.add(
            requests=1, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost, guessed=int(guessed)
        )
        return replace(reply, tokens_in=tokens_in, tokens_out=tokens_out)

    def _stored(self, key: str, form: type[Value] | None) -> Answer[Value] | None:
        """The answer in the cache, if it is there and still right."""
        kept = self.cache.get(key) if self.cache is not None else None
        if kept is None:
            return None
        try:
            stored = json.loads(kept)
            counts = (stored["attempts"], stored["tokens_in"], stored["tokens_out"])
            value = _read(form, stored["text"])
            return Answer(value, stored["model"], *counts, 0.0, True, stored.get("refusal", ""))
        except (ValueError, KeyError, TypeError):
            return None

    @contextmanager
    def _only(self, key: str) -> Iterator[None]:
        """Nobody else asks the same meanwhile: the second finds the answer of the first."""
        with self._changed:
            self._changed.wait_for(lambda: key not in self._asking)
            self._asking.add(key)
        try:
            yield
        finally:
            with self._changed:
                self._asking.remove(key)
                self._changed.notify_all()


def _read(form: type[Value] | None, text: str) -> Value:
    """The value of an answer, ValueError when its form does not fit; without a form any text."""
    if form is None:
        return cast("Value", text)
    return cast("Value", read_form(cast("type[BaseModel]", form), text))
