"""What every machine of a map has to have. In: a function, paths, tools. Out: one that checks.

On one machine all processes see the same files and programs; the nodes of a cluster do only where
folders are on a disk that they share, and where the same was installed.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic

from memeloc.engine.protocol import Result, Shard
from memeloc.errors import InputError, MemelocError, MissingError


def seeing(function: Callable[[Shard], Result], paths: Iterable[Path]) -> Callable[[Shard], Result]:
    """A function over shards that first checks, once a process, that it sees some paths.

    Args:
        paths: of files or folders; those that are not there even here are not checked.

    Returns:
        The function, which raises InputError where one of them is not there.
    """
    there = [Path(path).absolute() for path in paths if path.exists()]
    return Checked(function, partial(_see, there))


def alike(
    function: Callable[[Shard], Result], tools: Callable[[], Mapping[str, str]]
) -> Callable[[Shard], Result]:
    """A function over shards that first checks, once a process, that its tools are those of here.

    Args:
        tools: gives the version of everything there that results depend on, by name.

    Returns:
        The function, which raises MissingError where one is missing, more, or of another version.
    """
    return Checked(function, partial(_compare, tools, tools()))


class Checked(Generic[Shard, Result]):
    """A function over shards that first checks something, once a process: `check` raises."""

    def __init__(self, function: Callable[[Shard], Result], check: Callable[[], None]) -> None:
        self._function, self._check = function, check
        self._done = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Checked, (self._function, self._check)

    def __call__(self, shard: Shard) -> Result:
        """What the function returns."""
        if not self._done:
            self._check()
            self._done = True
        return self._function(shard)


def _see(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.exists():
            raise InputError(
                f"is not there on the machine {platform.node()}. Every machine of a cluster needs "
                "to see it under this path: put it on a disk that they share.",
                file=path,
            )


def _compare(tools: Callable[[], Mapping[str, str]], expected: Mapping[str, str]) -> None:
    try:
        found = tools()
    except MemelocError as error:
        raise MissingError(f"On the machine {platform.node()}: {error}") from error
    if found != expected:
        names = sorted({name for name, _ in found.items() ^ expected.items()})
        raise MissingError(
            f"The machine {platform.node()} and the one where the command runs do not have the "
            f"same {', '.join(names)}: install the same on every machine; guides/cluster.md says "
            "how."
        )
