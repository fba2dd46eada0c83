"""Asking a language model. In: questions with a form. Out: checked answers, with what they cost.

An answer that does not fit its form is sent back with what is wrong with it, a few times. Every
one, right or wrong, is kept by the content of its question, so that nobody pays for it twice.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition, Event, Lock
from typing import Any, Literal, Protocol, Self, TypeAlias, cast, overload

from pydantic import BaseModel

from memeloc.counts import counted
from memeloc.errors import InputError, MemelocError, ServiceError
from memeloc.language_models.answers import NOT_JSON, read_form, refuses, schema_text
from memeloc.language_models.connections import UnansweredError
from memeloc.language_models.cost import WRONG, Budget, Estimate, Plan, Spending, estimate
from memeloc.language_models.pictures import EncodedPictures
from memeloc.language_models.protocol import Reply
from memeloc.language_models.questions import (
    Answer,
    AnswerError,
    Message,
    Question,
    Value,
    content_hash,
    whole,
)
from memeloc.language_models.server import Server, StatusError
from memeloc.language_models.settings import ModelSettings
from memeloc.request_pool import Backoff, ask_in_parallel

_APPLICATION = 0x6D656D61  # "mema": a file of answers, and no other SQLite database


class Cache(Protocol):
    """Store of answers by the content of their questions, called from several threads."""

    def get(self, key: str) -> str | None:
        """Return what was kept under a key; None when nothing was."""
        ...

    def put(self, key: str, value: str) -> None:
        """Keep a value under a key, in place of what was there before."""
        ...


class MemoryCache(dict[str, str]):
    """A cache that lasts as long as the process."""

    put = dict.__setitem__


class FileCache:
    """A cache in a file of its own, a SQLite database, for runs outside a workspace.

    Threads and processes may share it. Each answer is in the file when `put` returns, so a process
    that is killed loses none. Raise InputError if the file cannot be written, or is something else.

    >>> import tempfile
    >>> with FileCache(Path(tempfile.mkdtemp()) / "answers.sqlite") as cache:
    ...     cache.put("key", "an answer")
    ...     cache.get("key"), len(cache)
    ('an answer', 1)
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self.path, timeout=60, isolation_level=None, check_same_thread=False
            )
            run = self._connection.execute
            (application,) = run("PRAGMA application_id").fetchone()
            (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
            if application != _APPLICATION and tables:
                raise InputError(
                    "is a database, but none with answers of models; name another file",
                    file=self.path,
                )
            run("PRAGMA journal_mode = WAL")
            # A killed process loses nothing, a power cut the last ones.
            run("PRAGMA synchronous = NORMAL")
            run(f"PRAGMA application_id = {_APPLICATION}")
            run("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"cannot keep answers of models ({error})", file=self.path) from error

    def get(self, key: str) -> str | None:
        """Return what was kept under a key; see `Cache`."""
        row = self._run("SELECT value FROM answers WHERE key = ?", key)
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        """Keep a value under a key; see `Cache`."""
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?)", key, value)

    def __len__(self) -> int:
        """Return how many answers there are."""
        return int(self._run("SELECT count(*) FROM answers")[0])

    def _run(self, statement: str, *values: str) -> Any:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise InputError(f"cannot keep answers of models ({error})", file=self.path) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._connection.close()


SAMPLES = 3
"""Questions that a plan shows in full."""
SENT_BACK = 2000
"""Characters of a wrong answer that are sent back at the most."""
_HOPELESS = 3
"""Questions in a row from the first on that a server refuses before no more are sent."""
_EMPTY = 4
"""Answers from the first on with nothing to read before no more are asked for."""

_Asked: TypeAlias = tuple[Question[Value], Answer[Value] | MemelocError]
_LOG = logging.getLogger(__name__)


class LanguageModel:
    """Client of one model on a server that speaks the OpenAI protocol. May be used by several
    threads.

    Without a cache no answer is kept, without a budget all may be spent. `backoff` is how it waits
    when the server refuses for quota or is not there; `service`, what it is called in errors; `pip`
    is to be installed when urllib3 is missing; `pictures` may be shared by several models. It goes
    on where the first answers have nothing to read with `empty_too`. When no answer comes for three
    seconds a warning is logged, which says why. Raise InputError if there is a budget, and the
    settings have no prices.
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
        pictures: EncodedPictures | None = None,
        empty_too: bool = False,
    ) -> None:
        self.settings = settings
        self.cache = cache
        self.limit(budget)
        self.backoff = backoff or Backoff()
        self.service = service
        self.spent = Spending(settings.currency)
        self._server = Server(settings, service, pip, pictures or EncodedPictures())
        self._asking: set[str] = set()
        self._changed = Condition()
        self._hopeless = 0
        self._empty_too = empty_too
        self._empty = 0
        self._recorded = settings.recorded
        self.open, self.close = self._server.connect, self._server.close

    def __enter__(self) -> LanguageModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def limit(self, budget: Budget | float | None) -> None:
        """Set what may be spent from now on. Raise InputError if the settings have no prices to
        keep it by."""
        self.budget = budget if isinstance(budget, Budget) else Budget(budget)
        if self.budget.limit is not None:
            self.settings.require_prices()

    @overload
    def ask(self, messages: Sequence[Message], form: type[Value]) -> Answer[Value]: ...
    @overload
    def ask(self, messages: Sequence[Message], form: None = None) -> Answer[str]: ...
    def ask(self, messages: Sequence[Message], form: type[Value] | None = None) -> Answer[Any]:
        """Ask one question, whose answer must look like a pydantic model; without one, is text.
        Raise AnswerError if the model refuses, or answers wrongly each time; ServiceError if the
        server cannot be reached, or refuses; OverBudgetError if the question does not fit the
        budget; MissingError if urllib3 or a key is missing."""
        return self._ask(Question[Any](tuple(messages), form), self.backoff)

    def ask_all(self, questions: Iterable[Question[Value]]) -> Iterator[_Asked[Value]]:
        """Ask many, several at once; give each with its answer or its error, as they come.

        Questions are taken as they are needed, from the caller's thread.

        Raises:
            MemelocError: what would meet every further question too (a wrong key, an empty budget,
                a server that is gone), after everything under way has been answered.
        """
        backoff = replace(self.backoff, stop=Event())

        def ask(question: Question[Value]) -> list[_Asked[Value]]:
            try:
                return [(question, self._ask(question, backoff))]
            except InputError as error:  # a picture that does not open
                return [(question, error)]
            except AnswerError as error:
                with self._changed:
                    is_hopeless = error.kind == "server" and not self.spent.requests
                    self._hopeless = self._hopeless + 1 if is_hopeless else 0
                    if self._hopeless >= _HOPELESS:
                        raise ServiceError(self.service, error.reason, retryable=False) from error
                return [(question, error)]

        def failed(question: Question[Value], error: MemelocError) -> list[_Asked[Value]]:
            passing = isinstance(error, ServiceError) and error.retryable
            return [(question, error)] if passing else []

        def waiting(seconds: float) -> None:
            reason = f" ({backoff.failure})" if backoff.failure else ""
            text = "%s has not answered for %.0f seconds%s; waiting"
            _LOG.warning(text, self.settings.model, seconds, reason)

        yield from ask_in_parallel(
            questions,
            ask,
            failed,
            at_once=self.settings.at_once,
            stop=backoff.stop,
            waiting=waiting,
        )

    def key(self, question: Question[Any]) -> str:
        """Return a question's key in the cache: SHA-256 of all that its answer depends on, in hex.

        That is its messages, schema and round, and all of `ModelSettings.recorded`.
        """
        form = schema_text(question.form) if question.form else None
        content = ["memeloc-question-2", question.prompt_hash(), form, question.round]
        return content_hash([*content, self._recorded])

    def plan(self, questions: Iterable[Question[Any]]) -> Plan:
        """Return what asking would cost. No request is sent and no key is needed."""
        count = cached = tokens_in = tokens_out = 0
        most = 0.0
        keys: set[str] = set()
        samples: list[str] = []
        for question in questions:
            count += 1
            if self.cache is not None:
                key = self.key(question)
                if key in keys or self._find(key, question) is not None:
                    cached += 1
                    continue
                keys.add(key)
            about = self.estimate(question)
            tokens_in += about.tokens_in
            tokens_out += about.tokens_out
            most += about.most
            if len(samples) < SAMPLES:
                samples.append(str(question))
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
        """Return the tokens of asking once, and the most that it may cost."""
        return estimate(question, self.settings)

    def reserve(self, question: Question[Any]) -> float:
        """Return what a question will likely cost, asked as often as those before, the first ones
        as often as allowed; see `Spending.likely`."""
        spent = self.spent
        questions = spent.answered + spent.refused + spent.failed - spent.cached
        asked = spent.requests + spent.unanswered
        times = max(1.0, asked / questions) if questions else self.settings.asks
        return times * self.settings.price(*spent.likely(self.estimate(question)))

    def _ask(self, question: Question[Value], backoff: Backoff) -> Answer[Value]:
        if self.cache is None:
            return self._checked(question, self._ask_server(question, backoff))
        key = self.key(question)
        with self._changed:  # nobody else asks the same: the second finds the answer of the first
            self._changed.wait_for(lambda: key not in self._asking)
            self._asking.add(key)
        try:
            answer = self._find(key, question)
            if answer is not None:
                return self._checked(question, replace(answer, cost=0.0, cached=True))
            answer = self._ask_server(question, backoff)
            self.cache.put(key, answer.to_json())
            return self._checked(question, answer)
        finally:
            with self._changed:
                self._asking.remove(key)
                self._changed.notify_all()

    def _find(self, key: str, question: Question[Any]) -> Answer[Any] | None:
        """Return the cached answer to a question; None when it is to be asked.

        So is a question that was asked more often than now allowed, or less often and in vain; and
        one whose answer no longer fits.
        """
        value = self.cache.get(key) if self.cache is not None else None
        answer = None if value is None else Answer.from_json(value)
        if answer is None or question.form is None or answer.refusal:
            return answer
        if answer.wrong:
            return answer if answer.attempts >= self.settings.asks else None
        try:
            _read(question, answer.text)
        except ValueError:
            return None
        return answer if answer.attempts <= self.settings.asks else None

    def _ask_server(self, question: Question[Any], backoff: Backoff) -> Answer[Any]:
        """Ask, and again with what is wrong, until the answer is right, or as often as allowed.

        A request without an answer counts as one of those times, and at the most that it can cost.
        Raise AnswerError if its server refuses this question.
        """
        settings = self.settings
        asked = question
        tokens_in = tokens_out = attempts = 0
        unanswered: list[float] = []

        def pay(send: Callable[[], Reply]) -> Reply:
            """Send a request within the budget; its tokens are counted by the server or us."""
            about = self.estimate(asked)
            with self.budget.hold(settings.price(*self.spent.likely(about))) as spend:
                try:
                    reply = send()
                except UnansweredError as error:
                    unanswered.append(settings.price(about.most_in, about.most_out))
                    spend(unanswered[-1])
                    self.spent.add(unanswered=1, cost=unanswered[-1])
                    error.final = attempts + len(unanswered) >= settings.asks
                    raise
                guessed = reply.tokens_in is None
                tokens_in, tokens_out = reply.tokens_in or 0, reply.tokens_out or 0
                if guessed:  # a token a byte, which is never too few
                    tokens_in = about.most_in
                    tokens_out = min(len(whole(reply.text).encode()), settings.max_tokens)
                cost = settings.price(tokens_in, tokens_out)
                spend(cost)
            self.spent.add(
                requests=1,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                estimated_in=about.tokens_in,
                estimated_out=about.tokens_out,
                cost=cost,
                guessed=int(guessed),
            )
            return replace(reply, tokens_in=tokens_in, tokens_out=tokens_out)

        while True:
            try:
                reply = self._server.send(asked, backoff, pay)
            except ServiceError as error:
                for_all = isinstance(error, StatusError) and error.for_all
                error.cost = settings.price(tokens_in, tokens_out) + sum(unanswered)
                if not attempts and (for_all or error.retryable):
                    raise  # what was paid for an earlier attempt is kept with its failure
                self.spent.add(failed=1)
                raise AnswerError(
                    self.service, "server", error.message, attempts, error.cost
                ) from error
            attempts += 1
            tokens_in += reply.tokens_in or 0
            tokens_out += reply.tokens_out or 0
            cost = settings.price(tokens_in, tokens_out) + sum(unanswered)
            text = whole(reply.text)
            wrong = "" if reply.refusal else self._wrong(question, reply)
            # What was cut before anything could be read will be cut again.
            if not wrong or attempts >= settings.asks or (reply.cut and not text.strip()):
                break
            if attempts + len(unanswered) >= settings.asks:
                self.spent.add(failed=1)
                reason = f"{wrong}; and {counted(len(unanswered), 'request')} got no answer"
                raise AnswerError(self.service, "server", reason, attempts, cost)
            again = (
                Message("assistant", text[:SENT_BACK]),
                Message("user", f"That is not right: {wrong}. Answer again."),
            )
            asked = replace(question, messages=(*question.messages, *again))
        return Answer(
            text,
            reply.model or settings.model,
            attempts,
            tokens_in,
            tokens_out,
            cost,
            settings.currency,
            datetime.now(UTC).isoformat(timespec="seconds"),
            reply.refusal,
            wrong,
            reply.cut,
            reply.logprobs,
            reply.sent,
        )

    def _wrong(self, question: Question[Any], reply: Reply) -> str:
        """Return what is wrong with an answer, as it is sent back; empty when it is right."""
        try:
            _read(question, whole(reply.text))
        except ValueError as error:
            if str(error) == NOT_JSON and not (reply.cut or refuses(reply.text)):
                # It ignores response_format: from now on the schema is sent in words, too.
                self._server.leave_out("json_schema")
            limit = counted(self.settings.max_tokens, "token")
            cut = f"; it was cut off at {limit}" if reply.cut else ""
            return whole(f"{error}{cut}").encode()[:WRONG].decode("utf-8", "ignore")
        return ""

    def _checked(self, question: Question[Any], answer: Answer[Any]) -> Answer[Any]:
        """Return an answer with its value. Raise AnswerError if it is refused or wrong;
        ServiceError if the first answers have nothing to read."""
        settings = {
            "base_url": self._recorded["base_url"],
            "round": question.round,
            "sent": answer.sent,
            "served": answer.model,
            "question": question.prompt_hash(),
            "answered": answer.date,
            "attempts": answer.attempts,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
        }
        is_empty = not answer.text.strip() and not answer.refusal
        empty = f" is empty; is {self.settings.model} a model that answers chats?"
        if answer.cut:
            empty = (
                f" was cut at max_tokens = {self.settings.max_tokens} before anything could be "
                "read; set max_tokens higher, for a reasoning model to thousands (in a run of "
                "memeloc evaluate: reasoning_tokens)"
            )
        with self._changed:
            self._empty = (self._empty + 1 if is_empty else -1) if self._empty >= 0 else -1
            if self._empty >= _EMPTY and not self._empty_too:
                reason = f"each of the first {_EMPTY} answers{empty}"
                raise ServiceError(self.service, reason, retryable=False)
        if question.form and is_empty and answer.cut:
            self.spent.add(failed=1)
            reason = f"the answer{empty}"
            raise AnswerError(self.service, "server", reason, answer.attempts, answer.cost, answer)
        if question.form and (answer.refusal or answer.wrong):
            refused = answer.refusal or (
                refuses(answer.text) and " ".join(answer.text.split())[:300]
            )
            self.spent.add(**{"refused" if refused else "failed": 1})
            status: Literal["refused", "wrong"] = "refused" if refused else "wrong"
            reason = refused or answer.wrong
            settings = {"reason": reason, **settings}
            answer = replace(answer, status=status, reason=reason, settings=settings)
            raise AnswerError(self.service, status, reason, answer.attempts, answer.cost, answer)
        self.spent.add(answered=1, cached=int(answer.cached))
        return replace(answer, value=_read(question, answer.text), settings=settings)


def _read(question: Question[Value], text: str) -> Value:
    """Return the value of an answer, ValueError when it is not right; without a form any text."""
    if question.form is None:
        return cast("Value", text)
    value = cast("Value", read_form(cast("type[BaseModel]", question.form), text))
    if question.check is not None:
        question.check(value)
    return value
