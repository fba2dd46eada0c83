"""A map over shards on this machine's cores. In: see `ShardMap`. Out: the same.

Each process has a pipe of its own: the death of a process then concerns its own shard and no other.
(`concurrent.futures` gives up all of its processes when one has died.)
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
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from memeloc.engine.machines import Checked
from memeloc.engine.protocol import (
    ProcessDiedError,
    Result,
    Shard,
    ShardMap,
    ShardResult,
    run_map,
)

_METHOD = "forkserver" if sys.platform == "linux" else "spawn"
"""How processes are started. Forking this process would copy the locks of its threads; a server
that has only imported modules has none, and on other systems not even that is safe."""
_DEATHS = (EOFError, BrokenPipeError, ConnectionResetError)
"""What a pipe raises whose other end is gone."""


def usable_cpus() -> int:
    """Return how many processors this process may run on, at least 1."""
    has_affinity = hasattr(os, "sched_getaffinity")
    return (len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count()) or 1


def map_shards(
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    *,
    jobs: int,
    on_done: Callable[[ShardResult[Shard, Result]], None],
    workers: Sequence[_Worker] = (),
) -> None:
    """Run `function` on each shard; the contract is `ShardMap`'s.

    With `jobs` of 1 all of it runs in this process, and a death is this process's own.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, not {jobs}")
    while isinstance(function, Checked):  # all processes see what this one does
        function = function.function
    if jobs == 1:
        for index, shard in enumerate(shards):
            on_done(ShardResult(index, shard, function(shard)))
    else:
        processes = workers or [_Worker() for _ in range(jobs)]
        run_map(processes, _wait, function, shards, on_done)


def fork_ahead(jobs: int) -> ShardMap:
    """Fork the processes of one map to come, with all the modules that this process has loaded.

    For the main program alone, before it opens anything: a library cannot know what else the
    process it is in has open. Where forking is not safe (threads, another system than Linux) the
    map starts its processes, as `map_shards` does.

    What it brings: modules are loaded once less, 11 % of the processor's time of `memeloc render`
    of the starter set by two processes.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return map_shards
    workers = [_Worker() for _ in range(jobs)]
    for worker in workers:
        worker.start("fork")
    return partial(map_shards, workers=workers)


def _wait(workers: Sequence[_Worker]) -> Iterator[_Worker]:
    by_pipe = {worker.pipe: worker for worker in workers if worker.pipe}
    return (by_pipe[pipe] for pipe in wait([*by_pipe]) if isinstance(pipe, Connection))


class _Worker:
    """A `Process` of this machine, and this end of its pipe, while it runs."""

    pipe: Connection | None = None

    def start(self, method: str) -> None:
        context: Any = multiprocessing.get_context(method)
        self.pipe, theirs = context.Pipe()
        self._has_function = False
        self._temporary = tempfile.TemporaryDirectory(prefix="memeloc-", ignore_cleanup_errors=True)
        arguments = theirs, self._temporary.name, dict(os.environ)
        self._process = context.Process(target=_serve, args=arguments, daemon=True)
        can_block = hasattr(signal, "pthread_sigmask")  # not on Windows
        if can_block:  # Ctrl-C ends no process before its first line; this one gets it afterwards
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            if can_block:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def begin(self, function: Callable[[Shard], Result], shard: Shard) -> None:
        if self.pipe is None:
            if _METHOD == "forkserver":
                multiprocessing.set_forkserver_preload([__name__, function.__module__])
            self.start(_METHOD)
        assert self.pipe is not None
        with suppress(*_DEATHS):  # it gives no answer then, which is noticed there
            if not self._has_function:
                self.pipe.send(function)
                self._has_function = True
            self.pipe.send(shard)

    def result(self) -> Any:
        assert self.pipe is not None
        try:
            is_done, value = self.pipe.recv()
        except _DEATHS as error:
            raise ProcessDiedError from error
        if not is_done:
            raise value
        return value

    def stop(self) -> None:
        if self.pipe is not None:
            self.pipe.close()
            self._process.terminate()
            self._process.join()
            self._temporary.cleanup()
            self.pipe = None


def _serve(pipe: Connection, temporary: str, environment: Mapping[str, str]) -> None:
    """Receive a function over a pipe, then do the shards that come.

    The process leaves Ctrl-C to its parent, and never outlives it. It may be ended in the middle of
    a shard of some hundred megabytes: its parent removes the folder of its temporary files. Its
    environment is its parent's, not that of a server started before credentials were set.
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


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def run_shard(
    function: Callable[[Any], object],
    shard: object,
    dumps: Callable[[object], bytes] = pickle.dumps,
) -> bytes:
    """Return, pickled by `dumps`, whether the function returned and what it returned or raised."""
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
