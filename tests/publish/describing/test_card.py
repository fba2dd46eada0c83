"""The card: its head by what Hugging Face reads, its text by what a team and a workspace know."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from memeloc.publish.describing.card import card, cell
from memeloc.publish.describing.layout import DataFiles, arrange
from memeloc.publish.describing.summary import summarise
from memeloc.publish.release import About
from tests.publish.releases import small_release, table, tables

PATHS = [
    *(
        f"data/{tag}/{split}-00000-of-00001.parquet"
        for tag in ("en", "de")
        for split in ("train", "test")
    ),
    *(f"tables/{name}.parquet" for name in tables()),
    "files/answers-of-others.parquet",
]


def _card(folder: Path, paths: list[str] = PATHS, **changes: Any) -> str:
    release = small_release(folder, **changes)
    return card(release, summarise(release), arrange(release, paths))


def _head(text: str) -> dict[str, Any]:
    return yaml.safe_load(text.split("---\n")[1])


def test_paths_become_configs_and_splits(tmp_path: Path) -> None:
    data = arrange(small_release(tmp_path), PATHS)
    assert [files.config for files in data] == ["en", "de", "memes", "answers", "labels", "people"]
    assert data[1] == DataFiles(
        "de",
        ".parquet",
        splits={name: (f"data/de/{name}-00000-of-00001.parquet",) for name in ("train", "test")},
    )


def test_head_has_a_config_for_all_each_language_and_table(tmp_path: Path) -> None:
    configs = _head(_card(tmp_path))["configs"]
    assert [config["config_name"] for config in configs] == [
        *("default", "en", "de", "memes", "answers", "labels", "people")
    ]
    assert configs[0]["default"] is True
    assert configs[0]["data_files"][1] == {
        "split": "test",
        "path": ["data/en/test-*-of-*.parquet", "data/de/test-*-of-*.parquet"],
    }


def test_head_names_licence_size_and_who_annotated(tmp_path: Path) -> None:
    head = _head(_card(tmp_path))
    assert head["license"] == "cc-by-4.0"
    assert head["size_categories"] == ["n<1K"]
    assert head["annotations_creators"] == ["crowdsourced"]
    assert "not-for-all-audiences" in head["tags"]


def test_a_licence_of_ones_own_is_named_and_linked(tmp_path: Path) -> None:
    head = _head(_card(tmp_path, about=About(licence="Office licence 2", terms="Be kind.")))
    assert (head["license"], head["license_name"]) == ("other", "office-licence-2")
    assert head["license_link"] == "TERMS.md"


def test_folders_of_pictures_are_one_kind_of_config(tmp_path: Path) -> None:
    paths = [f"data/en/{split}/metadata.parquet" for split in ("train", "test")]
    configs = _head(_card(tmp_path, [*paths, "tables/answers.parquet"]))["configs"]
    assert [config["config_name"] for config in configs] == ["default", "en"]
    assert configs[1]["data_files"][0] == {"split": "train", "path": "data/en/train/**"}


def test_ids_in_csv_are_declared_as_text(tmp_path: Path) -> None:
    head = _head(_card(tmp_path, ["pictures.csv", "tables/answers.csv"]))
    assert head["configs"][0]["config_name"] == "default"
    features = {
        feature["name"]: feature["dtype"] for feature in head["dataset_info"][0]["features"]
    }
    assert (features["meme_id"], features["width"], features["words"]) == (
        "string",
        "int32",
        "string",
    )


def test_card_counts_pictures_answers_and_the_unread(tmp_path: Path) -> None:
    text = _card(tmp_path)
    assert "3 memes in 2 languages, 6 pictures." in text
    assert "| German (`de`) | 2 | 1 | 3 |" in text
    assert "| DE | 6 | 18 | 3 | 6 |" in text
    assert "| German (`de`) | 2 | 0 |" in text
    assert "Published of them are age" in text


def test_card_describes_each_survey_and_names_further_files(tmp_path: Path) -> None:
    text = _card(tmp_path)
    assert (
        "Survey pilot: labels of the taxonomy moods; 6 answers wanted of each culture for each "
        "meme; 3 memes a sheet, and attention checks (1 explicit, 3 implicit); 14 submissions, of "
        "which 12 were retained (excluded: attention 2); labels by the rule 'most votes'." in text
    )
    assert "- `guides/pilot.en.md`" in text


def test_what_a_team_leaves_open_is_called_not_stated(tmp_path: Path) -> None:
    text = _card(tmp_path, about=About(), tables={}, unread={})
    assert text.count("Not stated.") == 3
    assert "No caption is as a machine wrote it" in text
    assert "No answers of people are part of this release." in text


def test_data_cannot_break_a_table(tmp_path: Path) -> None:
    own = {"a": table("a", [("x",)], **{"b": "c | d\n| e <script>"})}
    text = _card(tmp_path, tables=own, provenance={"models": [{"prompt": "x\n\n# y | z"}]})
    assert "| `b` | c \\| d \\| e &lt;script> |" in text
    assert not re.search(r"^# y", text, re.MULTILINE)
    assert cell("*a*") == "\\*a\\*"


def test_without_pictures_the_card_names_the_script(tmp_path: Path) -> None:
    from dataclasses import replace

    pictures = [replace(each, file=None) for each in small_release(tmp_path).pictures()]
    text = _card(tmp_path, pictures=lambda: iter(pictures))
    assert "`join_pictures.py`" in text


@pytest.mark.parametrize(
    "name", ["Intended use", "Annotation", "Limitations", "Licence", "Citation"]
)
def test_card_has_the_sections_that_people_look_for(tmp_path: Path, name: str) -> None:
    assert f"\n## {name}\n" in _card(tmp_path)
