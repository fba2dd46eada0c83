"""One map on a Ray cluster. In: Ray's module, a function, shards. Out: how each shard ended.

Each job is an actor, a process with a processor of its own on some node, that is given one shard at
a time. The function is in Ray's object store: it goes to each node once, and each actor keeps its
copy for all its shards.

A shard whose process or node is gone is tried once more: by a process on another node, or by one
that was started since, as the others on that node may be gone too, and nobody knows yet. A shard
for which the disk of its node was full is tried again, too; that node is given no more shards.
"""

from __future__ import annotations

import errno
import os
import platform
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic

from memeloc.engine.pool import TRIES, run_shard
from memeloc.engine.protocol import Result, Shard, ShardResult
from memeloc.errors import MissingError, ServiceError
from memeloc.version import __version__

_PATIENCE = 10.0
"""Seconds without news after which it is checked that the cluster still has processors."""
_STARTS = 5
"""Processes in a row that may die before they are ready, besides one a job."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the system answers when a disk, or somebody's part of it, is full."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a process is: its node's id and name, and the memeloc that is there."""

    node: str
    host: str
    version: str


class _Process:
    """What runs in each process: it gets a function once, and then its shards."""

    def __init__(self, function: Callable[[Any], object], folder: str) -> None:
        with suppress(OSError):  # relative paths are those of whoever began the map
            os.chdir(folder)
        self._function = function

    def place(self) -> _Place:
        """Where it is."""
        import ray

        return _Place(ray.get_runtime_context().get_node_id(), platform.node(), __version__)

    def run(self, shard: object) -> bytes:
        """Run the function on a shard; whether it returned, and what it returned or raised."""
        import ray

        return run_shard(self._function, shard, ray.cloudpickle.dumps)


@dataclass(frozen=True, slots=True)
class _Task(Generic[Shard]):
    """A shard, how often it was begun, the node it was lost on, and the losses up to that one."""

    index: int
    shard: Shard
    tries: int = 0
    node: str = ""
    losses: int = 0


@dataclass(slots=True)
class _Worker(Generic[Shard]):
    """A process as it is known here: the losses before its start, its place once ready, a shard."""

    actor: Any
    losses: int
    place: _Place | None = None
    task: _Task[Shard] | None = None


