"""A `ShardMap` on this machine's cores.

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from memeloc.engine import protocol
from memeloc.engine.protocol import Result, Shard, ShardMap, ShardResult

_METHOD = "forkserver" if sys.platform == "linux" else "spawn"
"""How processes are started. Forking this process would copy the locks of its threads; a server
that has only imported modules has none, and on other systems not even that is safe."""
_DEATHS = (EOFError, BrokenPipeError, ConnectionResetError)
"""What a pipe raises whose other end is gone."""


def usable_cpus() -> int:
    """Return how many processors this process may run on, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_shards(
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    *,
    jobs: int,
    on_done: Callable[[ShardResult[Shard, Result]], None],
    workers: Sequence[_Worker] = (),
) -> None:
    """Keep `ShardMap`; with one job in this process, whose death is then its own."""
    while isinstance(function, protocol.Checked):  # all processes see what this one does
        function = function.function
    if jobs == 1:
        for index, shard in enumerate(shards):
            on_done(ShardResult(index, shard, function(shard)))
    else:
        processes = workers or [_Worker() for _ in range(jobs)]
        protocol.run_map(processes, wait, function, shards, on_done)


def fork_ahead(jobs: int) -> ShardMap:
    """Fork the processes of one map to come, with all the modules that this process has loaded.

    For the main program alone, before it opens anything: a library cannot know what else is open.
    Where forking is not safe (threads, another system than Linux) the map starts its processes. It
    saves 11 % of the processor's time of `memeloc render` of the starter set by two processes.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return map_shards
    workers = [_Worker() for _ in range(jobs)]
    for worker in workers:
        worker.start("fork")
    return partial(map_shards, workers=workers)


class _Worker:
    """A `Process` of this machine; `handle` is this end of its pipe, while it runs."""

    handle: Any = None

    def start(self, method: str) -> None:
        context: Any = multiprocessing.get_context(method)
        self.handle, theirs = context.Pipe()
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
        if self.handle is None:
            if _METHOD == "forkserver":
                multiprocessing.set_forkserver_preload([__name__, function.__module__])
            self.start(_METHOD)
        with suppress(*_DEATHS):  # it gives no answer then, which is noticed there
            if not self._has_function:
                self.handle.send(function)
                self._has_function = True
            self.handle.send(shard)

    def outcome(self) -> tuple[bool, Any]:
        try:
            outcome: tuple[bool, Any] = self.handle.recv()
            return outcome
        except _DEATHS as error:
            raise protocol.ProcessDiedError from error

    def stop(self) -> None:
        if self.handle is not None:
            self.handle.close()
            self._process.terminate()
            self._process.join()
            self._temporary.cleanup()
            self.handle = None


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


def run_shard(function: Any, shard: object, dumps: Callable[[Any], bytes] = pickle.dumps) -> bytes:
    """Return, pickled by `dumps`, whether the function returned and what it returned or raised."""
    try:
        is_done, value = True, function(shard)
    except BaseException as error:
        error.add_note(f"In a process of its own:\n{traceback.format_exc()}")
        is_done, value = False, error
    try:
        content = dumps((is_done, value))
        if not is_done:
            pickle.loads(content)  # noqa: S301 - what was just pickled
    except Exception as error:
        reason = f"{value!r} cannot cross to another process: {error}"
        return pickle.dumps((False, RuntimeError(reason)))
    return content
