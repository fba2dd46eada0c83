"""Sets of millions. In: a table as large as asked for. Out: memory and time of the run's driver.

Only the first pictures are painted; of all others the rows of the manifest are made, as copies of
a painted one's, by the processes that would paint. What the driver does, reading the table,
planning, merging the manifest and deciding what is unchanged, it does for every picture. Shards
hold the painted pictures only.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.command import make_table, run
from bench.figures import Bound, Figure, write_results
from bench.hashes import hashing, in_one_process
from bench.scenes import ROOT
from memeloc.engine import ShardResult, map_shards
from memeloc.render.sets.shards import Made, Shard

RESULTS = ROOT / "bench" / "scale.json"
"""What guides/scale.md is computed from."""
PICTURES = 1_000_000
"""Unless another number is asked for; the bound is meant for ten million."""
_PAINTED = 0.01
"""Share of the pictures that are painted."""
_GROUP = "Millions of pictures, one driver"
_ONE_CORE = "One core, for a plan"
_BOUND = Bound("at most", 500)
_FEW, _MANY = 150, 750
_READ = 6
_JOINS = (1_000_000, 10_000_000)


def measure(
    pictures: int = PICTURES, *, say: Callable[[str], None] = lambda _: None
) -> list[Figure]:
    """The driver's memory and time at a tenth of the pictures and at all; one core's figures.

    Args:
        pictures: how many the set has.
        say: gets what is being measured.
    """
    note = f"The machine's load average was {os.getloadavg()[0]:.1f} when the bench began."
    figures = [figure for size in (pictures // 10, pictures) for figure in _driver(size, say)]
    figures += _one_core(say)
    for count in _JOINS:
        figures += in_one_process(count, say=say)
    write_results(figures, [note], RESULTS)
    return figures


def _driver(pictures: int, say: Callable[[str], None]) -> list[Figure]:
    """Of a first run, and of a second one where all is unchanged."""
    figures = []
    painted = int(pictures * _PAINTED)
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        table, out = Path(name) / "captions.csv", Path(name) / "out"
        say(f"a table of {pictures:,} captions")
        make_table(table, pictures)
        for what in ("first run", "second run"):
            say(f"{what}, {pictures:,} pictures")
            result = _child(table, out, painted)
            made = f"{result['rendered']:,} made, {result['unchanged']:,} unchanged"
            note = f"{made}; {painted:,} painted, of the others the rows only"
            name = f"{what}, {pictures:,} pictures"
            cpu = result["cpu"] / pictures * 1e6
            figures += [
                Figure(_GROUP, f"peak memory, {name}", result["memory"], "MB", _BOUND, note),
                Figure(_GROUP, f"CPU for 1,000 pictures, {name}", cpu, "ms"),
            ]
    return figures


def _one_core(say: Callable[[str], None]) -> list[Figure]:
    """CPU and bytes of one more picture; what a command needs to start is taken off."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        folder = Path(name)
        for layout in ("files", "webdataset"):
            say(f"rendering --to {layout}")
            spent, outs = [], []
            for pictures in (_FEW, _MANY):
                table, out = folder / f"{pictures}.csv", folder / f"{layout}-{pictures}"
                make_table(table, pictures)
                arguments = ("--langs", "all", "--out", str(out), "--to", layout, "--jobs", "1")
                spent.append(run("render", str(table), *arguments).cpu)
                outs.append(out)
            cpu = (spent[1] - spent[0]) / (_MANY - _FEW)
            size = (_size(outs[1]) - _size(outs[0])) / (_MANY - _FEW)
            figures += [
                Figure(_ONE_CORE, f"rendering --to {layout}, CPU", cpu * 1e3, "ms"),
                Figure(_ONE_CORE, f"--to {layout}, all files", size, "B"),
            ]
        rows = _size(folder / f"files-{_MANY}" / "manifest") / _MANY
        figures.append(Figure(_ONE_CORE, "a row of the manifest", rows, "B"))
        figures.append(_reading(folder / f"files-{_FEW}" / "en", say))
    say("hashing pictures")
    hashed = hashing()
    return [*figures, Figure(_ONE_CORE, "hashing, CPU", 1e3 / hashed["hashed"], "ms")]


