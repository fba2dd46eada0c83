"""A map over shards on a Ray cluster. In: see `ShardMap`. Out: the same.

Ray schedules; `memeloc.engine.ray_map` is what `ShardMap` promises besides.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from memeloc.engine.pool import usable_cpus
from memeloc.engine.protocol import Result, Shard, ShardResult
from memeloc.engine.ray_map import RunningMap, first_line
from memeloc.errors import MissingError, ServiceError

_OBJECT_STORE = 256 * 2**20
"""Bytes of the object store of a Ray that is started here: functions and shards are small."""
_REACHED = 10.0
"""Seconds within which the cluster's address answers."""


class RayMap:
    """`ShardMap` on a Ray cluster, which is joined when it is first needed.

    Args:
        address: of the cluster, see `EngineSettings`.
        runtime_env: what Ray sets up on each node.

    Raises:
        MissingError: Ray is not installed.
    """

    def __init__(self, address: str = "", runtime_env: Mapping[str, Any] | None = None) -> None:
        _library()
        self._address = address
        self._runtime_env = dict(runtime_env or {})

    def cpus(self) -> int:
        """How many processors the cluster has, at least 1."""
        return max(1, int(self._connected(1).cluster_resources().get("CPU", 0)))

    def __call__(
        self,
        function: Callable[[Shard], Result],
        shards: Iterable[Shard],
        *,
        jobs: int,
        on_done: Callable[[ShardResult[Shard, Result]], None],
    ) -> None:
        """Run the map; see `ShardMap`.

        Raises:
            MissingError: a node has no memeloc, or another version.
            ServiceError: the cluster cannot be reached, or has no processors left.
        """
        if jobs < 1:
            raise ValueError(f"jobs must be at least 1, not {jobs}")
        ray = self._connected(jobs)
        running = RunningMap(ray, function, shards, on_done)
        try:
            running.run(jobs)
        finally:
            running.stop()

    def _connected(self, jobs: int) -> Any:
        """Ray's module, when this process is a part of a cluster."""
        ray = _library()
        if ray.is_initialized():
            return ray
        options: dict[str, Any] = {"address": self._address or os.environ.get("RAY_ADDRESS", "")}
        if not options["address"]:
            options = {
                "address": "local",
                "num_cpus": max(jobs, usable_cpus()),
                "include_dashboard": False,
                "object_store_memory": _OBJECT_STORE,
            }
        where = options["address"]
        logging.getLogger("ray").setLevel(logging.ERROR)
        try:
            _check_reachable(where)
            ray.init(
                **options,
                runtime_env=self._runtime_env or None,
                log_to_driver=False,
                configure_logging=False,
                logging_level="ERROR",
            )
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            advice = "`ray start --head` starts one; guides/cluster.md has the rest."
            reason = (getattr(error, "strerror", None) or first_line(error)).rstrip(".")
            if "token" in f"{error} {error.__cause__}":
                reason = "it asks for a token, and there is none here or another one"
                advice = "Set RAY_AUTH_MODE=token where its token is; guides/cluster.md says how."
            message = f"the cluster {where} cannot be used: {reason}. {advice}"
            raise ServiceError("Ray", message, retryable=True) from error
        return ray


def _library() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to its makers
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise MissingError("The engine ray needs Ray: pip install 'memeloc[cluster]'") from error
    return ray


def _check_reachable(address: str) -> None:
    """See that something listens at an address: Ray itself would wait for it for many minutes.

    Raises:
        OSError: nothing does.
        ValueError: it has no port.
    """
    if address in ("auto", "local"):
        return
    parsed = urlsplit(address if "://" in address else f"//{address}")
    if parsed.port is None:
        raise ValueError("an address is auto, HOST:PORT or ray://HOST:10001")
    socket.create_connection((parsed.hostname or "", parsed.port), _REACHED).close()
