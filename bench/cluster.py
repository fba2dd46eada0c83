"""Rendering on Ray beside this machine's processes. In: the starter set, repeated. Out: figures.

Both get the same tables by turns, with as many processes as there are processors. Ray is started
before time is taken, as a cluster is; what its start costs is a figure of its own. Then two nodes
of Ray render a smaller table, and one of them is killed midway.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench.command import make_table
from bench.figures import Bound, Figure, of_rounds
from bench.place import folder_in_memory
from memeloc.engine import ShardMap, map_shards, usable_cpus
from memeloc.engine.ray import RayMap
from memeloc.render.sets.parallel_set import Summary, render_table

PICTURES = 20_000
_TURNS = 5
_STORE = 100 * 2**20
_NODES_PICTURES = 2_000


def measure(
    pictures: int = PICTURES, *, say: Callable[[str], None] = lambda _: None
) -> list[Figure]:
    """Ray's pictures a second over those of processes, and a set that lost a node."""
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")  # the last words of the killed node
    import ray
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as name:
        folder, jobs = Path(name), usable_cpus()
        begin = perf_counter()
        spread = RayMap()
        spread.cpus()
        start = perf_counter() - begin
        figures = [Figure("Cluster", "starting Ray on this machine", start, "s")]
        figures += _beside(folder, spread, pictures, jobs, say)
        ray.shutdown()
        say("two nodes, of which one is killed")
        cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": _STORE}
        )
        try:
            node = cluster.add_node(num_cpus=1, object_store_memory=_STORE)
            cluster.wait_for_nodes()
            figures.append(_lost_node(folder, cluster, node, min(pictures, _NODES_PICTURES)))
        finally:
            ray.shutdown()
            cluster.shutdown()
    return figures


def _beside(
    folder: Path, spread: RayMap, pictures: int, jobs: int, say: Callable[[str], None]
) -> list[Figure]:
    """Both engines by turns, each with `pictures` in all."""
    table = folder / "captions.csv"
    make_table(table, pictures // _TURNS)
    engines: dict[str, ShardMap] = {"processes": map_shards, "ray": spread}
    seconds: dict[str, list[float]] = {engine: [] for engine in engines}
    for turn in range(_TURNS):
        for engine in sorted(engines, reverse=bool(turn % 2)):
            say(f"{pictures // _TURNS} pictures by {engine}, {turn + 1} of {_TURNS}")
            made = _render(table, folder / f"{engine}-{turn}", jobs, engines[engine])
            seconds[engine].append(made.seconds)
    ratios = [a / b for a, b in zip(seconds["processes"], seconds["ray"], strict=True)]
    note = (
        f"{pictures} pictures each in {_TURNS} turns, {jobs} processes, their start included; "
        f"median {median(seconds['processes']):.1f} s by processes, {median(seconds['ray']):.1f} s "
        "by Ray"
    )
    name = "pictures a second, Ray over processes"
    return [of_rounds("Cluster", name, ratios, "x", Bound("at least", 0.85), note)]


def _lost_node(folder: Path, cluster: Any, node: Any, pictures: int) -> Figure:
    """How many files of a set are the same when one of two nodes was killed midway."""
    table = folder / "few.csv"
    make_table(table, pictures)
    alone, both = folder / "alone" / "out", folder / "both" / "out"
    _render(table, alone, 1, map_shards)
    done = 0

    def kill_midway(more: int, _: int | None) -> None:
        nonlocal done
        before, done = done, done + more
        if before < pictures // 3 <= done:
            cluster.remove_node(node, allow_graceful=False)

    _render(table, both, 2, RayMap(cluster.address), kill_midway)
    expected, made = _files(alone), _files(both)
    same = sum(made.get(path) == digest for path, digest in expected.items())
    share = 100 * same / max(len(expected), len(made))
    note = (
        f"{pictures} pictures, page and manifest; the node was killed after a third of them; "
        f"{len(expected.keys() - made.keys())} files missing, {len(made.keys() - expected.keys())} "
        f"more, {len(expected.keys() & made.keys()) - same} different"
    )
    name = "files that are the same as by one process, a node killed"
    return Figure("Cluster", name, share, "%", Bound("at least", 100), note)


def _render(
    table: Path,
    out: Path,
    jobs: int,
    engine: ShardMap,
    progress: Callable[[int, int | None], None] | None = None,
) -> Summary:
    summary = render_table(
        table, out, languages="all", jobs=jobs, shard_map=engine, progress=progress
    )
    if summary.failed:
        raise RuntimeError(f"{summary.failed} pictures failed: {summary.failures[0]}")
    return summary


def _files(out: Path) -> dict[str, str]:
    """SHA-256 by path of a set's files, but for the state of runs."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in out.rglob("*")
        if path.is_file() and not path.relative_to(out).parts[0].startswith(".")
    }
