"""Prolific's filters: looked up, written to a file, and read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.survey.targets.prolific.api import FilterRecord
from memeloc.survey.targets.prolific.studies import (
    Filters,
    differing,
    load_filters,
    lookup,
)
from tests.survey.prolific_server import offered, offered_records
from tests.survey.targets.test_prolific import (
    FIVE,
    countries,
    file,
)

__all__ = ["file"]  # a fixture, used by name


# Looking filters up


def test_what_is_not_surely_right_is_not_chosen() -> None:
    def looked(change: Any) -> tuple[Filters, list[str]]:
        listed = offered(countries())
        change({record["filter_id"]: record for record in listed}, listed)
        records = [FilterRecord.model_validate(record) for record in listed]
        return lookup(load_filters(), records, FIVE[:2])

    def without_germany(by_id: dict[str, Any], _: list[Any]) -> None:
        choices = by_id["nationality"]["choices"]
        by_id["nationality"]["choices"] = {k: v for k, v in choices.items() if v != "Germany"}

    filters, reported = looked(without_germany)
    assert "DE" not in filters.criteria["nationality"].choices
    assert "US" in filters.criteria["nationality"].choices
    assert len(reported) == 1
    assert "no choice that is surely DE" in reported[0]

    def two_of_a_kind(by_id: dict[str, Any], _: list[Any]) -> None:
        by_id["cultural-background"]["choices"]["9"] = "My native culture only, mostly"
        by_id["cultural-background"]["choices"]["8"] = "my native culture only, in parts"

    filters, reported = looked(two_of_a_kind)
    assert filters.criteria["monocultural"].choices == {}
    assert "surely fixed" in reported[0]

    def renamed(by_id: dict[str, Any], _: list[Any]) -> None:
        by_id["first-language"]["title"] = "Mother tongue"

    filters, reported = looked(renamed)
    assert filters.criteria["first_language"].filter_id == ""
    assert reported == [
        "No filter of Prolific is called First language; look for it in your account and write "
        "its id into [criteria.first_language]."
    ]


def test_an_id_that_came_to_mean_something_else_is_reported(file: Path) -> None:
    filters = load_filters(file)
    listed = offered_records(countries())
    (nationality,) = [record for record in listed if record.filter_id == "nationality"]
    number = filters.criteria["nationality"].choices["DE"].ids[0]
    assert nationality.choices is not None
    nationality.choices[number] = "Austria"
    (reported,) = differing(filters, listed, [FIVE[1]])
    assert f"Choice {number} of Prolific's filter 'nationality' is 'Austria'" in reported
    gone = [record for record in listed if record.filter_id != "sex"]
    assert "no filter 'sex' any more" in " ".join(differing(filters, gone, [FIVE[1]]))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("x = ", "is not TOML"),
        ("looked_up = 'today'", "looked_up"),
        ("looked_up = '2026-11-21'\nsource = ''\ncriteria = 3", "criteria"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_an_invalid_file_of_filters_is_refused(
    tmp_path: Path, content: str | bytes, expected: str
) -> None:
    path = tmp_path / "filters.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=expected):
        load_filters(path)
    with pytest.raises(InputError, match="cannot be read"):
        load_filters(tmp_path / "missing.toml")
