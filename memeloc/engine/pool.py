"""A map over shards on this machine's cores. In: see `ShardMap`. Out: the same.

Each process has a pipe of its own, over which it is given one shard at a time, and this process is
what waits on all the pipes: the death of a process then concerns its own shard and no other, and no
thread stands in the way of forking.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import Any, Generic

from memeloc.engine.protocol import Result, Shard, ShardResult

_TRIES = 2
"""How often a shard may be begun before the death of its process is taken for its own fault."""

_METHOD = "forkserver" if sys.platform == "linux" else "spawn"
"""How processes are started. Forking this process would copy the locks of its threads; a server
that has only imported modules has none, and on other systems not even that is safe."""

_WAITING = 4
"""Shards, for each job, that may wait for a job of their own lane before any job takes them."""

_forked: list[_Process] = []
"""What `fork_ahead` forked and no map has taken yet."""


def usable_cpus() -> int:
    """How many processors this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def prepare(modules: Sequence[str]) -> None:
    """Let the modules that processes will need be imported, once for all and beside this process.

    Worth a call before this process does its own imports, when processes are sure to be wanted.
    """
    if _METHOD == "forkserver" and not _forked:
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(list(modules))
        with _deaf_to_interrupts():
            forkserver.ensure_running()


def fork_ahead(count: int, get_ready: Callable[[], None] | None = None) -> None:
    """Fork the processes of a map to come, with all that this process has loaded.

    They begin at once and hold the modules in common. While they wait for the map, each calls
    `get_ready`; what that raises is left for the map's `initializer` to meet. For the main program
    alone, and best before it opens anything: a library cannot know what else the process it is in
    has open. Where forking is not safe (threads, another system than Linux) nothing happens, and
    the map starts processes.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return
    gc.freeze()  # so that no collection writes to pages that are held in common
    while len(_forked) < count:
        _forked.append(_Process("fork", get_ready))


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
    _Jobs((function, initializer, initargs), on_done, supply).run(jobs)


class _Supply(Generic[Shard]):
    """The shards, read lazily, each kept for a job of its lane as long as that does no harm."""

    def __init__(
        self, shards: Iterable[Shard], jobs: int, lane: Callable[[Shard], int] | None
    ) -> None:
        self._source = enumerate(shards)
        self._lane = lane
        self._jobs = jobs
        self._most = _WAITING * jobs
        self._waiting: dict[int, deque[tuple[int, Shard]]] = {}

    def next_for(self, job: int) -> tuple[int, Shard] | None:
        """The next shard for a job, and its place among all; None when there are no more."""
        while not self._of_job(job) and self._count() < self._most and self._read():
            pass
        queue = self._of_job(job) or max(self._waiting.values(), key=len, default=None)
        return queue.popleft() if queue else None

    def read_ahead(self) -> None:
        """Have a shard at hand for each job, so that none will have to wait for it."""
        while self._count() < self._jobs and self._read():
            pass

    def _read(self) -> bool:
        item = next(self._source, None)
        if item is None:
            return False
        lane = self._lane(item[1]) if self._lane else 0
        self._waiting.setdefault(lane, deque()).append(item)
        return True

    def _count(self) -> int:
        return sum(map(len, self._waiting.values()))

    def _of_job(self, job: int) -> deque[tuple[int, Shard]] | None:
        """What waits in the job's lane; jobs share a lane when there are fewer lanes."""
        lanes = len(self._waiting)
        return self._waiting.get(job % lanes) if lanes else None


class _DeadError(Exception):
    """A process is no more."""


class _Process:
    """A process that does one shard after another, and this end of the pipe to it."""

    def __init__(self, method: str, get_ready: Callable[[], None] | None = None) -> None:
        context: Any = multiprocessing.get_context(method)
        self._pipe, theirs = context.Pipe()
        # A forked process has what is open here: these it must close, so that a pipe of which this
        # process is gone has no other end left.
        strangers = [p._pipe for p in (*_forked, self)] if method == "fork" else []
        self._process = context.Process(target=_serve, args=(theirs, strangers, get_ready))
        with _deaf_to_interrupts(), warnings.catch_warnings():
            # Python warns of threads, and counts those of numpy and Arrow, which mind forking.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        theirs.close()

    @property
    def pipe(self) -> Any:
        """It can be read when there is an answer, or when the process has died."""
        return self._pipe

    def send(self, message: object) -> None:
        """Send the work, or a shard.

        Raises:
            _DeadError: it is dead.
        """
        try:
            self._pipe.send(message)
        except (BrokenPipeError, ConnectionResetError):
            raise _DeadError from None

    def answer(self) -> tuple[bool, Any]:
        """Whether the shard was done, and the result or what was raised.

        Raises:
            _DeadError: it is dead.
        """
        try:
            found: tuple[bool, Any] = self._pipe.recv()
        except (EOFError, ConnectionResetError, BrokenPipeError):
            raise _DeadError from None
        return found

    def stop(self, *, at_once: bool = False) -> None:
        """Let the process end: at once, and wait for that, or beside what this one does next."""
        self._pipe.close()
        if at_once:
            self._process.terminate()
            self._process.join()


