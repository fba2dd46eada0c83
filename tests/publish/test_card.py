"""The card and CITATION.cff: valid by their schemas, whatever a team says of its dataset."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from memeloc.publish.card import HUB_NAMES, bibtex, card, cell, citation
from memeloc.publish.release import About, DataFiles, Release, find_data, summarise
from tests.publish.releases import ABOUT, small_release, table, tables

PATHS = [
    *(
        f"data/{tag}/{split}-00000-of-00001.parquet"
        for tag in ("en", "de")
        for split in ("train", "test")
    ),
    *(f"tables/{name}.parquet" for name in tables()),
    "files/answers-of-others.parquet",
]


def _data(release: Release, folder: Path, paths: list[str]) -> list[DataFiles]:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    return find_data(release, folder)


def _card(folder: Path, paths: list[str] = PATHS, **changes: Any) -> str:
    release = small_release(folder / "made", **changes)
    return card(release, summarise(release), _data(release, folder / "out", paths))


def _head(text: str) -> dict[str, Any]:
    return yaml.safe_load(text.split("---\n")[1])


def test_paths_become_configs_and_splits(tmp_path: Path) -> None:
    data = _data(small_release(tmp_path / "made"), tmp_path / "out", PATHS)
    assert [files.config for files in data] == ["en", "de", "memes", "answers", "labels", "people"]
    assert data[1] == DataFiles(
        "de",
        ".parquet",
        {name: [f"data/de/{name}-00000-of-00001.parquet"] for name in ("train", "test")},
    )


def test_a_licence_of_ones_own_is_named_and_linked(tmp_path: Path) -> None:
    head = _head(_card(tmp_path, about=About(licence="Office licence 2", terms="Be kind.")))
    assert (head["license"], head["license_name"]) == ("other", "office-licence-2")
    assert head["license_link"] == "TERMS.md"


def test_ids_in_csv_are_declared_as_text(tmp_path: Path) -> None:
    head = _head(_card(tmp_path, ["pictures-train.csv", "tables/answers.csv"]))
    assert head["configs"][0]["config_name"] == "default"
    features = {
        feature["name"]: feature["dtype"] for feature in head["dataset_info"][0]["features"]
    }
    assert (features["meme_id"], features["width"], features["words"]) == (
        "string",
        "int32",
        "string",
    )


def test_data_cannot_break_a_table(tmp_path: Path) -> None:
    own = {"a": table("a", [("x",)], **{"c | d\n| e <script>": "what it is"})}
    text = _card(tmp_path, tables=own, provenance={"models": [{"prompt": "x\n\n# y | z"}]})
    assert "c \\| d \\| e &lt;script> |" in text
    assert not re.search(r"^# y", text, re.MULTILINE)
    assert cell("*a*") == "\\*a\\*"


def test_without_pictures_the_card_names_the_script(tmp_path: Path) -> None:
    from dataclasses import replace

    pictures = [replace(each, file=None) for each in small_release(tmp_path / "made").pictures()]
    text = _card(tmp_path, pictures=lambda: iter(pictures))
    assert "`python join_pictures.py --fetch`" in text


# citation-file-format.github.io/1.2.0/schema.json as cffconvert 2.0.0 has it (CC BY 4.0)
SCHEMA = json.loads((Path(__file__).parent / "cff-1.2.0.schema.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "about",
    [
        ABOUT,
        About(),
        About(title="猫: 「茶」 # & *", authors=("李, 安", " , ", "Tea: Group"), licence="ours"),
        About(licence="https://cats.example/terms", doi="10.5281/zenodo.1234567", homepage="none"),
        *(About(title="T", licence=licence) for licence in HUB_NAMES),
    ],
)
def test_citation_is_valid_by_its_schema(about: About) -> None:
    values = yaml.safe_load(citation(about))
    jsonschema.validate(values, SCHEMA)


def test_a_title_does_not_end_a_bibtex_field() -> None:
    about = About(name="Tea & cats!", title="Tea}, note = {x\n", authors=("A {B}",))
    assert bibtex(about) == (
        "@misc{tea-cats,\n  title = {Tea , note = x},\n  author = {{A B}},\n  version = {1.0.0}\n}"
    )


@pytest.mark.parametrize(
    "values",
    [
        {"date": "tomorrow"},
        {"date": "20261123"},
        {"date": "2026-13-45"},
        {"doi": "https://doi.org/10.5281/zenodo.1"},
    ],
)
def test_a_day_or_doi_written_otherwise_is_refused(values: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=r"write (the day as|it without address)"):
        About(**values)
