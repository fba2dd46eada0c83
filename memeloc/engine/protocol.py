"""The contract of every map over shards (`ShardMap`), and the loop that keeps it (`run_map`)."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from memeloc.errors import InputError, MemelocError, MissingError

Shard = TypeVar("Shard")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ShardResult(Generic[Shard, Result]):
    """The end of a shard: its place from 0, and the function's value, or a sentence why none."""

    index: int
    shard: Shard
    value: Result | None
    failure: str = ""


class ShardMap(Protocol):
    """A map over shards, the contract that `map_shards` keeps and any other implementation must.

    - `function` runs once for each shard, in any order, in any process; it, the shards and what it
      returns are pickled. It is pickled once a process, so what it keeps in itself serves the later
      shards there. Resuming is the caller's: a finished shard leaves a mark for a later run.
    - `shards` is read step by step: no more than one for each job is held.
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


@dataclass
class Checked(Generic[Shard, Result]):
    """A function over shards, with checks that run once a process and raise what ends the map.

    `map_shards` leaves checks out: all processes of a machine see the same files and programs.
    """

    function: Callable[[Shard], Result]
    checks: Sequence[Callable[[], None]]

    def __call__(self, shard: Shard) -> Result:
        for check in self.checks:
            check()
        self.checks = ()
        return self.function(shard)


def seeing(paths: Iterable[Path]) -> Callable[[], None]:
    """Return a check that a machine sees the files that are here; it raises InputError."""
    return partial(_see, [path.absolute() for path in paths if path.exists()])


def _see(paths: Iterable[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise InputError(
                f"is not there on the machine {platform.node()}. Every machine of a cluster needs "
                "to see it under this path: put it on a disk that they share.",
                file=path,
            )


def alike(tools: Callable[[], Mapping[str, str]]) -> Callable[[], None]:
    """Return a check that a machine's tools have the versions of here; it raises MissingError."""
    return partial(_compare, tools, tools())


def _compare(tools: Callable[[], Mapping[str, str]], here: Mapping[str, str]) -> None:
    try:
        node_tools = tools()
    except MemelocError as error:
        raise MissingError(f"On the machine {platform.node()}: {error}") from error
    different = ", ".join(
        f"{name} ({node_tools.get(name, 'none')[:20]} there, {here.get(name, 'none')[:20]} here)"
        for name in sorted({name for name, _ in node_tools.items() ^ here.items()})
    )
    if different:
        raise MissingError(
            f"The machine {platform.node()} and the one where the command runs do not have the "
            f"same {different}: install the same on every machine; guides/scale.md says how."
        )


class ProcessDiedError(Exception):
    """A process is gone, with its shard: how, and where, if that is known."""


class Process(Protocol):
    """One of a map's processes, which `begin` starts if it does not run."""

    handle: Any
    """Of the shard under way: what `run_map` waits for."""

    def begin(self, function: Any, shard: Any) -> None: ...
    def stop(self) -> None: ...
    def outcome(self) -> tuple[bool, Any]:
        """Return as `run_shard`, or raise ProcessDiedError."""


def run_map(
    processes: Sequence[Process],
    wait: Callable[[list[Any]], Iterable[Any]],
    function: Any,
    shards: Iterable[Shard],
    on_done: Callable[[ShardResult[Shard, Any]], None],
) -> None:
    """Keep `ShardMap`; `wait` returns those of some handles that have an outcome, or none yet."""
    if not processes:
        raise ValueError("jobs must be at least 1")
    numbered = enumerate(shards)
    busy: dict[Process, tuple[int, Shard, int]] = {}

    def begin(process: Process, index: int, shard: Shard, tries: int = 1) -> None:
        busy[process] = index, shard, tries
        process.begin(function, shard)

    try:
        for process, task in zip(processes, numbered, strict=False):
            begin(process, *task)
        while busy:
            by_handle = {process.handle: process for process in busy}
            for handle in wait([*by_handle]):
                process = by_handle[handle]
                index, shard, tries = busy.pop(process)
                value: Any = None
                is_done, failure = True, ""
                try:
                    is_done, value = process.outcome()
                except ProcessDiedError as death:
                    process.stop()
                    if tries == 1:  # the next death will be the shard's own fault
                        begin(process, index, shard, tries + 1)
                        continue
                    failure = f"its process died {tries} times while working on it{death}"
                if not is_done:
                    raise value
                if following := next(numbered, None):
                    begin(process, *following)
                else:
                    process.stop()
                on_done(ShardResult(index, shard, value, failure))
    finally:
        for process in processes:
            process.stop()
