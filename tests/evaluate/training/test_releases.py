"""Releases as what is learned from, in the layouts that have a row a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.runs.run import DatasetSettings, GoldSettings
from memeloc.evaluate.training import read_dataset
from memeloc.files import file_sha256
from memeloc.publish.publishing import publish
from tests.publish.releases import small_release, table

LABELS = [
    ("nap", "US", "calm"),
    ("nap", "DE", "wild"),
    ("tea", "US", "wild"),
    ("tea", "DE", "wild"),
    ("rain", "US", ""),
    ("rain", "DE", "calm"),
]


@pytest.fixture(
    scope="module",
    params=[("hf", {}), ("hf", {"pictures": "folder"}), ("csv", {}), ("webdataset", {})],
    ids=str,
)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    made = small_release(folder / "made")
    labels = table("labels", LABELS, meme_id="the meme", culture="of whom", label="of most")
    made = small_release(folder / "made", tables={**made.tables, "labels": labels})
    layout, options = request.param
    publish(made, folder / "cats", layout, options=options)
    return folder / "cats"


def settings(release: Path, **where: str) -> DatasetSettings:
    return DatasetSettings(path=str(release), where=where)


def test_a_culture_and_its_language_are_read(release: Path, tmp_path: Path) -> None:
    data = settings(release, culture="DE", language="de")
    dataset = read_dataset(data, GoldSettings(), tmp_path)
    by_item = {example.item: example for example in dataset.examples}
    assert {item: example.label for item, example in by_item.items()} == {
        "nap/de": "wild",
        "tea/de": "wild",
        "rain/de": "calm",
    }
    nap = by_item["nap/de"]
    assert (nap.text, nap.split, nap.group) == ("Sleep // again", "train", "nap-template")
    assert nap.picture is not None
    assert file_sha256(nap.picture) == file_sha256(release.parent / "made" / "de" / "nap.png")


def test_labels_of_two_cultures_need_a_choice(release: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'nap' has the labels 'calm' and 'wild'"):
        read_dataset(settings(release), GoldSettings(), tmp_path)
    with pytest.raises(InputError, match="no column 'town'"):
        read_dataset(settings(release, culture="US", town="Bonn"), GoldSettings(), tmp_path)
