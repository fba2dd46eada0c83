"""Spreading a stage's work. In: a function and shards of its work. Out: each shard's result.

`map_shards` uses this machine's cores, `memeloc.engine.ray` a cluster; both are a `ShardMap`. The
section [engine] of memeloc.toml and options choose between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memeloc.engine.pool import fork_ahead, map_shards, usable_cpus
from memeloc.engine.protocol import Checked, ShardMap, ShardResult, alike, seeing

__all__ = ["PROCESSES", "Engine", "EngineSettings", "engine_of"]
__all__ += ["fork_ahead", "map_shards", "usable_cpus"]
__all__ += ["Checked", "ShardMap", "ShardResult", "alike", "seeing"]


class EngineSettings(BaseModel):
    """Settings of the map that spreads the work of render, ocr, dedup and filter."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Literal["processes", "ray"] = Field(
        default="processes",
        description="what spreads the work of render, ocr, dedup and filter: processes of this "
        "machine, or ray, a cluster",
    )
    address: str = Field(
        default="",
        description="of the Ray cluster: auto (the one of this machine), HOST:PORT or "
        "ray://HOST:10001; empty for the variable RAY_ADDRESS, else Ray is started here",
    )
    runtime_env: dict[str, Any] = Field(
        default={},
        description="what Ray sets up on each node, as its documentation of runtime environments "
        'has it: {py_modules = ["memeloc-1.0-py3-none-any.whl"]}',
    )


@dataclass(frozen=True, slots=True)
class Engine:
    """A map over shards, the processors there are for it, and whether other machines do it, too."""

    map_shards: ShardMap
    cpus: Callable[[], int]
    elsewhere: bool = False


PROCESSES = Engine(map_shards, usable_cpus)


def engine_of(settings: EngineSettings) -> Engine:
    """Return the engine that settings name; raise MissingError if it is not installed."""
    if settings.name == "processes":
        return PROCESSES
    from memeloc.engine.ray import RayMap

    ray_map = RayMap(settings.address, settings.runtime_env)
    return Engine(ray_map, ray_map.cpus, elsewhere=True)
