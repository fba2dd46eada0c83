"""Asking a language model. In: questions with a form. Out: checked answers, with what they cost.

An answer that does not fit its form is sent back with what is wrong with it, a few times. A right
one is kept by the content of its question, so that nobody pays for it twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Lock
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from memeloc.errors import InputError, MemelocError, ServiceError
from memeloc.language_models.answers import refuses
from memeloc.language_models.cache import Cache
from memeloc.language_models.cost import OVERHEAD, Budget, Estimate, Plan, Spending, estimate, price
from memeloc.language_models.forms import Form
from memeloc.language_models.messages import Message, question_key, whole
from memeloc.language_models.questions import (
    Answer,
    AnswerError,
    Question,
    as_form,
    as_text,
)
from memeloc.language_models.server import Reply, Server, StatusError
from memeloc.language_models.settings import ModelSettings
from memeloc.request_pool import Backoff, ask_in_parallel

Value = TypeVar("Value")

SAMPLES = 3
"""Questions that a plan shows in full."""
SENT_BACK = 2000
"""Characters of a wrong answer that are sent back at the most."""
WRONG = 400
"""Bytes of what is reported to be wrong with it, at the most."""
_HOPELESS = 3
"""Questions in a row from the first on that a server refuses before no more are sent."""

_Asked: TypeAlias = tuple[Question[Value], Answer[Value] | MemelocError]


class LanguageModel:
    """Asks one model on a server that speaks the OpenAI protocol. May be used by several threads.

    Args:
        settings: see `ModelSettings`.
        cache: where right answers are kept; None keeps none.
        budget: what may be spent; None is all.
        backoff: how it waits when the server refuses for quota or is not there.
        service: what it is called in errors.
        pip: what is to be installed when httpx is missing.
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
        self._asking: dict[str, tuple[Lock, int]] = {}
        self._lock = Lock()
        self._hopeless = 0

    def __enter__(self) -> LanguageModel:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def open(self) -> None:
        """Make ready to ask; the first question does it else.

        Raises:
            MissingError: httpx or a key is missing.
        """
        self._server.connect()

    def close(self) -> None:
        """Close the connections; the next question opens them again."""
        self._server.close()

    def ask(self, messages: Sequence[Message], form: Form[Value] | type[Value]) -> Answer[Value]:
        """Ask one question.

        Args:
            messages: the conversation so far.
            form: what the answer must look like, or a pydantic model of it.

        Raises:
            AnswerError: the model refuses, or answers wrongly each time.
            ServiceError: the server cannot be reached, or refuses.
            OverBudgetError: the question does not fit the budget.
            MissingError: httpx or a key is missing.
        """
        return self._ask(Question(tuple(messages), as_form(form)), self.backoff)

    def ask_all(self, questions: Iterable[Question[Value]]) -> Iterator[_Asked[Value]]:
        """Ask many, several at once; give each with its answer or its error, as they come.

        Args:
            questions: taken as they are needed, from the caller's thread.

        Raises:
            MemelocError: what would meet every further question too (a wrong key, an empty budget,
                a server that is gone), after everything under way has been answered.
        """
        backoff = replace(self.backoff, stop=Event())

        def ask(question: Question[Value]) -> list[_Asked[Value]]:
            return [self._answer_or_error(question, backoff)]

        yield from ask_in_parallel(
            questions,
            ask,
            _failed,
            at_once=self.settings.at_once,
            stop=backoff.stop,
        )

    def key(self, question: Question[Any]) -> str:
        """The name of a question in the cache: model, messages, schema, parameters."""
        parameters = {
            "temperature": self.settings.temperature,
            "seed": self.settings.seed,
            "max_tokens": self.settings.max_tokens,
        }
        return question_key(
            self.settings.model, question.messages, question.form.schema, parameters
        )

    def plan(self, questions: Iterable[Question[Any]]) -> Plan:
        """What asking would cost. No request is sent and no key is needed."""
        total = Estimate()
        count = cached = 0
        most = 0.0
        seen: set[str] = set()
        samples: list[str] = []
        for question in questions:
            count += 1
            key = self.key(question)
            if self.cache is not None and (
                key in seen or self._stored(key, question.form) is not None
            ):
                cached += 1
                continue
            seen.add(key)
            one = self.estimate(question)
            total += one
            most += self.most(question)
            if len(samples) < SAMPLES:
                samples.append(as_text(question))
        return Plan(
            self.settings.model,
            count,
            cached,
            total.tokens_in,
            total.tokens_out,
            price(self.settings, total.tokens_in, total.tokens_out),
            most,
            self.settings.currency,
            tuple(samples),
        )

    def estimate(self, question: Question[Any]) -> Estimate:
        """Tokens of asking once."""
        schema = len(json.dumps(dict(question.form.schema)))
        return estimate(self.settings, question.messages, schema, question.expected)

    def price(self, tokens_in: float, tokens_out: float) -> float:
        """What tokens cost."""
        return price(self.settings, tokens_in, tokens_out)

    def most(self, question: Question[Any]) -> float:
        """What a question may cost when it is asked as often as allowed."""
        one = self.estimate(question)
        # From the second time on, the wrong answer and what is wrong with it come on top.
        more = self.settings.max_tokens + WRONG + 100 + 2 * OVERHEAD
        asks = self.settings.asks
        return price(
            self.settings,
            asks * one.most_in + more * (asks - 1),
            asks * self.settings.max_tokens,
        )

    def _answer_or_error(self, question: Question[Value], backoff: Backoff) -> _Asked[Value]:
        try:
            return question, self._ask(question, backoff)
        except InputError as error:  # a picture that does not open
            return question, error
        except AnswerError as error:
            with self._lock:
                hopeless = error.kind == "server" and not self.spent.requests
                self._hopeless = self._hopeless + 1 if hopeless else 0
                if self._hopeless >= _HOPELESS:
                    raise ServiceError(self.service, error.reason, retryable=False) from error
            return question, error

    def _ask(self, question: Question[Value], backoff: Backoff) -> Answer[Value]:
        if self.cache is None:
            return self._ask_server(question, backoff)
        key = self.key(question)
        with self._only(key):
            stored = self._stored(key, question.form)
            if stored is not None:
                self.spent.add(answered=1, cached=1)
                return stored
            return self._ask_server(question, backoff, key)

    def _ask_server(
        self, question: Question[Value], backoff: Backoff, key: str = ""
    ) -> Answer[Value]:
        """Asked, and again with what is wrong, until the answer is right."""
        messages = list(question.messages)
        tokens_in = tokens_out = 0
        cost = 0.0
        wrong = text = ""
        attempts = 0
        while attempts < self.settings.asks:
            asked = Question(tuple(messages), question.form, expected=question.expected)
            try:
                reply, asked_tokens, answer_tokens = self._pay(asked, backoff)
            except ServiceError as error:
                for_all = isinstance(error, StatusError) and error.for_all
                if for_all or (error.retryable and not attempts):
                    raise
                self.spent.add(failed=1)
                raise AnswerError(self.service, "server", error.message, attempts, cost) from error
            attempts += 1
            tokens_in += asked_tokens
            tokens_out += answer_tokens
            cost += price(self.settings, asked_tokens, answer_tokens)
            text = reply.text
            if reply.refusal:
                self.spent.add(refused=1)
                raise AnswerError(self.service, "refused", reply.refusal, attempts, cost)
            try:
                value = question.form.read(text)
            except ValueError as error:
                wrong = str(error)
                if reply.cut:
                    wrong += f"; it was cut off at {self.settings.max_tokens} tokens"
                wrong = whole(wrong).encode()[:WRONG].decode("utf-8", "ignore")
                messages = [
                    *question.messages,
                    Message("assistant", text[:SENT_BACK]),
                    Message("user", f"That is not right: {wrong}. Answer again."),
                ]
                continue
            answer = Answer(
                value, reply.model or self.settings.model, attempts, tokens_in, tokens_out, cost
            )
            if key and self.cache is not None:
                self.cache.put(key, _stored_text(answer, text))
            self.spent.add(answered=1)
            return answer
        if refuses(text):
            self.spent.add(refused=1)
            reason = " ".join(text.split())[:300]
            raise AnswerError(self.service, "refused", reason, attempts, cost)
        self.spent.add(failed=1)
        raise AnswerError(self.service, "wrong", wrong, attempts, cost)

    def _pay(self, question: Question[Any], backoff: Backoff) -> tuple[Reply, int, int]:
        """One request within the budget: its reply, and the tokens of question and answer."""
        about = self.estimate(question)
        with self.budget.hold(price(self.settings, about.most_in, about.most_out)) as held:
            form = question.form
            reply = self._server.send(question.messages, form.name, form.schema, backoff)
            counted = reply.tokens_in is not None
            if counted:
                tokens_in, tokens_out = reply.tokens_in or 0, reply.tokens_out or 0
            else:
                # Where the server does not count: a token a byte, which is never too few.
                answer = len(whole(reply.text).encode())
                tokens_in, tokens_out = about.most_in, min(answer, self.settings.max_tokens)
            held.cost = price(self.settings, tokens_in, tokens_out)
        self.spent.add(
            requests=1,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=held.cost,
            guessed=0 if counted else 1,
        )
        return reply, tokens_in, tokens_out

    def _stored(self, key: str, form: Form[Value]) -> Answer[Value] | None:
        """The answer in the cache, if it is there and still right."""
        kept = self.cache.get(key) if self.cache is not None else None
        if kept is None:
            return None
        try:
            stored = json.loads(kept)
            return Answer(
                form.read(stored["text"]),
                stored["model"],
                stored["attempts"],
                stored["tokens_in"],
                stored["tokens_out"],
                0.0,
                cached=True,
            )
        except (ValueError, KeyError, TypeError):
            return None

    @contextmanager
    def _only(self, key: str) -> Iterator[None]:
        """Nobody else asks the same meanwhile: the second finds the answer of the first."""
        with self._lock:
            lock, waiting = self._asking.get(key, (Lock(), 0))
            self._asking[key] = lock, waiting + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, waiting = self._asking[key]
                if waiting == 1:
                    del self._asking[key]
                else:
                    self._asking[key] = lock, waiting - 1


def _stored_text(answer: Answer[Any], text: str) -> str:
    return json.dumps(
        {
            "text": whole(text),
            "model": answer.model,
            "attempts": answer.attempts,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
        },
        ensure_ascii=False,
    )


def _failed(question: Question[Value], error: MemelocError) -> list[_Asked[Value]]:
    passing = isinstance(error, ServiceError) and error.retryable
    return [(question, error)] if passing else []
