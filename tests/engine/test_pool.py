from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.engine import ShardResult, map_shards, usable_cpus
from memeloc.errors import InputError


def _square(number: int) -> int:
    return number * number


def _die_on_three(shard: tuple[int, Path]) -> int:
    number, folder = shard
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 5 and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGSEGV)
    return number


def _refuse_three(number: int) -> int:
    if number == 3:
        raise InputError("three is wrong", row=3)
    return number


def _run(function: Any, shards: Iterable[Any], jobs: int) -> list[ShardResult[Any, Any]]:
    results: list[ShardResult[Any, Any]] = []
    map_shards(function, shards, jobs=jobs, on_done=results.append)
    return sorted(results, key=lambda result: result.index)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_shard_is_done_once(jobs: int) -> None:
    results = _run(_square, range(20), jobs)
    assert [(r.index, r.shard, r.value, r.failure) for r in results] == [
        (i, i, i * i, "") for i in range(20)
    ]
    assert _run(_square, [], jobs) == []


class _Counter:
    """A function that keeps something in itself."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, _: int) -> int:
        self.calls += 1
        return self.calls


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_function_keeps_serves_later_shards(jobs: int) -> None:
    calls = sorted(result.value or 0 for result in _run(_Counter(), range(6), jobs))
    assert calls[0] == 1
    assert calls[-1] >= 6 // jobs


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_raised_reaches_the_caller(jobs: int) -> None:
    with pytest.raises(InputError, match="three") as caught:
        _run(_refuse_three, range(20), jobs)
    assert caught.value.row == 3


def test_a_shard_that_kills_its_process_costs_only_itself(tmp_path: Path) -> None:
    results = _run(_die_on_three, [(i, tmp_path) for i in range(12)], 2)
    assert [r.value for r in results] == [0, 1, 2, None, 4, 5, 6, 7, 8, 9, 10, 11]
    assert "died 2 times" in results[3].failure
    assert (tmp_path / "died").exists()


def test_shards_are_taken_only_when_they_are_wanted() -> None:
    taken = done = most = 0

    def shards() -> Iterator[int]:
        nonlocal taken, most
        for number in range(50):
            taken += 1
            most = max(most, taken - done)
            yield number

    def count(_: ShardResult[int, int]) -> None:
        nonlocal done
        done += 1

    map_shards(_square, shards(), jobs=2, on_done=count)
    assert done == 50
    assert most <= 5


_SCRIPT = """
import os, sys, time
from pathlib import Path
from memeloc.engine import fork_ahead, map_shards

def work(number):
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(60)

if __name__ == "__main__":
    spread = fork_ahead(3) if sys.argv[2] == "forked" else map_shards
    spread(work, range(8), jobs=2, on_done=print)
"""


@pytest.mark.parametrize("way", ["started", "forked"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_its_parent(tmp_path: Path, number: signal.Signals, way: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SCRIPT)
    pids = tmp_path / "pids"
    pids.mkdir()
    parent = subprocess.Popen(
        [sys.executable, script, pids, way], stderr=subprocess.PIPE, text=True, process_group=0
    )
    _wait_until(lambda: len(list(pids.iterdir())) == (3 if way == "forked" else 2))
    for child in _children(parent.pid):
        (pids / str(child)).touch()
    if number == signal.SIGINT:
        os.killpg(parent.pid, number)  # as a terminal does on Ctrl-C
    else:
        os.kill(parent.pid, number)
    parent.wait(10)
    _wait_until(lambda: not any(_runs(int(path.name)) for path in pids.iterdir()))
    printed = parent.stderr.read() if parent.stderr else ""
    assert printed.count("Traceback") == (1 if number == signal.SIGINT else 0)


_FORKING = """
import os
from memeloc.engine import fork_ahead

loaded = []

def work(number):
    if number == 3:
        os.kill(os.getpid(), 9)
    return os.getpid(), list(loaded)

if __name__ == "__main__":
    loaded.append("here")
    forked = fork_ahead(3)
    loaded.append("later")
    results = []
    forked(work, range(8), jobs=3, on_done=results.append)
    results.sort(key=lambda result: result.index)
    print([result.index for result in results if result.failure])
    print([result.value[1] for result in results[:3]])
    print(os.getpid() not in {result.value[0] for result in results if result.value})
    fork_ahead(2)  # for nothing
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are started")
def test_processes_forked_ahead_have_what_was_loaded(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_FORKING)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[3]", "[['here'], ['here'], ['here']]", "True"]


def _unpicklable(_: int) -> object:
    return lambda: None


def test_what_cannot_be_pickled_is_reported() -> None:
    with pytest.raises(RuntimeError, match="cannot cross"):
        _run(_unpicklable, [1], 2)


def _children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until(condition: object) -> None:
    end = time.monotonic() + 20
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


def test_there_is_a_processor() -> None:
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)
    with pytest.raises(ValueError, match="at least 1"):
        _run(_square, [1], 0)
