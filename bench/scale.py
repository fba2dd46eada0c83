"""Sets of millions. In: a table as large as asked for. Out: memory and time of the run's driver.

Only the first pictures are painted; of all others the rows of the manifest are made, as copies of
a painted one's, by the processes that would paint. What the driver does, reading the table,
planning, merging the manifest and deciding what is unchanged, it does for every picture. Shards
hold the painted pictures only.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.command import make_table
from bench.figures import Bound, Figure
from bench.scenes import ROOT
from memeloc.engine import ShardResult, map_shards
from memeloc.render.sets.shards import Made, Shard

PICTURES = 1_000_000
"""Unless another number is asked for; the issue's bound is for ten million."""
_PAINTED = 0.01
"""Share of the pictures that are painted."""
_GROUP = "Millions of pictures, one driver"
_BOUND = Bound("at most", 500)


def measure(
    pictures: int = PICTURES, *, say: Callable[[str], None] = lambda _: None
) -> list[Figure]:
    """The driver's peak memory in a first run, and in a second one where all is unchanged."""
    figures = []
    painted = int(pictures * _PAINTED)
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        table, out = Path(name) / "captions.csv", Path(name) / "out"
        say(f"a table of {pictures:,} captions")
        make_table(table, pictures)
        for what in ("a first run", "the same again, all unchanged"):
            say(f"{what}, {pictures:,} pictures")
            result = _child(table, out, painted)
            made = f"{result['rendered']:,} made, {result['unchanged']:,} unchanged"
            note = f"{made}; {painted:,} painted, of the others the rows only"
            figures += [
                Figure(
                    _GROUP, f"driver's peak memory, {what}", result["memory"], "MB", _BOUND, note
                ),
                Figure(
                    _GROUP,
                    f"driver's CPU for 1,000 pictures, {what}",
                    result["cpu"] / pictures * 1e6,
                    "ms",
                ),
            ]
        size = (out / "manifest.parquet").stat().st_size / pictures
        figures.append(Figure(_GROUP, "bytes of the manifest for a picture", size, "B"))
    return figures


def _child(table: Path, out: Path, painted: int) -> dict[str, Any]:
    """What a run measured in a process of its own."""
    command = [sys.executable, "-m", "bench.scale", str(table), str(out), str(painted)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


class _RowsOnly:
    """Makes a shard as memeloc does, up to so many pictures; then only the rows of the others.

    Args:
        run: makes a shard, and leaves its rows as a part.
        out: the set.
        painted: how many pictures are made in truth.
    """

    def __init__(self, run: Callable[[Shard], Made], out: Path, painted: int) -> None:
        self._run, self._out, self._painted = run, out, painted
        self._row: Any = None

    def __call__(self, shard: Shard) -> Made:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from memeloc.render.sets.manifest import PARTS, SCHEMA, SHARDS, leave_out_pandas

        leave_out_pandas()
        number = int(Path(shard.part).stem.partition("-")[2])
        keys = [(meme, item) for meme in shard.memes for item in meme.items]
        part = self._out / PARTS / shard.part
        if number * len(keys) < self._painted or self._row is None:
            made = self._run(shard)
            self._row = pq.read_table(part).slice(0, 1)
            return made
        file = f"{SHARDS}/{Path(shard.part).stem}.tar"
        (self._out / file).touch()
        values = {
            "meme_id": [meme.meme_id for meme, _ in keys],
            "template": [meme.template for meme, _ in keys],
            "language": [item.language for _, item in keys],
            "path": [f"{i.language}/{m.template}/{m.meme_id}.jpg" for m, i in keys],
            "inputs_sha256": [item.inputs_sha256 for _, item in keys],
            "shard": [file] * len(keys),
        }
        table = pa.concat_tables([self._row] * len(keys)).combine_chunks()
        for name, column in values.items():
            at = SCHEMA.get_field_index(name)
            table = table.set_column(at, SCHEMA.field(at), pa.array(column, pa.string()))
        pq.write_table(table, part, compression="none", use_dictionary=False)
        return Made(len(keys), {}, 0, {}, "")


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
