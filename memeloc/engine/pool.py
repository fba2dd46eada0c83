"""A map over shards on this machine's cores. In: see `ShardMap`. Out: the same.

Each process has a pipe of its own, over which it is given one shard at a time, and this process is
what waits on all the pipes: the death of a process then concerns its own shard and no other.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic

from memeloc.engine.protocol import Result, Shard, ShardMap, ShardResult

TRIES = 2
"""How often a shard may be begun before the death of its process is taken for its own fault."""

_METHOD = "forkserver" if sys.platform == "linux" else "spawn"
"""How processes are started. Forking this process would copy the locks of its threads; a server
that has only imported modules has none, and on other systems not even that is safe."""

_DEATHS = (EOFError, BrokenPipeError, ConnectionResetError)
"""What a pipe raises whose other end is gone."""


def usable_cpus() -> int:
    """How many processors this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def map_shards(
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    *,
    jobs: int,
    on_done: Callable[[ShardResult[Shard, Result]], None],
) -> None:
    """Run `function` on each shard; the contract is `ShardMap`'s.

    With `jobs` of 1 all of it runs in this process, and a death is this process's own.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    if jobs == 1:
        for index, shard in enumerate(shards):
            on_done(ShardResult(index, shard, function(shard)))
    else:
        _map([_Worker() for _ in range(jobs)], function, shards, on_done)


def fork_ahead(jobs: int) -> ShardMap:
    """Fork the processes of one map to come, with all the modules that this process has loaded.

    For the main program alone, before it opens anything: a library cannot know what else the
    process it is in has open. Where forking is not safe (threads, another system than Linux) the
    map starts its processes, as `map_shards` does.

    What it brings: modules are loaded once less, 6 % of the processor's time of `memeloc render`
    of the starter set.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return map_shards
    workers: list[_Worker[Any, Any]] = [_Worker() for _ in range(jobs)]
    for worker in workers:
        worker.start("fork")

    def map_forked(
        function: Callable[[Shard], Result],
        shards: Iterable[Shard],
        *,
        jobs: int,
        on_done: Callable[[ShardResult[Shard, Result]], None],
    ) -> None:
        if jobs == 1:
            map_shards(function, shards, jobs=1, on_done=on_done)
        else:
            _map(workers, function, shards, on_done)

    return map_forked


def _map(
    workers: Sequence[_Worker[Shard, Result]],
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    on_done: Callable[[ShardResult[Shard, Result]], None],
) -> None:
    numbered = enumerate(shards)
    try:
        for worker, (index, shard) in zip(workers, numbered, strict=False):
            worker.begin(function, index, shard)
        while busy := {worker.pipe: worker for worker in workers if worker.pipe and worker.task}:
            for pipe in wait(list(busy)):
                result = busy[pipe].take_result(function, numbered)  # type: ignore[index]
                if result is not None:
                    on_done(result)
    finally:
        for worker in workers:
            worker.stop()


class _Worker(Generic[Shard, Result]):
    """A process that does one shard after another, started anew after a death.

    Attributes:
        pipe: this end of the pipe to it; it can be read when there is an answer, or when the
            process has died.
        task: the shard that it is working on: its index, itself and how often it was begun.
    """

    def __init__(self) -> None:
        self.pipe: Connection | None = None
        self.task: tuple[int, Shard, int] | None = None
        self._process: Any = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._has_function = False

    def start(self, method: str) -> None:
        """Start the process."""
        context: Any = multiprocessing.get_context(method)
        self.pipe, theirs = context.Pipe()
        self._temporary = tempfile.TemporaryDirectory(prefix="memeloc-", ignore_cleanup_errors=True)
        arguments = theirs, self._temporary.name, dict(os.environ)
        self._process = context.Process(target=_serve, args=arguments, daemon=True)
        with _signals_blocked():
            self._process.start()
        theirs.close()

    def begin(
        self, function: Callable[[Shard], Result], index: int, shard: Shard, tries: int = 1
    ) -> None:
        """Give the process a shard, and start it first if it is not there."""
        if self.pipe is None:
            if _METHOD == "forkserver":
                multiprocessing.set_forkserver_preload([__name__, function.__module__])
            self.start(_METHOD)
        self.task = index, shard, tries
        with suppress(*_DEATHS):  # it gives no answer then, which is noticed there
            assert self.pipe is not None
            if not self._has_function:
                self.pipe.send(function)
                self._has_function = True
            self.pipe.send(shard)

    def take_result(
        self, function: Callable[[Shard], Result], numbered: Iterator[tuple[int, Shard]]
    ) -> ShardResult[Shard, Result] | None:
        """How the shard ended, None if it runs again; the process has its next one by then."""
        assert self.pipe is not None
        assert self.task is not None
        index, shard, tries = self.task
        try:
            done, value = self.pipe.recv()
        except _DEATHS:
            self.stop()
            if tries < TRIES:
                self.begin(function, index, shard, tries + 1)
                return None
            failure = f"its process died {tries} times while working on it"
            result: ShardResult[Shard, Result] = ShardResult(index, shard, None, failure)
        else:
            if not done:
                raise value
            result = ShardResult(index, shard, value)
        self.task = None
        following = next(numbered, None)
        if following is not None:
            self.begin(function, *following)
        return result

    def stop(self) -> None:
        """End the process, whatever it is doing, and remove its temporary files."""
        if self.pipe is not None:
            assert self._temporary is not None
            self.pipe.close()
            self._process.terminate()
            self._process.join()
            self._temporary.cleanup()
            self.pipe, self._has_function = None, False


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """What is started meanwhile gets no Ctrl-C, not even before its first line of Python.

    This process gets it afterwards: only its own stopping stops the others.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, temporary: str, environment: Mapping[str, str]) -> None:
    """What a process does: it gets a function, and does the shards that come over the pipe.

    It leaves Ctrl-C to its parent, and never outlives it. Its temporary files are in a folder that
    its parent removes: it may be ended in the middle of a shard of some hundred megabytes. Its
    environment is its parent's, not that of a server which started when credentials were not set.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = temporary
    os.environ.clear()
    os.environ.update(environment)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(*_DEATHS):
        function = pipe.recv()
        while True:
            pipe.send_bytes(run_shard(function, pipe.recv()))


def run_shard(
    function: Callable[[Any], object],
    shard: object,
    dumps: Callable[[object], bytes] = pickle.dumps,
) -> bytes:
    """Whether the function returned, and what it returned or raised, pickled by `dumps`."""
    try:
        outcome: tuple[bool, object] = True, function(shard)
    except BaseException as error:
        error.add_note(f"In a process of its own:\n{traceback.format_exc()}")
        outcome = False, error
    try:
        content = dumps(outcome)
        if not outcome[0]:
            pickle.loads(content)  # noqa: S301 - what was just pickled
    except Exception as error:
        reason = f"{outcome[1]!r} cannot cross to another process: {error}"
        return pickle.dumps((False, RuntimeError(reason)))
    return content


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