def _dismiss() -> None:
    """Stop what was forked for nothing."""
    while _forked:
        _forked.pop().stop()


atexit.register(_dismiss)  # after multiprocessing's own, which waits for them, and so before it


class _Job:
    """One process, started anew after a death."""

    def __init__(self, number: int, work: tuple[object, ...]) -> None:
        self.number = number
        self._work = work
        self._process: _Process | None = None

    def submit(self, shard: object) -> Any:
        """Give the process a shard; return the pipe at which its answer will come."""
        if self._process is not None:
            try:
                self._process.send(shard)
            except _DeadError:  # with nothing at hand
                self.renew()
            else:
                return self._process.pipe
        self._process = process = _forked.pop(0) if _forked else _Process(_METHOD)
        with suppress(_DeadError):  # it gives no answer then, which is noticed there
            process.send(self._work)
            process.send(shard)
        return process.pipe

    def answer(self) -> tuple[bool, Any]:
        assert self._process is not None
        return self._process.answer()

    def renew(self) -> None:
        """Forget the process, which has died; the next shard gets a fresh one."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def stop(self, *, at_once: bool) -> None:
        if self._process is not None:
            self._process.stop(at_once=at_once)


class _Jobs(Generic[Shard, Result]):
    def __init__(
        self,
        work: tuple[Callable[[Shard], Result], Callable[..., None] | None, tuple[object, ...]],
        on_done: Callable[[ShardResult[Shard, Result]], None],
        supply: _Supply[Shard],
    ) -> None:
        self._supply = supply
        self._work = work
        self._on_done = on_done
        self._running: dict[Connection, tuple[_Job, int, Shard, int]] = {}

    def run(self, count: int) -> None:
        jobs: list[_Job] = []
        finished = False
        try:
            while len(jobs) < count:
                job = _Job(len(jobs), self._work)
                jobs.append(job)
                if not self._feed(job):
                    break
            while self._running:
                self._supply.read_ahead()
                ended = [self._settle(pipe) for pipe in wait_for(list(self._running))]
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
        self._running[job.submit(shard)] = (job, index, shard, tries)

    def _settle(self, pipe: Any) -> ShardResult[Shard, Result] | None:
        """Give the shard's job its next work; return how the shard ended, unless it runs again."""
        job, index, shard, tries = self._running.pop(pipe)
        try:
            done, value = job.answer()
        except _DeadError:
            job.renew()
            if tries < _TRIES:
                self._begin_shard(job, index, shard, tries=tries + 1)
                return None
            self._feed(job)
            return ShardResult(
                index, shard, None, f"its process died {tries} times while working on it"
            )
        if not done:
            raise value
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


def _serve(
    pipe: Connection, strangers: Sequence[Connection], get_ready: Callable[[], None] | None
) -> None:
    """What a process does: the shards that come over the pipe, until it is closed.

    It leaves Ctrl-C to its parent, and never outlives it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stranger in strangers:
        stranger.close()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if get_ready is not None:
        with suppress(Exception):
            get_ready()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        function, initializer, initargs = pipe.recv()
        begun = (True, None) if initializer is None else _outcome(initializer, initargs)
        while True:
            shard = pipe.recv()
            # What the initializer raised is for the caller, as if the first shard had raised it.
            _answer(pipe, _outcome(function, (shard,)) if begun[0] else begun)


def _outcome(function: Callable[..., object], arguments: tuple[object, ...]) -> tuple[bool, object]:
    """Whether a function returned, and what it returned or raised."""
    try:
        return True, function(*arguments)
    except BaseException as error:
        error.add_note(f"In a process of its own:\n{traceback.format_exc()}")
        return False, error


def _answer(pipe: Connection, outcome: tuple[bool, object]) -> None:
    """Send an outcome, or, if it cannot be pickled, say what it was."""
    try:
        content = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
        if not outcome[0]:
            pickle.loads(content)  # noqa: S301 - what was just pickled
    except Exception as error:
        said = f"{outcome[1]!r} cannot cross to another process: {error}"
        content = pickle.dumps((False, RuntimeError(said)))
    pipe.send_bytes(content)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