class RunningMap(Generic[Shard, Result]):
    """One map that is running."""

    def __init__(
        self,
        ray: Any,
        function: Callable[[Shard], Result],
        shards: Iterable[Shard],
        on_done: Callable[[ShardResult[Shard, Result]], None],
    ) -> None:
        self._ray = ray
        self._function = ray.put(function)
        self._numbered = enumerate(shards)
        self._on_done = on_done
        self._again: deque[_Task[Shard]] = deque()  # taken from the shards, not begun or lost
        self._awaited: dict[Any, _Worker[Shard]] = {}  # by what Ray will have: an answer of theirs
        self._full: dict[str, str] = {}  # nodes whose disk is full, and their names
        self._losses = 0  # of processes with a shard
        self._unready = 0  # processes in a row that died before they were ready
        self._most_unready = 0

    def run(self, jobs: int) -> None:
        """Give shards to so many processes until all have ended."""
        self._most_unready = jobs + _STARTS
        for _ in range(jobs):
            task = self._next()
            if task is None:
                break
            self._again.append(task)
            self._start()
        while self._again or any(worker.task for worker in self._awaited.values()):
            ended, _ = self._ray.wait([*self._awaited], timeout=_PATIENCE)
            for answer in ended:
                self._settle(answer)
            if not ended:
                self._nodes()

    def stop(self) -> None:
        """End all processes, whatever they are doing."""
        for worker in self._awaited.values():
            self._end(worker)
        self._awaited.clear()

    def _next(self) -> _Task[Shard] | None:
        following = next(self._numbered, None)
        return None if following is None else _Task(*following)

    def _take(self, worker: _Worker[Shard], node: str) -> _Task[Shard] | None:
        """A lost shard that a process on a node may have, else the next one."""
        for task in self._again:
            if task.node != node or task.losses <= worker.losses:
                self._again.remove(task)
                return task
        return self._next()

    def _start(self) -> None:
        """Have Ray start a process, on a node whose disk is not full."""
        selector = {"ray.io/node-id": f"!in({','.join(self._full)})"} if self._full else None
        remote = self._ray.remote(_Process).options(num_cpus=1, label_selector=selector)
        worker = _Worker[Shard](remote.remote(self._function, str(Path.cwd())), self._losses)
        self._awaited[worker.actor.place.remote()] = worker

    def _end(self, worker: _Worker[Shard]) -> None:
        with suppress(self._ray.exceptions.RayError, ValueError):
            self._ray.kill(worker.actor)

    def _settle(self, answer: Any) -> None:
        """Take what a process answered, or that it is gone; it has its next shard by then."""
        worker = self._awaited.pop(answer)
        try:
            value = self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:  # the shard or its answer cannot cross
            raise ServiceError("Ray", _last_line(error), retryable=False) from error
        except self._ray.exceptions.RayError as error:
            self._lost(worker, error)
            return
        if worker.task is None:
            worker.place = _checked(value)
            self._unready = 0
        elif self._ended(worker, value):
            worker.task = None
        else:
            return
        self._give(worker)

    def _give(self, worker: _Worker[Shard]) -> None:
        """Give a process its next shard; without one it ends, and its processor is free."""
        assert worker.place is not None
        if worker.place.node in self._full:
            self._end(worker)
            self._start()
            return
        task = self._take(worker, worker.place.node)
        if task is None:
            self._end(worker)
        else:
            worker.task = replace(task, tries=task.tries + 1)
            self._awaited[worker.actor.run.remote(task.shard)] = worker

    def _ended(self, worker: _Worker[Shard], content: bytes) -> bool:
        """Report how a shard ended; False if it runs again, and the process is no longer used."""
        assert worker.task is not None
        assert worker.place is not None
        done, value = self._ray.cloudpickle.loads(content)
        task, place = worker.task, worker.place
        if done:
            self._on_done(ShardResult(task.index, task.shard, value))
            return True
        if not _is_full(value):
            raise value
        self._full[place.node] = place.host
        if not self._nodes() - set(self._full):
            raise value
        self._end(worker)
        failure = f"the disks of {' and '.join(sorted({*self._full.values()}))} are full"
        self._try_again(task, f"{failure}: {first_line(value)}")
        return False

    def _lost(self, worker: _Worker[Shard], error: Any) -> None:
        """A process is gone, with its node or by itself."""
        self._end(worker)
        if worker.task is None:
            self._unready += 1
            if getattr(error, "actor_init_failed", False) or self._unready > self._most_unready:
                raise MissingError(
                    f"A node of the Ray cluster cannot start memeloc: {_last_line(error)}. Each "
                    f"needs memeloc {__version__} with the same extras; guides/cluster.md says how."
                ) from error
            self._start()
            return
        assert worker.place is not None
        self._losses += 1
        task = replace(worker.task, node=worker.place.node, losses=self._losses)
        times = f"its process died {task.tries} times while working on it"
        self._try_again(task, f"{times} (the last time on {worker.place.host})")

    def _try_again(self, task: _Task[Shard], failure: str) -> None:
        """Have a lost shard run again if it was not, or report its failure."""
        if task.tries < TRIES:
            self._again.append(task)
        else:
            self._on_done(ShardResult(task.index, task.shard, None, failure))
            following = self._next()
            if following is not None:
                self._again.append(following)
        if self._again:
            self._start()

    def _nodes(self) -> set[str]:
        """The nodes that have processors.

        Raises:
            ServiceError: none has.
        """
        nodes = {
            node["NodeID"]
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU")
        }
        if not nodes:
            message = "the cluster has no node with processors any more; run the same command again"
            raise ServiceError("Ray", message, retryable=True)
        return nodes


def _checked(place: _Place) -> _Place:
    if place.version != __version__:
        raise MissingError(
            f"The node {place.host} has memeloc {place.version}, this machine {__version__}: "
            "install the same version on every node; guides/cluster.md says how."
        )
    return place


def _is_full(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _FULL


def first_line(error: BaseException) -> str:
    """The first line of what an error says, or its kind."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).strip()[:300]


def _last_line(error: BaseException) -> str:
    """What went wrong in a process, which Ray puts behind its own traceback."""
    lines = str(error).strip().splitlines()
    return (lines[-1] if lines else type(error).__name__).strip()[:300]
