"""Files that every process of a map has to see. In: a function, paths. Out: a function that checks.

On one machine all processes see the same files; the nodes of a cluster do only where the folder is
on a disk that they share.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Generic

from memeloc.engine.protocol import Result, Shard
from memeloc.errors import InputError


def seeing(function: Callable[[Shard], Result], paths: Iterable[Path]) -> Callable[[Shard], Result]:
    """A function over shards that first checks, once a process, that it sees some paths.

    Args:
        paths: of files or folders; those that are not there even here are not checked.

    Returns:
        The function, which raises InputError where one of them is not there.
    """
    return _Seeing(function, [Path(path).absolute() for path in paths if path.exists()])


class _Seeing(Generic[Shard, Result]):
    def __init__(self, function: Callable[[Shard], Result], paths: Sequence[Path]) -> None:
        self._function = function
        self._paths = paths
        self._checked = False

    def __reduce__(self) -> tuple[Any, ...]:
        return _Seeing, (self._function, self._paths)

    def __call__(self, shard: Shard) -> Result:
        if not self._checked:
            for path in self._paths:
                if not path.exists():
                    raise InputError(
                        f"is not there on the machine {platform.node()}. Every machine of a "
                        "cluster needs to see it under this path: put it on a disk that they "
                        "share.",
                        file=path,
                    )
            self._checked = True
        return self._function(shard)
