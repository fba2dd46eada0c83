"""A `ShardMap` on a Ray cluster.

Each job is an actor, a process with a processor of its own on some node, that is given one shard at
a time. Ray chooses the nodes, brings the function to each once, and tells which actors are gone. A
shard is tried again by an actor that is started then: others that run may be on the same node, and
gone too. (Ray's `max_restarts` would start without end what dies as it starts.)
"""

from __future__ import annotations

import errno
import logging
import os
import re
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

from memeloc.engine.pool import run_shard, usable_cpus
from memeloc.engine.protocol import Checked, ProcessDiedError, alike, run_map
from memeloc.errors import MissingError, ServiceError
from memeloc.version import __version__

_PATIENCE = 10.0
"""Seconds without news before a look at the cluster, and within which its address answers."""
_LOST = 20.0
"""Seconds without an answer of the head, or without nodes, after which a cluster counts as lost. A
head that keeps its state in Redis may be started again within them."""


class RayMap:
    """`ShardMap` on a cluster, see `EngineSettings`, which is joined when it is first needed."""

    def __init__(self, address: str = "", runtime_env: Mapping[str, Any] | None = None) -> None:
        """Raise MissingError if Ray is not installed."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to its makers
        # Seconds without the head after which Ray's core ends this process, with a line of its log
        # only. Its 60 could come first where `on_done`, or what follows the map, takes long.
        os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "300")
        try:
            import ray
            import ray.exceptions
        except ImportError as error:
            message = "The engine ray needs Ray: pip install 'memeloc[cluster]'"
            raise MissingError(message) from error
        self.ray: Any = ray
        self._address = address or os.environ.get("RAY_ADDRESS", "")
        self._runtime_env = dict(runtime_env or {})

    def cpus(self) -> int:
        """Return how many processors the cluster has, at least 1."""
        self._connect(1)
        return max(1, int(self.ray.cluster_resources().get("CPU", 0)))

    def __call__(self, function: Any, shards: Iterable[Any], *, jobs: int, on_done: Any) -> None:
        """Keep `ShardMap`; raise ServiceError without a cluster, MissingError without memeloc."""
        self._connect(jobs)
        is_client = self._address.startswith("ray://")
        self._head = self._address if is_client else self.ray.get_runtime_context().gcs_address
        self.is_lost = False
        self.full_disks = set[str]()  # ids of nodes
        reference = self.ray.put(Checked(function, [alike(_version)]))
        run_map([_Actor(self) for _ in range(jobs)], self._wait, reference, shards, on_done)

    def _connect(self, jobs: int) -> None:
        if self.ray.is_initialized():
            return
        options: dict[str, Any] = {"address": self._address or "local"}
        if not self._address:
            options |= {"num_cpus": max(jobs, usable_cpus()), "include_dashboard": False}
            options["object_store_memory"] = 256 * 2**20  # bytes: functions and shards are small
        logging.getLogger("ray").setLevel(logging.ERROR)
        try:
            if options["address"] not in ("auto", "local"):  # Ray would wait for many minutes
                _check_answers(self._address)
            self.ray.init(
                **options,
                runtime_env=self._runtime_env or None,
                log_to_driver=False,
                configure_logging=False,
                logging_level="ERROR",
            )
        except (OSError, RuntimeError, ValueError, self.ray.exceptions.RayError) as error:
            advice = "`ray start --head` starts one; guides/scale.md has the rest."
            reason = (getattr(error, "strerror", None) or _line(error, 0)).rstrip(".")
            if "token" in f"{error} {error.__cause__}":
                reason = "it asks for a token, and there is none here or another one"
                advice = "Set RAY_AUTH_MODE=token where its token is; guides/scale.md says how."
            message = f"the cluster {options['address']} cannot be used: {reason}. {advice}"
            raise ServiceError("Ray", message, retryable=True) from error

    def _wait(self, answers: list[Any]) -> list[Any]:
        ended: list[Any] = self.ray.wait(answers, timeout=_PATIENCE)[0]
        if not ended:
            self.check()
        return ended

    def check(self) -> None:
        """Wait until the head answers and has nodes with processors, or raise ServiceError."""
        end = monotonic() + _LOST
        while monotonic() < end:
            with suppress(OSError):
                _check_answers(self._head)
                if self.nodes():
                    return
            sleep(1)
        self.is_lost = True
        raise ServiceError(
            "Ray",
            f"the cluster's head, {self._head}, does not answer any more, or no node with "
            "processors is left. Start the cluster again, then run the same command: what was "
            "finished is kept.",
            retryable=True,
        )

    def nodes(self) -> set[str]:
        """Return the ids of the nodes that have processors."""
        alive = (node for node in self.ray.nodes() if node["Alive"])
        return {node["NodeID"] for node in alive if node["Resources"].get("CPU")}


class _Actor:
    """A `Process` of a map, on some node; `handle` is Ray's reference of the answer to come."""

    actor: Any = None
    handle: Any = None

    def __init__(self, ray_map: RayMap) -> None:
        self._map, self._ray = ray_map, ray_map.ray

    def begin(self, function: Any, shard: object) -> None:
        if self.actor is None:
            full = ",".join(self._map.full_disks)
            selector = {"ray.io/node-id": f"!in({full})"} if full else None
            options = self._ray.remote(_Process).options(num_cpus=1, label_selector=selector)
            self.actor = options.remote(function, str(Path.cwd()))
        self.handle = self.actor.run.remote(shard)

    def outcome(self) -> tuple[bool, Any]:
        errors = self._ray.exceptions
        try:
            node, content = self._ray.get(self.handle)
        except errors.RayTaskError as error:  # the shard or its answer cannot cross
            raise ServiceError("Ray", _line(error, -1), retryable=False) from error
        except errors.RayError as error:
            is_environment = isinstance(error, errors.RuntimeEnvSetupError)
            if is_environment or getattr(error, "actor_init_failed", False):
                raise MissingError(
                    f"A node of the Ray cluster cannot start memeloc: {_line(error, -1)}. Each "
                    f"needs memeloc {__version__} with the same extras; guides/scale.md says how."
                ) from error
            self._map.check()
            self.actor = None
            where = re.search(r"\bip: (\S+)", str(error))
            raise ProcessDiedError(f", at last on {where[1]}" if where else "") from error
        is_done, value = self._ray.cloudpickle.loads(content)
        if not is_done and getattr(value, "errno", 0) in (errno.ENOSPC, errno.EDQUOT):
            self._map.full_disks.add(node)
            if self._map.nodes() - self._map.full_disks:
                raise ProcessDiedError(f": the disk of its node was full: {value}")
        return is_done, value

    def stop(self) -> None:
        # Killing an actor that Ray could not note, as the head was gone, would never end.
        if self.actor is not None and not self._map.is_lost:
            self._ray.kill(self.actor)
        self.actor = None


class _Process:
    """An actor on its node: it has the function for all its shards."""

    def __init__(self, function: Callable[[Any], object], folder: str) -> None:
        with suppress(OSError):  # relative paths are those of whoever began the map
            os.chdir(folder)
        self._function = function

    def run(self, shard: object) -> tuple[str, bytes]:
        """Return the node's id, and what `run_shard` does."""
        import ray

        content = run_shard(self._function, shard, ray.cloudpickle.dumps)
        return ray.get_runtime_context().get_node_id(), content


def _version() -> dict[str, str]:
    return {"memeloc": __version__}


def _check_answers(address: str) -> None:
    """Raise OSError if nothing listens at an address, ValueError if it has no port."""
    parsed = urlsplit(address if "://" in address else f"//{address}")
    if parsed.port is None:
        raise ValueError("an address is auto, HOST:PORT or ray://HOST:10001")
    socket.create_connection((parsed.hostname or "", parsed.port), _PATIENCE).close()


def _line(error: BaseException, number: int) -> str:
    """Return a line of what an error says; the last of Ray's is the reason, behind a traceback."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[number].strip()[:300]
