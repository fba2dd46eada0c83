from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memeloc.engine import ShardResult, map_shards, usable_cpus
from memeloc.errors import InputError

_begun: list[int] = []


def _square(number: int) -> int:
    return number * number


def _begin(value: int) -> None:
    _begun.append(value)


def _begun_with(_: int) -> list[int]:
    return list(_begun)


def _fail_to_begin() -> None:
    raise InputError("no font here")


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


def _run(function: object, shards: object, jobs: int, **options: object) -> list[ShardResult]:  # type: ignore[type-arg]
    results: list[ShardResult] = []  # type: ignore[type-arg]
    map_shards(function, shards, jobs=jobs, on_done=results.append, **options)  # type: ignore[arg-type]
    return sorted(results, key=lambda result: result.index)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_shard_is_done_once(jobs: int) -> None:
    results = _run(_square, range(20), jobs)
    assert [(r.index, r.shard, r.value, r.failure) for r in results] == [
        (i, i, i * i, "") for i in range(20)
    ]
    assert _run(_square, [], jobs) == []


def test_lanes_are_a_hint_and_lose_no_shard() -> None:
    results = _run(_square, range(40), 2, lane=lambda number: number % 3)
    assert [r.value for r in results] == [i * i for i in range(40)]
    assert len(_run(_square, range(40), 3, lane=lambda number: 0)) == 40


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_process_begins_once(jobs: int) -> None:
    _begun.clear()
    results = _run(_begun_with, range(6), jobs, initializer=_begin, initargs=(7,))
    assert [r.value for r in results] == [[7]] * 6


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_raised_reaches_the_caller(jobs: int) -> None:
    with pytest.raises(InputError, match="three") as caught:
        _run(_refuse_three, range(20), jobs)
    assert caught.value.row == 3
    with pytest.raises(InputError, match="no font"):
        _run(_square, range(20), jobs, initializer=_fail_to_begin)


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
    if sys.argv[2] == "forked":
        fork_ahead(3)  # one of them for nothing
    map_shards(work, range(8), jobs=2, on_done=print)
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
    _wait_until(lambda: len(list(pids.iterdir())) == 2)
    for child in _children(parent.pid):
        (pids / str(child)).touch()
    if number == signal.SIGINT:
        os.killpg(parent.pid, number)  # as a terminal does on Ctrl-C
    else:
        os.kill(parent.pid, number)
    parent.wait(10)
    _wait_until(lambda: not any(_runs(int(path.name)) for path in pids.iterdir()))
    said = parent.stderr.read() if parent.stderr else ""
    assert said.count("Traceback") == (1 if number == signal.SIGINT else 0)


_FORKING = """
import os, sys
from memeloc.engine import fork_ahead, map_shards

loaded = []

def work(number):
    if number == 3:
        os.kill(os.getpid(), 9)
    return number, os.getpid(), list(loaded)

def refuse(number):
    raise ValueError(f"{number} is refused")

def get_ready():
    loaded.append("ready")

def fail_to():
    raise ValueError("what is missing is met again when there is work")

if __name__ == "__main__":
    loaded.append("here")
    fork_ahead(3, get_ready)
    results = []
    map_shards(work, range(8), jobs=2, on_done=results.append)
    results.sort(key=lambda result: result.index)
    print([result.index for result in results if result.failure])
    print([result.value[2] for result in results[:2]])
    print(os.getpid() not in {result.value[1] for result in results if result.value})
    map_shards(work, range(4, 8), jobs=2, on_done=lambda result: print(result.value[0] >= 4))
    try:
        map_shards(refuse, [1], jobs=2, on_done=print)
    except ValueError as error:
        print(error, "In a process of its own" in error.__notes__[0])
    fork_ahead(1, fail_to)
    map_shards(work, [1], jobs=2, on_done=lambda result: print(result.value[2]))
    fork_ahead(2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are started")
def test_what_was_forked_ahead_is_used_and_its_death_costs_no_more(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_FORKING)
    done = subprocess.run(
        [sys.executable, "-W", "error", script], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "[3]",
        "[['here', 'ready'], ['here', 'ready']]",
        "True",
        *["True"] * 4,
        "1 is refused True",
        "['here']",
    ]


def _unpicklable(_: int) -> object:
    return lambda: None


def test_what_cannot_cross_to_another_process_is_said() -> None:
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
