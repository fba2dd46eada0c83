"""A release in WebDataset shards: what its readers find in it, and what is refused."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from memeloc.errors import InputError
from memeloc.picture_writers import read_shard
from memeloc.publish.columns import picture_values
from memeloc.publish.publishing import publish
from memeloc.publish.release import Release
from tests.publish.releases import small_release

pytestmark = pytest.mark.filterwarnings("ignore")
SHARDS = [f"data/{tag}/{split}-00000-of-00001.tar" for tag in ["de", "en"] for split in
          ("test", "train")]  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return small_release(tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="module")
def folder(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("published") / "office-cats"
    publish(release, out, "webdataset")
    return out


def test_shards_are_by_language_and_split(folder: Path) -> None:
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.tar"))
    assert paths == SHARDS


def test_webdataset_reads_pictures_and_their_rows(folder: Path, release: Release) -> None:
    webdataset = pytest.importorskip("webdataset")
    urls = [str(folder / name) for name in SHARDS]
    samples = list(webdataset.WebDataset(urls, shardshuffle=False))
    rows = {sample["__key__"]: json.loads(sample["json"]) for sample in samples}
    expected = {f"{picture.language}/{picture.meme}": picture for picture in release.pictures()}
    assert rows == {key: picture_values(picture) for key, picture in expected.items()}
    for sample in samples:
        assert sample["png"] == expected[sample["__key__"]].content()


def test_datasets_loads_the_shards(folder: Path) -> None:
    from datasets import load_dataset

    loaded = load_dataset(str(folder), "de", cache_dir=str(folder.parent / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 2, "test": 1}
    assert loaded["test"][0]["json"]["text"] == "Rain | tea // <b>"
    assert loaded["test"][0]["png"].size == (96, 64)


def test_mlcroissant_validates_and_unpacks_the_shards(folder: Path) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    counts = {
        records.id: sum(1 for _ in dataset.records(records.id))
        for records in dataset.metadata.record_sets
    }
    assert counts == {"memes": 3, "answers": 36, "labels": 6, "people": 12} | {
        "picture-files-records": 6
    }


def test_a_shard_has_so_many_pictures_at_most(release: Release, tmp_path: Path) -> None:
    publish(release, tmp_path / "out", "webdataset", options={"pictures": 1})
    paths = sorted((tmp_path / "out/data/en").glob("train-*"))
    assert [path.name for path in paths] == [
        f"train-0000{number}-of-00002.tar" for number in (0, 1)
    ]
    assert [[sample.key for sample in read_shard(path)] for path in paths] == [
        ["en/nap"],
        ["en/tea"],
    ]


def test_shards_need_pictures(release: Release, tmp_path: Path) -> None:
    bare = replace(
        release, pictures=lambda: (replace(each, file=None) for each in release.pictures())
    )
    with pytest.raises(InputError, match="--to hf or --to csv"):
        publish(bare, tmp_path / "out", "webdataset")
    assert not list(tmp_path.iterdir())
