"""Programs of others read what is published: `datasets` and mlcroissant, without a network."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from memeloc.publish.publishing import publish
from memeloc.publish.release import Release
from tests.publish.releases import SPLITS, small_release

pytestmark = pytest.mark.filterwarnings("ignore")
LAYOUTS: list[tuple[str, dict[str, Any]]] = [
    ("hf", {}),
    ("hf", {"pictures": "folder"}),
    ("csv", {}),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return small_release(tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="module", params=LAYOUTS, ids=lambda each: "-".join([each[0], *each[1]]))
def folder(
    request: pytest.FixtureRequest, release: Release, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    layout, options = request.param
    out = tmp_path_factory.mktemp("published") / "office-cats"
    publish(release, out, layout, options=options)
    return out


def _load(folder: Path, *config: str) -> Any:
    from datasets import load_dataset

    return load_dataset(str(folder), *config, cache_dir=str(folder.parent / "cache"))


def test_datasets_loads_pictures_of_all_languages(folder: Path, release: Release) -> None:
    loaded = _load(folder)
    rows = [row for split in loaded.values() for row in split]
    pictures = {(picture.meme, picture.language): picture for picture in release.pictures()}
    assert {(row["meme_id"], row["language"]) for row in rows} == set(pictures)
    for row in rows:
        picture = pictures[row["meme_id"], row["language"]]
        assert (row["split"], row["text"]) == (SPLITS[picture.meme], picture.row["text"])
        if "image" in row:
            assert picture.file is not None
            assert row["image"].tobytes() == Image.open(picture.file).tobytes()


def test_datasets_knows_every_config_of_the_card(folder: Path) -> None:
    from datasets import get_dataset_config_names

    names = get_dataset_config_names(str(folder))
    assert names[0] == "default"
    for name in set(names) & {"de", "answers"}:
        loaded = _load(folder, name)
        expected = {"de": {"train": 2, "test": 1}, "answers": {"train": 36}}[name]
        assert {split: len(rows) for split, rows in loaded.items()} == expected


def test_mlcroissant_validates_and_reads_every_record(folder: Path, release: Release) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    counts = {
        records.id: sum(1 for _ in dataset.records(records.id))
        for records in dataset.metadata.record_sets
    }
    tables = {name: len(table.frame) for name, table in release.tables.items()}
    files = {} if counts.keys() == {"pictures", *tables} else {"picture-files-records": 6}
    assert counts == {"pictures": 6, **tables, **files}


def test_croissant_has_the_fields_of_responsible_ai(folder: Path) -> None:
    values = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    assert values["conformsTo"][0] == "http://mlcommons.org/croissant/1.1"
    assert values["rai:annotationsPerItem"] == "DE: 6 to 6; US: 6 to 6"
    assert values["rai:dataAnnotationProtocol"][1:] == ["All annotators agreed.", "12 EUR an hour."]
    assert "2 captions that no person has read." in values["rai:dataLimitations"]


def test_croissant_joins_tables_to_memes(folder: Path) -> None:
    values = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    referring = {
        records["@id"]
        for records in values["recordSet"]
        for field in records["field"]
        if field.get("references") == {"field": {"@id": "memes/meme_id"}}
    }
    assert referring == {"pictures", "answers", "labels"}


def test_every_file_of_catalogues_is_there(folder: Path) -> None:
    names = {"README.md", "croissant.json", "CITATION.cff", "TERMS.md", "provenance.json"}
    assert names <= {path.name for path in folder.iterdir()}
