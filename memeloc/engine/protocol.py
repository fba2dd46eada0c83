"""What every way of spreading work promises. In and out: see `ShardMap`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Shard = TypeVar("Shard")
Result = TypeVar("Result")


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
