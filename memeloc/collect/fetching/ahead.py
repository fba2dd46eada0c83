"""When something is fetched. In: things, and what is to be fetched of each. Out: turns at hosts.

While a thing is looked at, what the next ones need is under way in other threads (`Ahead`); who
then asks for it gets what came of it. A host gets one request at a time. More are an agreement with
those who run it, so they are a setting by host; each of them keeps the pause after its own last
one, and a host that is busy stops them all (`HostTurns`).
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from memeloc.errors import MemelocError


class HostTurns:
    """The turns of one host, shared by threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._free: list[float] = []
        self._not_before = 0.0

    def take(self, at_once: int) -> None:
        """Wait for a turn: for fewer requests than `at_once`, and for the pause to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._running < at_once)
            self._running += 1
            free = heapq.heappop(self._free) if self._free else 0.0
        while (left := max(free, self._not_before) - time.monotonic()) > 0:
            time.sleep(left)

    def end(self, pause: float, busy: float = 0.0) -> None:
        """End a turn: the next in its place comes after `pause` seconds, any other after `busy`."""
        with self._changed:
            now = time.monotonic()
            self._running -= 1
            heapq.heappush(self._free, now + pause)
            self._not_before = max(self._not_before, now + busy)
            self._changed.notify()


Key = TypeVar("Key")
Value = TypeVar("Value")
Thing = TypeVar("Thing")


class Ahead(Generic[Key, Value]):
    """What is being fetched, by what it is asked for by."""

    def __init__(self, fetch: Callable[[Key], Value]) -> None:
        self._fetch = fetch
        self._under_way: dict[Key, Future[Value]] = {}

    def get(self, key: Key) -> Value:
        """What was fetched ahead, once, else what is fetched now; raises what fetching raises."""
        future = self._under_way.pop(key, None)
        return self._fetch(key) if future is None else future.result()

    def of(
        self, things: Iterable[Thing], keys: Callable[[Thing], Iterable[Key]], at_once: int
    ) -> Iterator[Thing]:
        """The things, with the keys of some of the next ones under way, so many at once."""
        waiting: deque[tuple[Thing, list[Key]]] = deque()
        pool = ThreadPoolExecutor(at_once, "fetch")
        problem: MemelocError | None = None
        try:
            try:
                for thing in things:
                    needed = list(keys(thing))
                    for key in needed:
                        if key not in self._under_way:
                            self._under_way[key] = pool.submit(self._fetch, key)
                    waiting.append((thing, needed))
                    if len(waiting) >= 2 * at_once:
                        yield from self._first(waiting)
            except MemelocError as error:
                problem = error  # what came before it is still there
            while waiting:
                yield from self._first(waiting)
            if problem is not None:
                raise problem
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for _, needed in waiting:
                self._forget(needed)

    def _first(self, waiting: deque[tuple[Thing, list[Key]]]) -> Iterator[Thing]:
        thing, needed = waiting.popleft()
        try:
            yield thing
        finally:
            self._forget(needed)

    def _forget(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self._under_way.pop(key, None)
