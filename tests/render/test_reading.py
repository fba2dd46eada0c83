"""A set is read as one table, whole or in part, by memeloc and by others."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from memeloc.errors import InputError
from memeloc.object_storage import folder_at
from memeloc.render.sets.manifest import (
    MANIFEST,
    SCHEMA,
    name_of,
    rows_table,
    table_key,
    write_table,
)
from memeloc.render.sets.reading import has_set, open_set, read_pictures, shown_pictures

LANGUAGES = ("en", "de", "hi")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of five tables; the captions table has the last meme no longer."""
    out = tmp_path_factory.mktemp("set")
    for number in range(5):
        rows = [
            {
                "meme_id": f"m{number}{n}",
                "language": language,
                "locale": language,
                "path": f"{language}/tea/m{number}{n}.jpg",
                "text": f"tea {number}{n}",
                "problems": [],
                "in_table": (number, n) != (4, 9),
            }
            for n in range(10)
            for language in LANGUAGES
        ]
        write_table(folder_at(out), table_key(name_of(1, number)), rows_table(rows))
    return out


def test_memeloc_reads_what_is_asked_for(made: Path) -> None:
    pictures = list(read_pictures(made, ["meme_id", "path"], ["de"]))
    assert [picture["meme_id"] for picture in pictures] == [f"m{n:02d}" for n in range(49)]
    assert {*pictures[0]} == {"meme_id", "path"}
    shown = shown_pictures(made, {"de"})
    assert shown["m07", "de"] == (made / "de/tea/m07.jpg", "tea 07")
    assert shown_pictures(made, {"fr"}) == {}
    assert open_set(made).schema.equals(SCHEMA)


def test_pyarrow_and_pandas_read_it_as_one(made: Path) -> None:
    german = [("language", "==", "de")]
    assert len(pd.read_parquet(made / MANIFEST, columns=["text"], filters=german)) == 50
    assert pq.read_table(made / MANIFEST).num_rows == 150
    dataset = pyarrow.dataset.dataset(made / MANIFEST)
    assert dataset.to_table(filter=pyarrow.dataset.field("language") == "de").num_rows == 50


def test_polars_reads_it_as_one(made: Path) -> None:
    polars = pytest.importorskip("polars")
    rows = polars.scan_parquet(made / MANIFEST / "*.parquet")
    assert rows.filter(polars.col("language") == "de").collect().height == 50


def test_duckdb_reads_it_as_one(made: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql(f"SELECT * FROM '{made}/manifest/*.parquet' WHERE language = 'de'")
    assert len(rows.fetchall()) == 50


def test_datasets_reads_it_as_one(made: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    files = sorted(map(str, (made / MANIFEST).iterdir()))
    loaded = datasets.Dataset.from_parquet(files, cache_dir=str(tmp_path))
    assert len(loaded.filter(lambda row: row["language"] == "de")) == 50


def test_a_set_made_before_is_read_as_it_is(made: Path, tmp_path: Path) -> None:
    pq.write_table(open_set(made).to_table(), tmp_path / "manifest.parquet")
    assert has_set(tmp_path)
    assert list(read_pictures(tmp_path, ["text"], ["hi"])) == list(
        read_pictures(made, ["text"], ["hi"])
    )
    without = open_set(made).to_table().drop_columns(["words"])
    pq.write_table(without, tmp_path / "manifest.parquet")
    with pytest.raises(InputError, match=r"has no column 'words'; run `memeloc render` again"):
        list(read_pictures(tmp_path, ["words"]))


def test_what_cannot_be_read_is_a_sentence(made: Path, tmp_path: Path) -> None:
    assert not has_set(tmp_path)
    with pytest.raises(InputError, match="no manifest here; give the folder that"):
        list(read_pictures(tmp_path, ["text"]))
    with pytest.raises(InputError, match="no pictures in 'fr'; there are de, en, hi"):
        list(read_pictures(made, ["text"], ["fr"]))
    (tmp_path / "manifest").mkdir()
    (tmp_path / "manifest/000001-00000000.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(read_pictures(tmp_path, ["text"]))
    with pytest.raises(InputError, match="s3://memes/set: is in object storage: fetch it"):
        shown_pictures("s3://memes/set")
