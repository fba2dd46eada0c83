"""Labels of each culture, from a table and from a release, and the folds they are learned in."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.evaluate.training.dataset import read_cultures
from memeloc.evaluate.training.run_file import LoraRun
from memeloc.publish.publishing import publish
from memeloc.settings import validate
from tests.publish.releases import small_release, table

OPTIONS = (("a", "calm"), ("b", "wild"))


def run_of(data: dict[str, object], **changed: object) -> LoraRun:
    lora = {"model": "m", "cultures": ("US", "DE"), "options": OPTIONS, "prompt": "?", **changed}
    values = {
        "kind": "lora",
        "name": "two",
        "dataset": data,
        "gold": {"order": ("calm", "wild"), "labels": {"0": "calm", "1": "wild"}},
        "training": {"epochs": 1, "learning_rate": 1e-4},
        "lora": lora,
    }
    return validate(LoraRun, values, "the run")


def write_memes(path: Path, label: str = "1") -> dict[str, object]:
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["item", "template", "US", "DE"])
        for number in range(8):
            rows.writerow([f"{number:03}", f"t{number % 4}", "0", "01"[number % 2]])
        rows.writerow(["008", "t9", "", label])
    columns = {"item": "item", "group": "template"}
    return {"path": str(path), "columns": columns}


def test_a_culture_has_the_labels_of_its_column(tmp_path: Path) -> None:
    datasets = read_cultures(run_of(write_memes(tmp_path / "memes.csv")), tmp_path)
    assert [len(datasets[culture].examples) for culture in ("US", "DE")] == [8, 9]
    assert {example.label for example in datasets["US"].examples} == {"calm"}
    assert datasets["DE"].examples[-1].label == "wild"


def test_a_label_that_is_no_option_is_a_sentence(tmp_path: Path) -> None:
    data = write_memes(tmp_path / "memes.csv", label="2")
    with pytest.raises(InputError, match=r"row 10.*'2' is none of calm, wild"):
        read_cultures(run_of(data), tmp_path)


def test_a_release_has_the_labels_of_each_culture(tmp_path: Path) -> None:
    labels = [("nap", "US", "calm"), ("nap", "DE", "wild"), ("tea", "US", "wild")]
    labels += [("tea", "DE", "calm"), ("rain", "DE", "calm")]
    made = small_release(tmp_path / "made")
    texts = {"meme_id": "the meme", "culture": "of whom", "label": "of most"}
    tables = {**made.tables, "labels": table("labels", labels, **texts)}
    publish(small_release(tmp_path / "made", tables=tables), tmp_path / "cats", "hf")
    data = {"path": str(tmp_path / "cats"), "where": {"language": "de"}}
    datasets = read_cultures(run_of(data), tmp_path)
    assert {
        culture: {each.item: each.label for each in dataset.examples}
        for culture, dataset in datasets.items()
    } == {
        "US": {"nap/de": "calm", "tea/de": "wild"},
        "DE": {"nap/de": "wild", "tea/de": "calm", "rain/de": "calm"},
    }
