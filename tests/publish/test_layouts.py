"""Layouts: what Croissant says of them is valid, and what a card tells readers to run does run."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from PIL import Image

from memeloc.errors import InputError
from memeloc.picture_writers import read_shard
from memeloc.publish import writers
from memeloc.publish.publishing import publish
from memeloc.publish.release import Release
from memeloc.tables import picture_tables
from tests.publish.releases import SPLITS, small_release, table, tables

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


os.environ.setdefault("HF_HUB_OFFLINE", "1")


HARD = ("None", "null", "NA", "=(", "@everyone", "-10%", "'=x", "007", "a\nb", "")


def _hard_release(folder: Path, languages: tuple[str, ...], with_pictures: bool = True) -> Release:
    """Memes whose captions, ids and rows other programs like to take for something else."""
    small = small_release(folder)
    texts = dict(zip(SPLITS, HARD, strict=False))
    rows = {"lines": [], "line_boxes": [], "words": [], "problems": [], "width": None}
    pictures = [
        replace(
            each,
            row={**each.row, "text": texts[each.meme], **rows},
            file=each.file if with_pictures else None,
        )
        for each in small.pictures()
        if each.language in languages
    ]
    captions = [
        (f"m{number}", language, "t", text)
        for number, text in enumerate(HARD)
        for language in languages
    ]
    columns = {"meme_id": "the meme", "language": "tag", "template": "picture", "text": "caption"}
    years = table("years", [("nap",)], meme_id="the meme")
    years.frame["year"] = pd.array([None], dtype="Int64")
    years = replace(years, columns={**years.columns, "year": "when"})
    return replace(
        small,
        languages=languages,
        pictures=lambda: iter(pictures),
        counts=dict(Counter((each.language, each.split) for each in pictures)),
        tables={**tables(), "years": years, "captions": table("captions", captions, **columns)},
    )


def _blocks(folder: Path, language: str) -> list[str]:
    card = (folder / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", card, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("languages", [("en", "de"), ("de",)], ids="-".join)
@pytest.mark.parametrize(("layout", "options"), LAYOUTS, ids=str)
@pytest.mark.parametrize("with_pictures", [True, False])
def test_each_block_of_each_card_runs(
    layout: str,
    options: dict[str, Any],
    languages: tuple[str, ...],
    with_pictures: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if layout == "webdataset" and not with_pictures:
        pytest.skip("shards are of pictures")
    release = _hard_release(tmp_path / "made", languages, with_pictures)
    folder = tmp_path / "cats"
    publish(release, folder, layout, options=options)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))
    names: dict[str, Any] = {}
    blocks = _blocks(folder, "python")
    programs = {"datasets", "pandas", "mlcroissant"}
    programs |= {"webdataset"} if layout == "webdataset" else set()
    assert all(any(f" {program}" in block for block in blocks) for program in programs)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    train = [picture for picture in release.pictures() if picture.split == "train"]
    rows = [row.get("json", row) for row in names["pictures"]]
    assert sorted((row["text"], row["split"]) for row in rows) == sorted(
        (picture.row["text"], "train") for picture in train
    )
    if with_pictures and layout == "csv":
        assert all((folder / "pictures" / row["path"]).is_file() for row in rows)
    elif with_pictures:
        key = "png" if layout == "webdataset" else "image"
        assert {row[key].size for row in names["pictures"]} == {(96, 64)}
    captions = names["captions"]  # a dataset, or what pandas read after it
    texts = ["" if pd.isna(text) else text for text in captions["text"]]
    assert list(dict.fromkeys(texts)) == list(HARD)
    assert json.loads(_blocks(folder, "json")[0])["split"] == "train"


def test_captions_in_a_released_csv_are_the_captions(tmp_path: Path) -> None:
    publish(_hard_release(tmp_path / "made", ("en", "de")), tmp_path / "csv", "csv")
    for name, column in {"captions.csv": "en", "tables/captions.csv": "text"}.items():
        frame = pd.read_csv(tmp_path / "csv" / name, dtype=str, keep_default_na=False)
        assert list(dict.fromkeys(frame[column])) == list(HARD)


@pytest.mark.parametrize(("layout", "options"), LAYOUTS, ids=str)
def test_the_same_release_twice_is_the_same_bytes(
    layout: str, options: dict[str, Any], tmp_path: Path
) -> None:
    contents, release = [], small_release(tmp_path / "made")
    for name in ("one", "two"):
        out = tmp_path / name
        publish(release, out, layout, options=options)
        files = (path for path in out.rglob("*") if path.is_file())
        contents.append({path.relative_to(out): path.read_bytes() for path in files})
    assert contents[0] == contents[1]
