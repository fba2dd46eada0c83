"""Sets in WebDataset shards: what is in them after one run, several runs, and a run that died."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from memeloc.engine import ShardResult, map_shards
from memeloc.errors import InputError
from memeloc.object_storage import LocalFolder
from memeloc.render.sets.parallel_set import Summary, render_table
from memeloc.render.sets.picture_shards import storage_of
from memeloc.tar_shards import LARGEST_SAMPLE, Sample, ShardWriter, read_shard, shard_keys

HEADER = ("meme_id", "template", "en", "de")
ROWS = [
    ("m1", "robot-chef", "two eggs // one error", "zwei Eier // ein Fehler"),
    ("m2.b", "summit-snail", "I said // by noon", "sagte ich // bis Mittag"),
    ("m3", "robot-chef", "tea // is ready", "Tee // ist fertig"),
]
MANY = [(f"m{n}", "robot-chef", f"tea {n} // is ready", f"Tee {n} // ist da") for n in range(100)]


def _render(folder: Path, rows: Sequence[Sequence[str]] = ROWS, **options: Any) -> Summary:
    table = folder / "captions.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    usual = {"languages": "all", "max_side": 64, "to": "webdataset"}
    return render_table(table, folder / "out", **usual | options)


def _counts(summary: Summary) -> tuple[int, int, int]:
    return summary.rendered, summary.unchanged, summary.failed


def _manifest(out: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(out / "manifest.parquet").to_pylist()
    return rows


def _whole(out: Path) -> list[tuple[str, str]]:
    """The pictures of a set, by meme and language, after its shards were found as recorded."""
    rows = _manifest(out)
    recorded = {(row["shard"], row["sha256"]) for row in rows}
    there = set()
    for path in (out / "shards").iterdir():
        for content in _pictures_in(path):
            there.add((f"shards/{path.name}", hashlib.sha256(content).hexdigest()))
    assert there == recorded
    assert not list((out / ".memeloc" / "parts").glob("*"))
    assert not (out / ".memeloc" / "running").exists()
    return sorted((row["meme_id"], row["language"]) for row in rows)


def _pictures_in(path: Path) -> list[bytes]:
    if path.suffix == ".parquet":
        return [image["bytes"] for image in pq.read_table(path)["image"].to_pylist()]
    samples = list(read_shard(path))
    assert all(set(sample.files) == {"jpg", "json"} for sample in samples)
    return [sample.files["jpg"] for sample in samples]


def _pairs(rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    return sorted((row[0], language) for row in rows for language in ("en", "de"))


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


def test_a_lost_shard_is_made_again(tmp_path: Path) -> None:
    _render(tmp_path)
    for path in (tmp_path / "out/shards").iterdir():
        path.unlink()
    assert _counts(_render(tmp_path)) == (6, 0, 0)
    assert _whole(tmp_path / "out") == _pairs(ROWS)


def test_what_a_stopped_run_finished_is_kept(tmp_path: Path) -> None:
    def spread(function: Any, shards: Any, *, on_done: Any, **_: Any) -> None:
        for index, shard in enumerate(shards):
            value = function(shard)
            if index == 2:  # its shard is there, and its rows are not
                (tmp_path / "out/.memeloc/parts" / shard.part).unlink()
                raise OSError(28, "No space left on device")
            on_done(ShardResult(index, shard, value))

    with pytest.raises(OSError, match="No space"):
        _render(tmp_path, MANY, shard_map=spread)
    (tmp_path / "out/shards/.000001-00000003.tar.tmp").write_bytes(b"half")
    summary = _render(tmp_path, MANY)
    assert summary.unchanged == 128
    assert _counts(summary) == (72, 128, 0)
    assert _whole(tmp_path / "out") == _pairs(MANY)


@pytest.mark.parametrize("to", ["webdataset", "parquet"])
def test_two_processes_at_one_shard_leave_it_whole(tmp_path: Path, to: str) -> None:
    """As where a node that a cluster has given up still works; it ends first or last."""
    storage = storage_of(to, LocalFolder(tmp_path))
    rows = [{"path": f"en/robot-chef/m{n}.jpg"} for n in range(3)]
    keys = {storage.key_of(row["path"]) for row in rows}
    shard = tmp_path / "shards" / f"000001-00000000{storage.suffix}"
    made = []
    with storage.adding("000001-00000000.parquet") as add:
        add(rows[0], b"tea 0")
        with storage.adding("000001-00000000.parquet") as others_add:
            for number, row in enumerate(rows):
                others_add(row, f"tea {number}".encode())
        assert storage.keys_in(shard) == keys
        made.append(shard.read_bytes())
        for number, row in enumerate(rows[1:], 1):
            add(row, f"tea {number}".encode())
    made.append(shard.read_bytes())
    assert made[0] == made[1]
    assert list(shard.parent.iterdir()) == [shard]


@pytest.mark.parametrize("to", ["webdataset", "parquet"])
def test_what_a_dead_process_was_writing_goes_with_the_run(tmp_path: Path, to: str) -> None:
    suffix = storage_of(to, LocalFolder(tmp_path)).suffix

    def spread(function: Any, shards: Any, **options: Any) -> None:
        map_shards(function, shards, **options)
        (tmp_path / f"out/shards/.000001-00000000{suffix}.ab12.tmp").write_bytes(b"half")

    _render(tmp_path, to=to, shard_map=spread)
    assert [path.suffix for path in (tmp_path / "out/shards").iterdir()] == [suffix]


def test_a_picture_that_a_cut_off_run_pruned_is_made_again(tmp_path: Path) -> None:
    _render(tmp_path)
    (path,) = (tmp_path / "out/shards").iterdir()
    samples = list(read_shard(path))
    with ShardWriter(path) as writer:
        for sample in samples[1:]:
            writer.add(sample)
    (tmp_path / "out/.memeloc/running").touch()
    assert _counts(_render(tmp_path)) == (1, 5, 0)
    assert _whole(tmp_path / "out") == _pairs(ROWS)


@pytest.mark.slow
def test_kill_9_leaves_whole_shards_and_the_next_run_finishes(tmp_path: Path) -> None:
    rows = [(f"m{n}", *MANY[0][1:]) for n in range(1500)]
    _render(tmp_path, rows[:1])
    out = tmp_path / "out"
    with (tmp_path / "captions.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    arguments = ["render", "captions.csv", "--out", "out", "--max-side", "64", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "memeloc", *arguments, "--to", "webdataset"],
        cwd=tmp_path,
        process_group=0,
    )
    while len(list((out / "shards").glob("*.tar"))) < 5:
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert all(shard_keys(path) for path in (out / "shards").glob("*.tar"))
    summary = _render(tmp_path, rows)
    assert summary.unchanged > 2
    assert summary.rendered + summary.unchanged == 3000
    assert _whole(out) == _pairs(rows)


def test_a_folder_shards_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out/shards").mkdir(parents=True)
    with pytest.raises(InputError, match="shards in this folder was not made by memeloc"):
        _render(tmp_path)


def test_a_shard_without_samples_is_no_file(tmp_path: Path) -> None:
    with ShardWriter(tmp_path / "a.tar"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_sample_too_large_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        member = tarfile.TarInfo("a.jpg")
        member.size = LARGEST_SAMPLE + 1
        tar.addfile(member, io.BytesIO(bytes(member.size)))
    with pytest.raises(InputError, match="'a' in it has more than 64 MB"):
        list(read_shard(tmp_path / "a.tar"))


def test_links_and_folders_in_a_shard_are_passed_over(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name, kind in (("a.jpg", tarfile.SYMTYPE), ("b", tarfile.DIRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/hostname"
            tar.addfile(member)
        member = tarfile.TarInfo("c.txt")
        member.size = 3
        tar.addfile(member, io.BytesIO(b"tea"))
    assert list(read_shard(tmp_path / "a.tar")) == [Sample("c", {"txt": b"tea"})]


def test_what_is_no_tar_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(b"tea" * 1000)
    with pytest.raises(InputError, match="cannot be read as a tar file"):
        list(read_shard(tmp_path / "a.tar"))
