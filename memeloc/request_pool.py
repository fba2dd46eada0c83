"""Requests, retried and several at once. In: batches, and how to ask. Out: answers, as they come.

A network translator waits far longer than it works, so a few batches are under way at once; how
many is bounded, so that a service is not stormed and little is lost when somebody stops.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic, time
from typing import TypeVar

from memeloc.errors import MemelocError, ServiceError

Batch = TypeVar("Batch")
Result = TypeVar("Result")

GIVE_UP_AFTER = 3
"""Batches in a row that a service may leave unanswered before no more are sent."""
PATIENCE = 3.0
"""Seconds without an answer after which it is said that it is waited for."""


@dataclass(frozen=True, slots=True)
class TransientFailure:
    """A request that may yet succeed, else `error` is raised; the seconds that are asked for."""

    error: ServiceError
    wait: float = 0.0


def retry_after(header: str) -> float:
    """Return the seconds of a Retry-After header, a number or a date (RFC 9110, 10.2.3), or 0.0.

    >>> retry_after("30"), retry_after(""), retry_after("Thu, 01 Jan 1970 00:00:00 GMT")
    (30.0, 0.0, 0.0)
    """
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time()
        except (ValueError, TypeError, IndexError, OverflowError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


@dataclass(slots=True)
class Backoff:
    """Waits between attempts: exponential, with equal jitter; `stop` ends them.

    The n-th wait is drawn evenly from the upper half of `first * 2 ** n` seconds, at most `longest`
    ("equal jitter", M. Brooker, Exponential Backoff and Jitter, AWS Architecture Blog 2015), so
    that all of them together outlast a quota by the minute: 91 to 183 seconds. None is shorter than
    what the service asked for, unless that is more than `patience`, in seconds: then the request
    counts as failed. The jitter's `seed` of None draws another each time; `pause` waits for the
    event so many seconds, and says whether it is set. `failure` is why the last request is waited
    for, empty once one succeeds.
    """

    attempts: int = 9
    first: float = 1.0
    longest: float = 60.0
    patience: float = 120.0
    seed: int | None = None
    stop: Event = field(default_factory=Event, repr=False)
    pause: Callable[[Event, float], bool] = field(default=Event.wait, repr=False)
    failure: str = field(default="", init=False)
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def ask(
        self, send: Callable[[], Result], passing: Callable[[Exception], TransientFailure | None]
    ) -> Result:
        """Send until it succeeds; raise ServiceError if it never does.

        `passing` says of an exception whether it may pass; one that will not is raised as it is.
        """
        for attempt in range(self.attempts):
            try:
                result = send()
            except Exception as error:
                failure = passing(error)
                if failure is None:
                    raise
                self.failure = failure.error.message
                last = attempt + 1 == self.attempts or failure.wait > self.patience
                half = min(self.longest, self.first * 2.0**attempt) / 2
                wait = max(failure.wait, half + half * self._random.random())
                if last or self.pause(self.stop, wait):
                    raise failure.error from error
            else:
                self.failure = ""
                return result
        raise AssertionError("attempts is at least 1")


def ask_in_parallel(
    batches: Iterable[Batch],
    ask: Callable[[Batch], list[Result]],
    failed: Callable[[Batch, MemelocError], list[Result]],
    *,
    at_once: int,
    stop: Event,
    waiting: Callable[[float], None] = lambda seconds: None,
) -> Iterator[Result]:
    """Ask for each batch in a thread of its own, `at_once` at the most; yield answers as they come.

    Args:
        batches: taken as they are needed, from the caller's thread.
        ask: gives a batch's answers. A retryable ServiceError fails the batch; any other
            MemelocError would meet every further batch too, and ends all.
        failed: makes answers for a batch that got none.
        stop: is set to end waiting between attempts.
        waiting: is given the seconds since the last answer when none has come for so long: after
            `PATIENCE`, and then after twice as long as it last was.

    Raises:
        MemelocError: what ended all, after everything under way has been answered.
        KeyboardInterrupt: Ctrl-C, likewise.
    """
    coming = iter(batches)
    pending: dict[Future[list[Result]], Batch] = {}
    done: SimpleQueue[Future[list[Result]]] = SimpleQueue()
    ending: BaseException | None = None
    unanswered = 0
    patience, since = PATIENCE, monotonic()
    stop.clear()
    pool = ThreadPoolExecutor(at_once, thread_name_prefix="memeloc-request")
    try:
        while True:
            try:
                while ending is None and len(pending) < at_once:
                    batch = next(coming, None)
                    if batch is None:
                        break
                    future = pool.submit(ask, batch)
                    pending[future] = batch
                    future.add_done_callback(done.put)
                if not pending:
                    break
                future = done.get(timeout=max(0.0, since + patience - monotonic()))
                since = monotonic()
            except Empty:
                waiting(patience)
                patience *= 2
                continue
            except KeyboardInterrupt as interrupt:
                if ending is not None:
                    raise  # a second Ctrl-C does not wait for what is under way
                ending = interrupt
                stop.set()
                for future in pending:  # the interrupt may have come between two of these lines
                    future.add_done_callback(done.put)
                continue
            if future not in pending:
                continue
            batch = pending.pop(future)
            try:
                results = future.result()
                unanswered = 0
            except MemelocError as error:
                results = failed(batch, error)
                passing = isinstance(error, ServiceError) and error.retryable
                unanswered = unanswered + 1 if passing else unanswered
                if not passing or unanswered >= GIVE_UP_AFTER:
                    ending = ending or error
                    stop.set()
            for result in results:
                try:
                    yield result
                except KeyboardInterrupt as interrupt:
                    ending = interrupt
                    stop.set()
        if ending is not None:
            raise ending
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
