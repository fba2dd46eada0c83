"""What every way of spreading work promises, and how: see `ShardMap` and `run_map`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

Shard = TypeVar("Shard")
Result = TypeVar("Result")

_TRIES = 2
"""How often a shard may be begun before the death of its process is taken for its own fault."""


@dataclass(frozen=True, slots=True)
class ShardResult(Generic[Shard, Result]):
    """How one shard ended.

    Attributes:
        index: the shard's place among the shards, from 0.
        shard: the shard itself.
        value: what the function returned; None when it failed.
        failure: why there is no value, a sentence, or empty.
    """

    index: int
    shard: Shard
    value: Result | None
    failure: str = ""


class ShardMap(Protocol):
    """A map over shards, the contract that `map_shards` keeps and any other implementation must.

    - `function` runs once for each shard, in any order, in any process; it, the shards and what it
      returns are pickled. It is pickled once a process, so what it keeps in itself serves the later
      shards there. It must leave a finished shard's work where a later run finds it (a marker a
      shard): resuming is the caller's.
    - `shards` is read lazily: no more than one for each job is held.
    - `on_done` is called in the caller's process and thread, once for each shard, as they end.
    - A shard whose process dies is tried once more, alone in a fresh process, while the others go
      on. When that dies too, the shard ends with a `failure`, and the rest completes.
    - What `function` or `on_done` raises ends the map and is raised here; the processes are stopped
      first. So is KeyboardInterrupt.
    """

    def __call__(
        self,
        function: Callable[[Shard], Result],
        shards: Iterable[Shard],
        *,
        jobs: int,
        on_done: Callable[[ShardResult[Shard, Result]], None],
    ) -> None:
        """Run the map with `jobs` processes, 1 or more, and return when every shard has ended."""


class ProcessDiedError(Exception):
    """A process is gone, with its shard: how, and where, if that is known."""


class Process(Protocol):
    """One of a map's processes, which `begin` starts if it does not run."""

    def begin(self, function: Any, shard: Any) -> None: ...
    def result(self) -> Any:
        """Return what the function did, or raise what it raised, or ProcessDiedError."""

    def stop(self) -> None: ...


def run_map(
    processes: Sequence[Process],
    wait: Callable[[list[Any]], Iterable[Process]],
    function: Any,
    shards: Iterable[Shard],
    on_done: Callable[[ShardResult[Shard, Any]], None],
) -> None:
    """Keep what `ShardMap` promises, by processes of any kind.

    Args:
        wait: returns those of some processes that have a result or died, or none after a while.
    """
    numbered = enumerate(shards)
    busy: dict[Process, tuple[int, Shard, int]] = {}

    def begin(process: Process, index: int, shard: Shard, tries: int = 1) -> None:
        busy[process] = index, shard, tries
        process.begin(function, shard)

    try:
        for process, task in zip(processes, numbered, strict=False):
            begin(process, *task)
        while busy:
            for process in wait([*busy]):
                index, shard, tries = busy.pop(process)
                value, failure = None, ""
                try:
                    value = process.result()
                except ProcessDiedError as death:
                    process.stop()
                    if tries < _TRIES:
                        begin(process, index, shard, tries + 1)
                        continue
                    failure = f"its process died {tries} times while working on it{death}"
                following = next(numbered, None)
                if following is None:
                    process.stop()
                else:
                    begin(process, *following)
                on_done(ShardResult(index, shard, value, failure))
    finally:
        for process in processes:
            process.stop()
