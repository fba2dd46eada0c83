"""CITATION.cff: valid by its schema, whatever a team says of its dataset."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from memeloc.publish.card import HUB_NAMES, bibtex, citation
from memeloc.publish.release import About
from tests.publish.releases import ABOUT

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
