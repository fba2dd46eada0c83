"""Of a manifest only the rows of the languages that are asked for are read."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

from memeloc.render.sets.manifest import MANIFEST, SCHEMA
from memeloc.render.sets.manifest_files import NewFile
from memeloc.render.sets.reading import read_pictures, shown_pictures

LANGUAGES = ("en", "de", "hi")


@pytest.fixture
def only_german(tmp_path: Path) -> Path:
    """A set whose manifest is overwritten with zeros where rows of other languages stand."""
    rows = [
        {
            "meme_id": f"m{number}",
            "language": language,
            "locale": language,
            "path": f"{language}/tea/m{number}.jpg",
            "text": f"tea {number}",
        }
        for number in range(50)
        for language in LANGUAGES
    ]
    file = NewFile(tmp_path / MANIFEST)
    file.add(pa.Table.from_pylist(rows, SCHEMA))
    file.keep()
    metadata = pq.read_metadata(tmp_path / MANIFEST)
    assert metadata.num_row_groups == len(LANGUAGES)
    with (tmp_path / MANIFEST).open("r+b") as stream:
        for number in (0, 2):
            group = metadata.row_group(number)
            first, last = group.column(0), group.column(group.num_columns - 1)
            begin = first.dictionary_page_offset or first.data_page_offset
            end = (
                last.dictionary_page_offset or last.data_page_offset
            ) + last.total_compressed_size
            stream.seek(begin)
            stream.write(bytes(end - begin))
    return tmp_path


def test_memeloc_reads_no_other_language(only_german: Path) -> None:
    pictures = list(read_pictures(only_german, ["meme_id", "path", "text"], ["de"]))
    assert [picture["meme_id"] for picture in pictures] == [f"m{n}" for n in range(50)]
    shown = shown_pictures(only_german, {"de"})
    assert shown["m7", "de"] == (only_german / "de/tea/m7.jpg", "tea 7")
    assert shown_pictures(only_german, {"fr"}) == {}
    with pytest.raises(OSError, match="deserialize"):
        list(read_pictures(only_german, ["meme_id"], ["hi"]))


def test_other_readers_read_no_other_language(only_german: Path) -> None:
    path = only_german / MANIFEST
    german = [("language", "==", "de")]
    assert len(pd.read_parquet(path, columns=["text"], filters=german)) == 50
    dataset = pyarrow.dataset.dataset(path)
    assert dataset.to_table(filter=pyarrow.dataset.field("language") == "de").num_rows == 50
