"""Ray on two nodes, which are two sets of processes on this machine."""

from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.engine import EngineSettings, ShardResult, engine_of
from memeloc.engine import ray as engine_ray
from memeloc.engine.ray import RayMap
from memeloc.errors import MissingError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray
    from ray.cluster_utils import Cluster

    memory = {"object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **memory})
    cluster.add_node(num_cpus=1, **memory)
    cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def spread(cluster: Any) -> RayMap:
    return RayMap(cluster.address)


def _run(spread: RayMap, function: Any, shards: Any, jobs: int = 2) -> list[ShardResult[Any, Any]]:
    results: list[ShardResult[Any, Any]] = []
    spread(function, shards, jobs=jobs, on_done=results.append)
    return sorted(results, key=lambda result: result.index)


def _node(_: object = None) -> str:
    import ray

    time.sleep(0.2)
    return str(ray.get_runtime_context().get_node_id())


class _FullDisk:
    """A function that finds the disk full on some nodes."""

    def __init__(self, nodes: set[str]) -> None:
        self.nodes = nodes

    def __call__(self, shard: int) -> tuple[int, str]:
        node = _node()
        if node in self.nodes:
            raise OSError(errno.ENOSPC, "No space left on device", "cat.jpg")
        return shard, node


def test_both_nodes_work(spread: RayMap) -> None:
    assert spread.cpus() == 2
    assert len({result.value for result in _run(spread, _node, range(6))}) == 2


def test_a_full_disk_costs_its_node_only(spread: RayMap) -> None:
    first, second = sorted({result.value for result in _run(spread, _node, range(6))})
    results = _run(spread, _FullDisk({first}), range(6))
    assert [result.value for result in results] == [(number, second) for number in range(6)]


def test_full_disks_everywhere_end_the_map(spread: RayMap) -> None:
    nodes = {result.value for result in _run(spread, _node, range(6))}
    with pytest.raises(OSError, match="No space left") as caught:
        _run(spread, _FullDisk(nodes), range(6))
    assert caught.value.filename == "cat.jpg"


def _read(path: str) -> str:
    return Path(path).read_text()


def test_relative_paths_are_the_callers(
    spread: RayMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tea").write_text("hot")
    assert [result.value for result in _run(spread, _read, ["tea"])] == ["hot"]


def test_another_version_on_a_node_is_named(
    spread: RayMap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_ray, "__version__", "99.1")
    difference = rf"{platform.node()} and .* the same memeloc \(.* there, 99\.1 here\)"
    with pytest.raises(MissingError, match=difference):
        _run(spread, _node, range(3))


class _Unknown:
    """A function that no other process can load."""

    def __reduce__(self) -> Any:
        return eval, ("__import__('a_package_that_is_not_there')",)

    def __call__(self, _: object) -> None: ...


def test_a_node_that_lacks_a_package_is_reported(spread: RayMap) -> None:
    with pytest.raises(MissingError, match="No module named 'a_package_that_is_not_there'"):
        _run(spread, _Unknown(), range(3))


def test_a_removed_node_costs_its_shards_one_more_try(cluster: Any, spread: RayMap) -> None:
    node = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    cluster.wait_for_nodes()
    results: list[ShardResult[int, str]] = []
    after = 0

    def shards() -> Iterator[int]:  # until the node has worked and is gone, and some more
        nonlocal after
        while after < 8:
            after += bool(after)
            yield len(results)

    def remove_node(result: ShardResult[int, str]) -> None:
        nonlocal after
        results.append(result)
        if result.value == node.node_id and not after:
            cluster.remove_node(node, allow_graceful=False)
            after = 1

    spread(_node, shards(), jobs=3, on_done=remove_node)
    assert after == 8
    assert sorted(result.index for result in results) == [*range(len(results))]
    assert not any(result.failure for result in results)


_SCRIPT = """
import os, signal, sys, threading, time
from functools import partial
from pathlib import Path
from memeloc.engine import EngineSettings, engine_of

def work(folder, number):
    Path(folder, str(os.getpid())).touch()
    time.sleep(60)

def interrupt(folder):
    while len(list(Path(folder).iterdir())) < 2:
        time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)

folder, address = sys.argv[1:]
threading.Thread(target=interrupt, args=[folder], daemon=True).start()
engine = engine_of(EngineSettings(name="ray", address=address))
engine.map_shards(partial(work, folder), range(8), jobs=2, on_done=print)
"""


def test_an_interrupt_ends_the_processes(cluster: Any, tmp_path: Path) -> None:
    script, pids = tmp_path / "script.py", tmp_path / "pids"
    pids.mkdir()
    script.write_text(_SCRIPT)
    command = [sys.executable, script, pids, cluster.address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert "KeyboardInterrupt" in done.stderr
    end = time.monotonic() + 20
    while any(_runs(int(path.name)) for path in pids.iterdir()):
        assert time.monotonic() < end
        time.sleep(0.1)


_HEADLESS = """
import time
from ray.cluster_utils import Cluster
from memeloc.engine import ray as engine

engine._PATIENCE, engine._LOST = 0.5, 2.0
memory = {"object_store_memory": 80 * 2**20}
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **memory})
cluster.add_node(num_cpus=1, **memory)
cluster.wait_for_nodes()

def work(number):
    time.sleep(number)

def kill_head(_):
    cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False)

try:
    engine.RayMap(cluster.address)(work, [0, 600, 600], jobs=2, on_done=kill_head)
except engine.ServiceError as error:
    print(error)
"""


def test_the_heads_death_ends_in_a_sentence(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_HEADLESS)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert "head, 1" in done.stdout
    assert "does not answer any more" in done.stdout
    assert "what was finished is kept" in done.stdout
    assert done.returncode == 0


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_no_cluster_at_an_address_is_a_sentence(tmp_path: Path) -> None:
    code = (
        "from memeloc.cli import main; import sys; sys.argv = ['memeloc', 'ocr', 'a.png', "
        "'--engine', 'ray:127.0.0.1:1']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1
    assert "the cluster 127.0.0.1:1 cannot be used: Connection refused. `ray" in done.stderr
    assert "Traceback" not in done.stderr


def test_settings_choose_the_cluster(cluster: Any) -> None:
    chosen = engine_of(EngineSettings(name="ray", address=cluster.address))
    assert chosen.elsewhere
    assert [r.value for r in _run(chosen.map_shards, abs, [-1, -2])] == [1, 2]  # type: ignore[arg-type]
