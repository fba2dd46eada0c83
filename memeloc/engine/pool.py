"""A map over shards on this machine's cores. In: see `ShardMap`. Out: the same.

Every job is a pool of one process. In a pool of several, one death breaks all that is under way and
nobody can say whose shard it was; here the death of a process concerns its own shard and no other.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for
from typing import Generic

from memeloc.engine.protocol import Result, Shard, ShardResult

_TRIES = 2
"""How often a shard may be begun before the death of its process is taken for its own fault."""

_METHOD = "forkserver" if sys.platform == "linux" else "spawn"
"""How processes are started. Forking this process would copy the locks of its threads; a server
that has only imported modules has none, and on other systems not even that is safe."""

_WAITING = 4
"""Shards, for each job, that may wait for a job of their own lane before any job takes them."""

_not_begun: list[Exception] = []
"""In a worker: what its initializer raised."""


def usable_cpus() -> int:
    """How many processors this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def prepare(modules: Sequence[str]) -> None:
    """Let the modules that processes will need be imported, once for all and beside this process.

    Worth a call before this process does its own imports, when processes are sure to be wanted.
    """
    if _METHOD == "forkserver":
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(list(modules))
        with _deaf_to_interrupts():
            forkserver.ensure_running()


def map_shards(
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    *,
    jobs: int,
    on_done: Callable[[ShardResult[Shard, Result]], None],
    initializer: Callable[..., None] | None = None,
    initargs: tuple[object, ...] = (),
    lane: Callable[[Shard], int] | None = None,
) -> None:
    """Run `function` on each shard; the contract is `ShardMap`'s.

    With `jobs` of 1 all of it runs in this process, and a death is this process's own.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    if jobs == 1:
        started = False
        for index, shard in enumerate(shards):
            if initializer is not None and not started:
                initializer(*initargs)
            started = True
            on_done(ShardResult(index, shard, function(shard)))
        return
    supply = _Supply(shards, jobs, lane)
    _Jobs(function, on_done, (initializer, initargs), supply).run(jobs)


class _Supply(Generic[Shard]):
    """The shards, read lazily, each kept for a job of its lane as long as that does no harm."""

    def __init__(
        self, shards: Iterable[Shard], jobs: int, lane: Callable[[Shard], int] | None
    ) -> None:
        self._source = enumerate(shards)
        self._lane = lane
        self._most = _WAITING * jobs
        self._waiting: dict[int, deque[tuple[int, Shard]]] = {}

    def next_for(self, job: int) -> tuple[int, Shard] | None:
        """The next shard for a job, and its place among all; None when there are no more."""
        if self._lane is None:
            return next(self._source, None)
        while not self._of_job(job) and sum(map(len, self._waiting.values())) < self._most:
            item = next(self._source, None)
            if item is None:
                break
            self._waiting.setdefault(self._lane(item[1]), deque()).append(item)
        queue = self._of_job(job) or max(self._waiting.values(), key=len, default=None)
        return queue.popleft() if queue else None

    def _of_job(self, job: int) -> deque[tuple[int, Shard]] | None:
        """What waits in the job's lane; jobs share a lane when there are fewer lanes."""
        lanes = len(self._waiting)
        return self._waiting.get(job % lanes) if lanes else None


class _Job:
    """One process, started anew after a death."""

    def __init__(
        self, number: int, start: tuple[Callable[..., None] | None, tuple[object, ...]]
    ) -> None:
        self.number = number
        self._start = start
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, function: Callable[[Shard], Result], shard: Shard) -> Future[Result]:
        if self._pool is not None:
            try:
                return self._pool.submit(_run, function, shard)
            except BrokenProcessPool:  # it died with nothing at hand
                self.renew()
        self._pool = ProcessPoolExecutor(
            1,
            mp_context=multiprocessing.get_context(_METHOD),
            initializer=_begin,
            initargs=self._start,
        )
        with _deaf_to_interrupts():
            return self._pool.submit(_run, function, shard)

    def renew(self) -> None:
        """Forget the process, which has died; the next shard gets a fresh one."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = None

    def stop(self, *, at_once: bool) -> None:
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())
        if at_once:
            for process in processes:
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


class _Jobs(Generic[Shard, Result]):
    def __init__(
        self,
        function: Callable[[Shard], Result],
        on_done: Callable[[ShardResult[Shard, Result]], None],
        start: tuple[Callable[..., None] | None, tuple[object, ...]],
        supply: _Supply[Shard],
    ) -> None:
        self._supply = supply
        self._function = function
        self._on_done = on_done
        self._start = start
        self._running: dict[Future[Result], tuple[_Job, int, Shard, int]] = {}

    def run(self, count: int) -> None:
        jobs: list[_Job] = []
        finished = False
        try:
            while len(jobs) < count:
                job = _Job(len(jobs), self._start)
                jobs.append(job)
                if not self._feed(job):
                    break
            while self._running:
                done, _ = wait(self._running, return_when=FIRST_COMPLETED)
                ended = [self._settle(future) for future in done]
                for result in filter(None, ended):
                    self._on_done(result)
            finished = True
        finally:
            for job in jobs:
                job.stop(at_once=not finished)

    def _feed(self, job: _Job) -> bool:
        item = self._supply.next_for(job.number)
        if item is None:
            return False
        self._begin_shard(job, *item, tries=1)
        return True

    def _begin_shard(self, job: _Job, index: int, shard: Shard, *, tries: int) -> None:
        self._running[job.submit(self._function, shard)] = (job, index, shard, tries)

    def _settle(self, future: Future[Result]) -> ShardResult[Shard, Result] | None:
        """Give the shard's job its next work; return how the shard ended, unless it runs again."""
        job, index, shard, tries = self._running.pop(future)
        try:
            value = future.result()
        except BrokenProcessPool:
            job.renew()
            if tries < _TRIES:
                self._begin_shard(job, index, shard, tries=tries + 1)
                return None
            self._feed(job)
            return ShardResult(
                index, shard, None, f"its process died {tries} times while working on it"
            )
        self._feed(job)
        return ShardResult(index, shard, value)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started meanwhile never hears of Ctrl-C, not even before its first line of Python.

    This process hears of it afterwards: only its own stopping stops the others.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(initializer: Callable[..., None] | None, initargs: tuple[object, ...]) -> None:
    """What a process does first: leave Ctrl-C to its parent, and never outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if initializer is not None:
        try:
            initializer(*initargs)
        except Exception as error:
            # Raised here it would only break the pool; from the first shard it reaches the caller.
            _not_begun.append(error)


def _run(function: Callable[[Shard], Result], shard: Shard) -> Result:
    if _not_begun:
        raise _not_begun[0]
    return function(shard)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
