"""Renders that are killed at any moment: one more run leaves what an undisturbed one leaves."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from memeloc.object_storage import folder_at
from memeloc.render.sets.parallel_set import render_table
from tests.render.rendered_set import keys_of, many_rows, rows_of, whole_set, write_captions
from tests.s3_server import make_bucket, s3_server

FIRST = many_rows(300)
SECOND = [
    *((*row[:3], row[3].replace("Tee", "Suppe") if n % 50 == 0 else row[3])
      for n, row in enumerate(FIRST) if n % 30 != 7),
    *(("x" + row[0], *row[1:]) for row in FIRST[:100]),
]  # fmt: skip
KILLS = 12  # a layout: half of the first render, half of the second
LAYOUTS = ["files", "webdataset", "parquet", "bucket files", "bucket webdataset"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(["memeloc.render.sets.parallel_set", __name__])
    return context


def _run(table: Path, out: str, options: dict[str, Any], environment: dict[str, str]) -> None:
    os.environ.update(environment)  # of the bucket's server, which began after the fork server
    render_table(table, out, max_side=32, prune=True, **options)


class Renders:
    """Renders of tables into a folder, each by a process of its own."""

    def __init__(self, context: ForkServerContext, folder: Path, out: str, to: str) -> None:
        folder.mkdir()
        self._context, self._folder, self.out, self._to = context, folder, out, to

    def start(self, rows: list[tuple[str, ...]], jobs: int) -> Any:
        table = write_captions(self._folder, rows)
        options = {"to": self._to, "jobs": jobs}
        process = self._context.Process(
            target=_run, args=(table, self.out, options, dict(os.environ))
        )
        process.start()
        return process

    def finish(self, rows: list[tuple[str, ...]]) -> float:
        """Run to the end; the seconds it took."""
        begun = time.monotonic()
        process = self.start(rows, 1)
        process.join()
        assert process.exitcode == 0
        return time.monotonic() - begun

    def kill(self, rows: list[tuple[str, ...]], jobs: int, moment: float) -> bool:
        """Kill a run after some seconds; False when it had ended already."""
        process = self.start(rows, jobs)
        process.join(moment)
        process.kill()
        process.join()
        return bool(process.exitcode == -signal.SIGKILL)

    def state(self) -> dict[tuple[str, str], list[Any]]:
        """What the set is to its readers, when all is as its rows say."""
        whole_set(self.out)
        columns = ("path", "sha256", "inputs_sha256", "relative_size", "in_table", "lines")
        return {
            (row["meme_id"], row["language"]): [row[name] for name in columns]
            for row in rows_of(self.out)
        }


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_more_run_leaves_what_an_undisturbed_one_leaves(
    tmp_path: Path, processes: ForkServerContext, request: pytest.FixtureRequest, layout: str
) -> None:
    chance = random.Random(layout)
    *_, to = layout.split()
    in_bucket = layout.startswith("bucket")
    places = {
        name: f"{make_bucket(request.getfixturevalue('server'), f'{to}-{name}')}/set"
        if in_bucket
        else str(tmp_path / name / "out")
        for name in ("calm", "rough")
    }
    calm = Renders(processes, tmp_path / "calm", places["calm"], to)
    rough = Renders(processes, tmp_path / "rough", places["rough"], to)
    struck = {"first": 0, "second": 0}
    for name, rows in (("first", FIRST), ("second", SECOND)):
        longest = calm.finish(rows)
        missed = 0
        while struck[name] < KILLS // 2 and missed < 10 * KILLS:
            if rough.kill(rows, chance.choice((1, 2)), chance.uniform(0, longest)):
                struck[name] += 1
            else:
                missed += 1
                longest *= 0.9
            if name == "first":  # from the beginning again, so that it is struck at any moment
                continue
            # Pictures that a killed run made and had no rows of yet are files that the set of
            # another table does not name.
            settled = chance.choice((FIRST, SECOND))
            rough.finish(settled)
            keys = [(row["meme_id"], row["language"]) for row in rows_of(rough.out)]
            assert sorted(keys) == keys_of(settled)
        rough.finish(rows)
        assert rough.state() == calm.state()
        assert struck[name] >= KILLS // 2
    assert {entry.key for entry in folder_at(rough.out).entries(".memeloc")} == {
        entry.key for entry in folder_at(calm.out).entries(".memeloc")
    }
