"""Sets in shards and in a bucket: after one run, several runs, and one that died."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from memeloc.engine import ShardResult
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.object_storage import TEMPORARY, Folder, folder_at
from memeloc.render.sets import parallel_set
from memeloc.render.sets.parallel_set import Summary, render_table
from tests.render.rendered_set import ROWS, counts, keys_of, many_rows, whole_set, write_captions
from tests.s3_server import make_bucket, s3_server

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


FOUR = many_rows(4)


LAYOUTS = ["files", "webdataset"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards of two pictures."""
    monkeypatch.setattr(parallel_set, "shard_size", lambda _: 2)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return f"set-{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12]}"


@pytest.fixture
def bucket(name: str, server: str) -> Folder:
    """A folder in a bucket of the server."""
    return folder_at(f"{make_bucket(server, name)}/tea/out")


@pytest.fixture(params=["memory", pytest.param("s3", marks=pytest.mark.slow)])
def out(request: pytest.FixtureRequest, name: str) -> Folder:
    """A folder in this process's memory, and at length in a bucket."""
    if request.param == "s3":
        found: Folder = request.getfixturevalue("bucket")
        return found
    return folder_at(f"memory://{name}/tea/out")


def _render_to(
    folder: Path, out: Any, rows: Sequence[Sequence[str]] = ROWS, **options: Any
) -> Summary:
    return render_table(write_captions(folder, rows), out, **{"max_side": 64} | options)


def _keys(out: Folder) -> set[str]:
    return {entry.key for entry in out.entries()}


@pytest.mark.parametrize("to", [*LAYOUTS, "parquet"])
def test_a_set_in_a_bucket_is_the_one_of_a_folder(tmp_path: Path, bucket: Folder, to: str) -> None:
    out = bucket
    local = _render_to(tmp_path, tmp_path / "out", to=to)
    assert counts(_render_to(tmp_path, out, to=to)) == counts(local) == (6, 0, 0, 0)
    on_disk = {
        path.relative_to(tmp_path / "out").as_posix(): path.read_bytes()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    assert _keys(out) == on_disk.keys()
    for key, content in on_disk.items():
        assert out.read(key) == content


def _stopping(at: int, error: Exception) -> Callable[..., None]:
    """A map that ends after so many shards; the last one's rows are not noted."""

    def spread(function: Any, shards: Any, *, on_done: Any, **_: Any) -> None:
        for index, shard in enumerate(shards):
            value = function(shard)
            if index == at:
                raise error
            on_done(ShardResult(index, shard, value))

    return spread


@pytest.mark.parametrize("to", LAYOUTS)
def test_what_a_stopped_run_finished_in_a_bucket_is_kept(
    tmp_path: Path, bucket: Folder, to: str, small: None
) -> None:
    out = bucket
    with pytest.raises(OSError, match="No space"):
        _render_to(tmp_path, out, FOUR, to=to, shard_map=_stopping(1, OSError(28, "No space left")))
    assert ".memeloc/running" in _keys(out)
    out.remove("manifest/000001-00000001.parquet")  # as if it died before its last write
    summary = _render_to(tmp_path, out, FOUR, to=to)
    assert counts(summary) == (6, 2, 0, 0)
    assert whole_set(out) == keys_of(FOUR)


@pytest.mark.parametrize("to", LAYOUTS)
@pytest.mark.parametrize("when", ["before", "during", "after"])
def test_of_two_runs_the_later_one_goes_on(
    tmp_path: Path, out: Folder, small: None, when: str, to: str
) -> None:
    """The earlier one makes its second shard before, during or after the later one."""

    def spread(function: Any, shards: Any, *, on_done: Any, **_: Any) -> None:
        first, second = islice(shards, 2)
        on_done(ShardResult(0, first, function(first)))
        made = [function(second)] if when == "before" else []

        def meanwhile(other: Any, shards: Any, *, on_done: Any, **_: Any) -> None:
            for index, shard in enumerate(shards):
                if not index and when == "during":
                    made.append(function(second))
                on_done(ShardResult(index, shard, other(shard)))

        (tmp_path / "other").mkdir()
        _render_to(tmp_path / "other", out, FOUR[2:], to=to, shard_map=meanwhile)
        if to == "webdataset":
            assert set(keys_of(FOUR[2:])) < set(whole_set(out))
        if when == "after":
            made.append(function(second))
            out.remove(f"manifest/{second.name}.parquet")  # as who is ended before writing its rows
        on_done(ShardResult(1, second, made[0]))

    with pytest.raises(InputError, match="Another run has begun in this folder"):
        _render_to(tmp_path, out, FOUR, to=to, shard_map=spread)
    assert counts(_render_to(tmp_path, out, FOUR, to=to))[3] == 0
    assert whole_set(out) == keys_of(FOUR)


def test_a_storage_that_fails_midway_ends_the_run(
    tmp_path: Path, out: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Folder.write

    def failing(self: Folder, key: str, content: Any) -> None:
        if key.startswith("de/"):
            raise ServiceError(self.url, "it cannot be reached", retryable=True)
        write(self, key, content)

    monkeypatch.setattr(Folder, "write", failing)
    with pytest.raises(ServiceError, match="reached"):
        _render_to(tmp_path, out)
    monkeypatch.undo()
    assert not any(key.startswith("manifest/") for key in _keys(out))
    assert counts(_render_to(tmp_path, out)) == (6, 0, 0, 0)


@pytest.mark.parametrize("fails", [True, False])
def test_a_machine_that_does_not_see_the_bucket_is_named(
    tmp_path: Path, out: Folder, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    def elsewhere(function: Any, shards: Any, **_: Any) -> None:
        def entry(self: Folder, key: str) -> None:
            if fails:
                raise ServiceError(self.url, "it cannot be reached", retryable=True)

        monkeypatch.setattr(Folder, "entry", entry)
        function(next(iter(shards)))

    reason = "it cannot be reached" if fails else "does not find"
    with pytest.raises(MissingError, match=f"machine {platform.node()}: {out}: .*{reason}"):
        _render_to(tmp_path, out, shard_map=elsewhere)
    assert not any(key.endswith(".jpg") for key in _keys(out))


@pytest.mark.slow
def test_the_page_opens_from_the_bucket(tmp_path: Path, server: str, browser: Any) -> None:
    _render_to(tmp_path, f"{make_bucket(server, 'page', public=True)}/set")
    tab = browser.new_page()
    failures: list[str] = []
    tab.on("requestfailed", lambda request: failures.append(request.url))
    tab.goto(f"{server}/page/set/index.html")
    widths: list[int] = []
    for _ in range(300):  # pictures load as they come into sight
        widths = tab.evaluate("[...document.images].map((image) => image.naturalWidth)")
        if all(widths) and widths:
            break
        tab.wait_for_timeout(100)
    assert widths == [64] * 6
    assert not failures