def _reading(pictures: Path, say: Callable[[str], None]) -> Figure:
    """CPU of OCR by Tesseract."""
    say("reading pictures")
    files = [str(path) for path in sorted(pictures.glob("*/*.jpg"))[: 4 * _READ]]
    spent = [
        run("ocr", *some, "--reader", "tesseract", "--langs", "en", "--jobs", "1").cpu
        for some in (files[:_READ], files)
    ]
    cpu = (spent[1] - spent[0]) / (len(files) - _READ)
    return Figure(_ONE_CORE, "reading by Tesseract, CPU", cpu * 1e3, "ms")


def _size(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _child(table: Path, out: Path, painted: int) -> dict[str, Any]:
    """What a run measured in a process of its own."""
    command = [sys.executable, "-m", "bench.scale", str(table), str(out), str(painted)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


class _RowsOnly:
    """Makes a shard as memeloc does, up to so many pictures; then only the rows of the others.

    Args:
        run: makes a shard, and writes the table of its rows.
        out: the set.
        painted: how many pictures are made in truth.
    """

    def __init__(self, run: Callable[[Shard], Made], out: Path, painted: int) -> None:
        self._run, self._out, self._painted = run, out, painted
        self._row: Any = None

    def __call__(self, shard: Shard) -> Made:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from memeloc.object_storage import folder_at
        from memeloc.render.sets.manifest import (
            SCHEMA,
            SHARDS,
            leave_out_pandas,
            table_key,
            write_table,
        )
        from memeloc.render.sets.rows import READ, row_values

        leave_out_pandas()
        number = int(shard.name.partition("-")[2])
        keys = [(row, *item) for row, inputs in shard.memes for item in inputs.items()]
        if number * len(keys) < self._painted or self._row is None:
            made = self._run(shard)
            self._row = pq.read_table(self._out / table_key(shard.name)).slice(0, 1)
            return made
        file = f"{SHARDS}/{shard.name}.tar"
        (self._out / file).touch()
        values = {
            "meme_id": [meme.meme_id for meme, _, _ in keys],
            "template": [meme.template for meme, _, _ in keys],
            "language": [language for _, language, _ in keys],
            "path": [f"{name}/{meme.template}/{meme.meme_id}.jpg" for meme, name, _ in keys],
            "inputs_sha256": [inputs for _, _, inputs in keys],
            "shard": [file] * len(keys),
        }
        table = pa.concat_tables([self._row] * len(keys)).combine_chunks()
        for name, column in values.items():
            at = SCHEMA.get_field_index(name)
            table = table.set_column(at, SCHEMA.field(at), pa.array(column, pa.string()))
        write_table(folder_at(self._out), table_key(shard.name), table)
        rows = [row_values(row) for row in table.select([*READ]).to_pylist()]
        return Made(rows, [])


def _main(table: str, out: str, painted: int) -> None:
    """One run; prints what it took. The processes' time and memory are not the driver's."""
    from memeloc.render.sets.manifest import leave_out_pandas
    from memeloc.render.sets.parallel_set import render_table

    leave_out_pandas()

    def spread(
        function: Callable[[Any], Any],
        shards: Iterable[Any],
        *,
        jobs: int,
        on_done: Callable[[ShardResult[Any, Any]], None],
    ) -> None:
        map_shards(_RowsOnly(function, Path(out), painted), shards, jobs=jobs, on_done=on_done)

    begin = time.process_time()
    summary = render_table(table, out, languages="all", to="webdataset", jobs=2, shard_map=spread)
    answer = {
        "rendered": summary.rendered,
        "unchanged": summary.unchanged,
        "cpu": time.process_time() - begin,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
