"""The layout of Hugging Face: files of a bounded size, none of which is half named."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from memeloc.publish import writers
from memeloc.tables import picture_tables
from tests.publish.releases import small_release


def test_large_splits_are_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_tables, "_ROWS", 1)
    monkeypatch.setattr(writers, "_FILE", 1)
    release = small_release(tmp_path / "made")
    (tmp_path / "out").mkdir()
    writers.write_hf(release, tmp_path / "out", lambda *_: None)
    for (language, split), count in release.counts.items():
        files = sorted((tmp_path / "out" / "data" / language).glob(f"{split}-*"))
        names = [f"{split}-{number:05}-of-{count:05}.parquet" for number in range(count)]
        assert [file.name for file in files] == names
        assert [pq.read_metadata(file).num_rows for file in files] == [1] * count


def test_pictures_in_parquet_are_not_compressed_again(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    writers.write_hf(small_release(tmp_path / "made"), tmp_path / "out", lambda *_: None)
    file = next((tmp_path / "out" / "data").rglob("*.parquet"))
    group = pq.read_metadata(file).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    kinds = {column.path_in_schema: column.compression for column in columns}
    assert kinds.pop("image.bytes") == "UNCOMPRESSED"
    assert set(kinds.values()) == {"ZSTD"}
