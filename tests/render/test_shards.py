"""Sets in WebDataset shards: what is in them after one run, several runs, and a run that died."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memeloc.engine import ShardResult
from memeloc.object_storage import TEMPORARY
from memeloc.render.sets.parallel_set import Summary, render_table
from tests.render.rendered_set import ROWS, counts, keys_of, many_rows, whole_set, write_captions

MANY = many_rows(100)


def _render(folder: Path, rows: Sequence[Sequence[str]] = ROWS, **options: Any) -> Summary:
    table = write_captions(folder, rows)
    return render_table(table, folder / "out", **{"max_side": 64, "to": "webdataset"} | options)


def test_webdataset_reads_the_shards(tmp_path: Path) -> None:
    webdataset = pytest.importorskip("webdataset")
    summary = _render(tmp_path)
    assert summary.shards
    urls = [str(path) for path in sorted(summary.shards.iterdir())]
    samples = list(webdataset.WebDataset(urls, shardshuffle=False).decode("pil"))
    assert [(sample["json"]["meme_id"], sample["json"]["language"]) for sample in samples] == [
        (row[0], language) for row in ROWS for language in ("en", "de")
    ]
    assert samples[1]["json"]["text"] == ROWS[0][3]
    assert samples[2]["__key__"] == "en/summit-snail/m2%2Eb"
    assert samples[0]["jpg"].size == (64, 64)


def test_datasets_reads_the_tables(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    summary = _render(tmp_path, to="parquet")
    files = [str(path) for path in Path(str(summary.shards)).iterdir()]
    loaded = datasets.Dataset.from_parquet(files, cache_dir=str(tmp_path / "cache"))
    assert [(row["meme_id"], row["language"]) for row in loaded] == [
        (row[0], language) for row in ROWS for language in ("en", "de")
    ]
    assert loaded[1]["image"].size == (64, 64)
    assert loaded[1]["text"] == ROWS[0][3]
    assert loaded[1]["words"] == ["ZWEI", "EIER", "EIN", "FEHLER"]
    assert set(loaded[1]["font_files"][0]) == {"family", "sha256"}


def test_what_a_stopped_run_finished_is_kept(tmp_path: Path) -> None:
    def spread(function: Any, shards: Any, *, on_done: Any, **_: Any) -> None:
        for index, shard in enumerate(shards):
            value = function(shard)
            if index == 2:  # its shard is there, and its rows are not
                (tmp_path / f"out/manifest/{shard.name}.parquet").unlink()
                raise OSError(28, "No space left on device")
            on_done(ShardResult(index, shard, value))

    with pytest.raises(OSError, match="No space"):
        _render(tmp_path, MANY, shard_map=spread)
    (tmp_path / f"out/shards/.000001-00000003.tar.ab12{TEMPORARY}").write_bytes(b"half")
    assert counts(_render(tmp_path, MANY)) == (72, 128, 0, 0)
    assert whole_set(tmp_path / "out") == keys_of(MANY)


@pytest.mark.parametrize("to", ["webdataset", "parquet"])
def test_what_is_replaced_or_pruned_leaves_its_shard(tmp_path: Path, to: str) -> None:
    _render(tmp_path, to=to)
    changed = [(*ROWS[0][:3], "drei Eier // kein Fehler"), ROWS[2]]
    assert counts(_render(tmp_path, changed, to=to)) == (1, 3, 0, 0)
    assert whole_set(tmp_path / "out") == keys_of(ROWS)
    summary = _render(tmp_path, changed, to=to, prune=True)
    assert (summary.pruned, *counts(summary)) == (2, 0, 4, 0, 0)
    assert whole_set(tmp_path / "out") == keys_of(changed)
    before = sorted((tmp_path / "out/shards").iterdir())
    assert counts(_render(tmp_path, changed, to=to)) == (0, 4, 0, 0)
    assert sorted((tmp_path / "out/shards").iterdir()) == before
