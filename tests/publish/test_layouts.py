"""Layouts: what Croissant says of them is valid and whole, and files are as they should be."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.picture_writers import read_shard
from memeloc.publish import writers
from memeloc.publish.publishing import publish
from memeloc.publish.release import Release
from memeloc.tables import picture_tables
from tests.publish.releases import small_release

pytestmark = pytest.mark.filterwarnings("ignore")
LAYOUTS: list[tuple[str, dict[str, Any]]] = [
    ("hf", {}), ("hf", {"pictures": "folder"}), ("csv", {}), ("webdataset", {}),
]  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return small_release(tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="module")
def published(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Give the folder of a layout, published once."""
    folders: dict[str, Path] = {}

    def folder(layout: str, options: dict[str, Any]) -> Path:
        key = "-".join([layout, *options])
        if key not in folders:
            folders[key] = tmp_path_factory.mktemp("published") / "office-cats"
            publish(release, folders[key], layout, options=options)
        return folders[key]

    return folder


@pytest.mark.parametrize(("layout", "options"), LAYOUTS, ids=str)
def test_mlcroissant_validates_and_reads_every_record(
    published: Callable[..., Path], release: Release, layout: str, options: dict[str, Any]
) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(published(layout, options) / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    counts = {
        records.id: sum(1 for _ in dataset.records(records.id))
        for records in dataset.metadata.record_sets
    }
    rows = {name: len(table.frame) for name, table in release.tables.items()}
    rows |= {} if layout == "webdataset" else {"pictures": 6}
    rows |= {} if (layout, options) == ("hf", {}) else {"picture-files-records": 6}
    assert counts == rows


@pytest.mark.parametrize(("layout", "options"), LAYOUTS, ids=str)
def test_croissant_says_who_answered_and_joins_tables(
    published: Callable[..., Path], layout: str, options: dict[str, Any]
) -> None:
    folder = published(layout, options)
    names = {"README.md", "croissant.json", "CITATION.cff", "TERMS.md", "provenance.json"}
    assert names <= {path.name for path in folder.iterdir()}
    with Image.open(folder / "contact-sheet.jpg") as sheet:
        assert sheet.size == (1200, 200)
    values = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert values["conformsTo"][0] == "http://mlcommons.org/croissant/1.1"
    assert values["rai:annotationsPerItem"] == "DE: 6 to 6; US: 6 to 6"
    assert values["rai:dataAnnotationProtocol"][1:] == ["All annotators agreed.", "12 EUR an hour."]
    assert "2 captions that no person has read." in values["rai:dataLimitations"]
    referring = {
        records["@id"]
        for records in values["recordSet"]
        for field in records["field"]
        if field.get("references") == {"field": {"@id": "memes/meme_id"}}
    }
    assert referring == {"answers", "labels"} | ({"pictures"} if layout != "webdataset" else set())


def test_webdataset_reads_pictures_and_their_rows(
    published: Callable[..., Path], release: Release
) -> None:
    import webdataset

    shards = sorted(map(str, published("webdataset", {}).rglob("*.tar")))
    samples = list(webdataset.WebDataset(shards, shardshuffle=False))
    rows = {sample["__key__"]: json.loads(sample["json"]) for sample in samples}
    expected = {f"{picture.language}/{picture.meme}": picture for picture in release.pictures()}
    assert rows == {key: picture.values for key, picture in expected.items()}
    assert all(sample["png"] == expected[sample["__key__"]].content() for sample in samples)


def test_a_shard_has_so_many_pictures_at_most(release: Release, tmp_path: Path) -> None:
    publish(release, tmp_path / "out", "webdataset", options={"pictures": 1})
    paths = sorted((tmp_path / "out/data/en").glob("train-*"))
    assert [path.name for path in paths] == [f"train-0000{n}-of-00002.tar" for n in (0, 1)]
    keys = [[sample.key for sample in read_shard(path)] for path in paths]
    assert keys == [["en/nap"], ["en/tea"]]


def test_shards_need_pictures(release: Release, tmp_path: Path) -> None:
    bare = replace(
        release, pictures=lambda: (replace(each, file=None) for each in release.pictures())
    )
    with pytest.raises(InputError, match="--to hf or --to csv"):
        publish(bare, tmp_path / "out", "webdataset")
    assert not list(tmp_path.iterdir())


def test_large_splits_are_several_files_and_pictures_not_packed_again(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_tables, "_ROWS", 1)
    monkeypatch.setattr(writers, "_FILE", 1)
    writers.write_hf(release, tmp_path, lambda *_: None)
    for (language, split), count in release.counts.items():
        files = sorted((tmp_path / "data" / language).glob(f"{split}-*"))
        names = [f"{split}-{number:05}-of-{count:05}.parquet" for number in range(count)]
        assert [file.name for file in files] == names
        assert [pq.read_metadata(file).num_rows for file in files] == [1] * count
    group = pq.read_metadata(files[0]).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    kinds = {column.path_in_schema: column.compression for column in columns}
    assert kinds.pop("image.bytes") == "UNCOMPRESSED"
    assert set(kinds.values()) == {"ZSTD"}
