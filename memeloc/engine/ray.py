"""A map over shards on a Ray cluster. In: see `ShardMap`. Out: the same.

Each job is an actor, a process with a processor of its own on some node, that is given one shard at
a time. Ray chooses the nodes, brings the function to each once, and tells which actors are gone.

A shard is tried again by an actor that is started then: others that run may be on the same node,
and gone too. (Ray's `max_restarts` would start without end what dies as it starts.)
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

from memeloc.engine.machines import alike
from memeloc.engine.pool import run_shard, usable_cpus
from memeloc.engine.protocol import ProcessDiedError, Result, Shard, ShardResult, run_map
from memeloc.errors import MissingError, ServiceError
from memeloc.version import __version__

_OBJECT_STORE = 256 * 2**20
"""Bytes of the object store of a Ray that is started here: functions and shards are small."""
_PATIENCE = 10.0
"""Seconds without news before a look at the cluster, and within which its address answers."""
_LOST = 20.0
"""Seconds without an answer of the head, or without nodes, after which a cluster counts as lost. A
head that keeps its state in Redis may be started again within them."""
_RAY_EXITS = "300"
"""Seconds without the head after which Ray's core ends this process, with a line of its log only.
Its default of 60 could come first where `on_done`, or what follows the map, takes long."""


class RayMap:
    """`ShardMap` on a Ray cluster, which is joined when it is first needed.

    Args:
        address: of the cluster, see `EngineSettings`.
        runtime_env: what Ray sets up on each node.

    Raises:
        MissingError: Ray is not installed.
    """

    def __init__(self, address: str = "", runtime_env: Mapping[str, Any] | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to its makers
        os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", _RAY_EXITS)
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
            ServiceError: the cluster cannot be reached, or is lost.
        """
        if jobs < 1:
            raise ValueError(f"jobs must be at least 1, not {jobs}")
        self._connect(jobs)
        is_client = self._address.startswith("ray://")
        self._head = self._address if is_client else self.ray.get_runtime_context().gcs_address
        self.is_lost = False
        self.full_disks = set[str]()  # ids of nodes
        reference = self.ray.put(alike(function, _version))
        run_map([_Actor(self) for _ in range(jobs)], self._wait, reference, shards, on_done)

    def _connect(self, jobs: int) -> None:
        if self.ray.is_initialized():
            return
        options: dict[str, Any] = {"address": self._address or "local"}
        if not self._address:
            options |= {"num_cpus": max(jobs, usable_cpus()), "include_dashboard": False}
            options["object_store_memory"] = _OBJECT_STORE
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
            advice = "`ray start --head` starts one; guides/cluster.md has the rest."
            reason = (getattr(error, "strerror", None) or _line(error, 0)).rstrip(".")
            if "token" in f"{error} {error.__cause__}":
                reason = "it asks for a token, and there is none here or another one"
                advice = "Set RAY_AUTH_MODE=token where its token is; guides/cluster.md says how."
            message = f"the cluster {options['address']} cannot be used: {reason}. {advice}"
            raise ServiceError("Ray", message, retryable=True) from error

    def _wait(self, actors: list[_Actor]) -> list[_Actor]:
        by_answer = {actor.answer: actor for actor in actors}
        ended, _ = self.ray.wait([*by_answer], timeout=_PATIENCE)
        if not ended:
            self.check()
        return [by_answer[answer] for answer in ended]

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
        message = (
            f"the cluster's head, {self._head}, does not answer any more, or no node with "
            "processors is left. Start the cluster again, then run the same command: what was "
            "finished is kept."
        )
        raise ServiceError("Ray", message, retryable=True)

    def nodes(self) -> set[str]:
        """Return the ids of the nodes that have processors."""
        nodes = self.ray.nodes()
        return {n["NodeID"] for n in nodes if n["Alive"] and n["Resources"].get("CPU")}


class _Actor:
    """A `Process` of a map, on some node; `answer` is Ray's reference of the result to come."""

    actor: Any = None
    answer: Any = None

    def __init__(self, ray_map: RayMap) -> None:
        self._map, self._ray = ray_map, ray_map.ray

    def begin(self, function: Any, shard: object) -> None:
        if self.actor is None:
            full = ",".join(self._map.full_disks)
            selector = {"ray.io/node-id": f"!in({full})"} if full else None
            options = self._ray.remote(_Process).options(num_cpus=1, label_selector=selector)
            self.actor = options.remote(function, str(Path.cwd()))
        self.answer = self.actor.run.remote(shard)

    def result(self) -> Any:
        errors = self._ray.exceptions
        try:
            node, content = self._ray.get(self.answer)
        except errors.RayTaskError as error:  # the shard or its answer cannot cross
            raise ServiceError("Ray", _line(error, -1), retryable=False) from error
        except errors.RayError as error:
            is_environment = isinstance(error, errors.RuntimeEnvSetupError)
            if is_environment or getattr(error, "actor_init_failed", False):
                raise MissingError(
                    f"A node of the Ray cluster cannot start memeloc: {_line(error, -1)}. Each "
                    f"needs memeloc {__version__} with the same extras; guides/cluster.md says how."
                ) from error
            self._map.check()
            self.actor = None
            where = re.search(r"\bip: (\S+)", str(error))
            raise ProcessDiedError(f", at last on {where[1]}" if where else "") from error
        is_done, value = self._ray.cloudpickle.loads(content)
        if is_done:
            return value
        if isinstance(value, OSError) and value.errno in (errno.ENOSPC, errno.EDQUOT):
            self._map.full_disks.add(node)
            if self._map.nodes() - self._map.full_disks:
                raise ProcessDiedError(f": the disk of its node was full: {value}")
        raise value

    def stop(self) -> None:
        # Killing an actor that Ray could not note, as the head was gone, would never end.
        if self.actor is not None and not self._map.is_lost:
            self._ray.kill(self.actor)
        self.actor = None


class _Process:
    """What an actor is on its node: it has the function for all its shards."""

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
