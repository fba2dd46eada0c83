"""Something computed of many pictures. In: a function and files. Out: a value or a problem each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from memeloc.engine import Checked, ShardMap, ShardResult, map_shards, seeing
from memeloc.errors import InputError

Value = TypeVar("Value")

_SHARD = 64  # pictures that a process takes at a time
_POOLED = 200  # pictures from which starting processes is worth its time

_Files = list[tuple[str, Path]]
_Done = tuple[dict[str, Value], dict[str, str]]


def map_pictures(
    function: Callable[[Path], Value],
    pictures: Mapping[str, Path],
    *,
    jobs: int,
    shard_map: ShardMap = map_shards,
    on_done: Callable[[dict[str, Value], dict[str, str]], None] = lambda values, problems: None,
) -> _Done[Value]:
    """Compute something of each picture, by key, on up to `jobs` processes when there are many.

    `shard_map` spreads them then; its processes need to see the pictures' files.
    The values in the order of the pictures, and sentences why there is none. The function is
    pickled, and may raise InputError. `on_done` gets some of both as they come; what it has stored
    need not be computed by a later run.
    """
    rows = list(pictures.items())
    computed: dict[str, Value] = {}
    problems: dict[str, str] = {}

    def settle(ended: ShardResult[_Files, _Done[Value]]) -> None:
        values, failures = ended.value or ({}, {key: ended.failure for key, _ in ended.shard})
        computed.update(values)
        problems.update(failures)
        on_done(values, failures)

    map_shard: Callable[[_Files], _Done[Value]] = partial(_map_shard, function)
    shards = (rows[start : start + _SHARD] for start in range(0, len(rows), _SHARD))
    if len(rows) < _POOLED:
        map_shards(map_shard, shards, jobs=1, on_done=settle)
    else:
        seen = Checked(map_shard, [seeing(path for _, path in rows[:1])])
        shard_map(seen, shards, jobs=jobs, on_done=settle)
    return {key: computed[key] for key in pictures if key in computed}, problems


def _map_shard(function: Callable[[Path], Value], shard: _Files) -> _Done[Value]:
    values: dict[str, Value] = {}
    problems: dict[str, str] = {}
    for key, path in shard:
        try:
            values[key] = function(path)
        except InputError as error:
            problems[key] = error.message
    return values, problems
