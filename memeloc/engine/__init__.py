"""How a stage's work is spread. In: a function and shards of its work. Out: each shard's result.

`map_shards` runs the map on this machine's cores. Another way to run it, on a cluster, is another
function that follows `ShardMap`; a stage takes whichever it is given.
"""

from __future__ import annotations

from memeloc.engine.pool import fork_ahead, map_shards, usable_cpus
from memeloc.engine.protocol import ShardMap, ShardResult

__all__ = ["ShardMap", "ShardResult", "fork_ahead", "map_shards", "usable_cpus"]
