"""How a stage's work is spread. In: a function and shards of its work. Out: each shard's result.

`map_shards` uses this machine's cores, `memeloc.engine.ray` a cluster; both are a `ShardMap`.
"""

from memeloc.engine.pool import fork_ahead, map_shards, usable_cpus
from memeloc.engine.protocol import ShardMap, ShardResult

__all__ = ["ShardMap", "ShardResult", "fork_ahead", "map_shards", "usable_cpus"]
