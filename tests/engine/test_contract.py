"""What `ShardMap` promises, of each engine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memeloc.engine import ShardMap, ShardResult, map_shards
from memeloc.errors import InputError

Run = Callable[..., list[ShardResult[Any, Any]]]


@pytest.fixture(scope="module", params=["processes", pytest.param("ray", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Iterator[ShardMap]:
    if request.param == "processes":
        yield map_shards
        return
    import ray

    from memeloc.engine.ray import RayMap

    yield RayMap()
    ray.shutdown()


@pytest.fixture
def run(engine: ShardMap) -> Run:
    def run_map(function: Any, shards: Iterable[Any], jobs: int) -> list[ShardResult[Any, Any]]:
        results: list[ShardResult[Any, Any]] = []
        engine(function, shards, jobs=jobs, on_done=results.append)
        return sorted(results, key=lambda result: result.index)

    return run_map


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


def _unpicklable(_: int) -> object:
    return (number for number in range(3))


class _Counter:
    """A function that keeps something in itself."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, _: int) -> int:
        self.calls += 1
        return self.calls


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_shard_is_done_once(run: Run, jobs: int) -> None:
    results = run(_square, range(20), jobs)
    assert [(r.index, r.shard, r.value, r.failure) for r in results] == [
        (i, i, i * i, "") for i in range(20)
    ]
    assert run(_square, [], jobs) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_function_keeps_serves_later_shards(run: Run, jobs: int) -> None:
    calls = sorted(result.value or 0 for result in run(_Counter(), range(6), jobs))
    assert calls[0] == 1
    assert calls[-1] >= 6 // jobs


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_raised_reaches_the_caller(run: Run, jobs: int) -> None:
    with pytest.raises(InputError, match="three") as caught:
        run(_refuse_three, range(20), jobs)
    assert caught.value.row == 3


def test_a_shard_that_kills_its_process_costs_only_itself(run: Run, tmp_path: Path) -> None:
    results = run(_die_on_three, [(i, tmp_path) for i in range(12)], 2)
    assert [r.value for r in results] == [0, 1, 2, None, 4, 5, 6, 7, 8, 9, 10, 11]
    assert "died 2 times" in results[3].failure
    assert (tmp_path / "died").exists()


def test_shards_are_taken_only_when_they_are_wanted(engine: ShardMap) -> None:
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

    engine(_square, shards(), jobs=2, on_done=count)
    assert done == 50
    assert most <= 5


def test_what_cannot_be_pickled_is_reported(run: Run) -> None:
    with pytest.raises(RuntimeError, match="cannot cross"):
        run(_unpicklable, [1], 2)


def test_what_on_done_raises_ends_the_map(engine: ShardMap) -> None:
    def refuse(result: ShardResult[int, int]) -> None:
        raise InputError(f"no more than {result.index}")

    with pytest.raises(InputError, match="no more than"):
        engine(_square, range(20), jobs=2, on_done=refuse)


def test_no_map_has_less_than_one_job(run: Run) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        run(_square, [1], 0)
