"""What the machines of a cluster have to have in common. In: a function. Out: one that checks.

On one machine all processes see the same files and programs, so `map_shards` leaves checks out.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic

from memeloc.engine.protocol import Result, Shard
from memeloc.errors import InputError, MemelocError, MissingError


@dataclass
class Checked(Generic[Shard, Result]):
    """A function over shards; `check`, once a process, raises what is to end the map."""

    function: Callable[[Shard], Result]
    check: Callable[[], None]
    is_checked: bool = False

    def __call__(self, shard: Shard) -> Result:
        """Return what the function does."""
        if not self.is_checked:
            self.check()
            self.is_checked = True
        return self.function(shard)


def seeing(function: Callable[[Shard], Result], paths: Iterable[Path]) -> Callable[[Shard], Result]:
    """Check that a machine sees the files and folders that are here; raise InputError if not."""
    return Checked(function, partial(_see, [path.absolute() for path in paths if path.exists()]))


def alike(
    function: Callable[[Shard], Result], tools: Callable[[], Mapping[str, str]]
) -> Callable[[Shard], Result]:
    """Check that a machine has the tools of here, versions by name; raise MissingError if not."""
    return Checked(function, partial(_compare, tools, tools()))


def _see(paths: Iterable[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise InputError(
                f"is not there on the machine {platform.node()}. Every machine of a cluster needs "
                "to see it under this path: put it on a disk that they share.",
                file=path,
            )


def _compare(tools: Callable[[], Mapping[str, str]], here: Mapping[str, str]) -> None:
    try:
        there = tools()
    except MemelocError as error:
        raise MissingError(f"On the machine {platform.node()}: {error}") from error
    different = ", ".join(
        f"{name} ({there.get(name, 'none')[:20]} there, {here.get(name, 'none')[:20]} here)"
        for name in sorted({name for name, _ in there.items() ^ here.items()})
    )
    if different:
        raise MissingError(
            f"The machine {platform.node()} and the one where the command runs do not have the "
            f"same {different}: install the same on every machine; guides/cluster.md says how."
        )
