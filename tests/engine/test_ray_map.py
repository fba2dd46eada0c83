"""Which process gets a shard, on a cluster whose processes answer and die as the test says."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from memeloc.engine.protocol import ShardResult
from memeloc.engine.ray_map import RunningMap, _Place
from memeloc.version import __version__


@dataclass(eq=False)
class _Actor:
    """A process; without a node it waits for a processor."""

    node: str = ""

    def __post_init__(self) -> None:
        self.place = SimpleNamespace(remote=lambda: _Answer(self))
        self.run = SimpleNamespace(remote=lambda shard: _Answer(self, shard))


@dataclass(eq=False)
class _Answer:
    """What will be a process's place, or what it made of a shard."""

    actor: _Actor
    shard: int | None = None


class _Cluster:
    """What `RunningMap` uses of Ray. The next of `steps` is taken while there is no answer.

    Args:
        processors: the node of each.
    """

    cloudpickle = pickle
    exceptions = SimpleNamespace(RayError=ConnectionError, RayTaskError=ZeroDivisionError)

    def __init__(self, *processors: str) -> None:
        self._free, self._alive = list(processors), set(processors)
        self._actors: list[_Actor] = []
        self._done: set[int] = set()
        self.steps: list[Callable[[], None]] = []

    def answer(self, shard: int) -> None:
        self._done.add(shard)

    def remove(self, node: str) -> None:
        self._alive.remove(node)
        self._free = [free for free in self._free if free != node]

    def put(self, function: Any) -> Any:
        return function

    def remote(self, _: type) -> Any:
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=self._start))

    def kill(self, actor: _Actor) -> None:
        self._actors.remove(actor)
        if actor.node in self._alive:
            self._free.append(actor.node)
        self._place()

    def nodes(self) -> list[dict[str, Any]]:
        return [{"NodeID": node, "Alive": True, "Resources": {"CPU": 1.0}} for node in self._alive]

    def wait(self, answers: Sequence[_Answer], timeout: float) -> tuple[list[_Answer], None]:
        while not (ready := [answer for answer in answers if self._is_ready(answer)]):
            self.steps.pop(0)()
        return ready[:1], None

    def get(self, answer: _Answer) -> _Place | bytes:
        if answer.shard is None:
            return _Place(answer.actor.node, answer.actor.node, __version__)
        if answer.shard not in self._done:
            raise ConnectionError("The actor died because its node has died.")
        return pickle.dumps((True, None))

    def _start(self, *_: object) -> _Actor:
        self._actors.append(_Actor())
        self._place()
        return self._actors[-1]

    def _place(self) -> None:
        for actor in self._actors:
            if self._free and not actor.node:
                actor.node = self._free.pop(0)

    def _is_ready(self, answer: _Answer) -> bool:
        node = answer.actor.node
        if answer.shard is None:
            return bool(node)
        return answer.shard in self._done or node not in self._alive


def _failures(cluster: _Cluster) -> dict[int, str]:
    """What became of three shards, of which the first is worked on at node a, the others at b."""
    results: list[ShardResult[int, None]] = []
    RunningMap(cluster, print, range(3), results.append).run(3)
    return {result.index: result.failure for result in results}


def test_a_process_of_a_lost_node_that_had_no_more_to_do_gets_no_shard() -> None:
    cluster = _Cluster("a", "b", "b")
    cluster.steps = [
        lambda: cluster.answer(2),
        lambda: cluster.remove("b"),
        lambda: cluster.answer(0),
        lambda: cluster.answer(1),
    ]
    assert _failures(cluster) == {0: "", 1: "", 2: ""}


def test_a_process_that_answered_before_its_node_was_lost_gets_no_other_shard() -> None:
    cluster = _Cluster("a", "b", "b")

    def answer_and_remove() -> None:
        cluster.answer(2)
        cluster.remove("b")

    cluster.steps = [answer_and_remove, lambda: cluster.answer(0), lambda: cluster.answer(1)]
    assert _failures(cluster) == {0: "", 1: "", 2: ""}


def test_a_shard_that_is_lost_when_all_others_are_done_gets_a_process() -> None:
    cluster = _Cluster("a", "b", "b")
    cluster.steps = [
        lambda: cluster.answer(0),
        lambda: cluster.answer(2),
        lambda: cluster.remove("b"),
        lambda: cluster.answer(1),
    ]
    assert _failures(cluster) == {0: "", 1: "", 2: ""}
