"""Sheets as studies: valid by the public documentation, and for the right people and money."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import Culture, codes
from memeloc.survey.targets.prolific.api import FilterRecord
from memeloc.survey.targets.prolific.studies import (
    GROUP_FILTER,
    Filters,
    differing,
    load_filters,
    lookup,
    write_filters,
)
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy
from tests.each import each
from tests.survey.annotators import sheet as a_sheet
from tests.survey.prolific_server import offered, offered_records, problems

URLS = "https://survey.university.example/sheets/"
EVERY = tuple(Culture(locale.country, locale) for locale in default())
FIVE = tuple(a_sheet(code).culture for code in ("US", "DE", "MX", "IN", "CN"))


def countries() -> list[str]:
    """Countries as Prolific's lists name them, without doubles."""
    return sorted({names[0] for names in load_filters().countries.values()})


def known_for(*cultures: Culture) -> tuple[Filters, list[str]]:
    return lookup(load_filters(), offered_records(countries()), cultures)


def a_pack(*cultures: Culture, minutes: int = 12, wanted: int = 5) -> SheetsToSend:
    sheets = tuple(
        replace(
            a_sheet("US"),
            id=f"r1-b01-{culture.code}-{culture.locale.tag}",
            culture=culture,
            wanted=wanted,
        )
        for culture in cultures
    )
    return SheetsToSend(
        "pilot",
        sheets,
        load_taxonomy("multi3hate"),
        {culture.locale.tag: survey_texts(culture.locale) for culture in cultures},
        {sheet.id: codes("pilot", sheet.id, bytes(range(32))) for sheet in sheets},
        minutes=minutes,
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a look-up for every culture writes."""
    result, missing = known_for(*EVERY, *FIVE)
    assert missing == []
    path = tmp_path_factory.mktemp("filters") / "prolific-filters.toml"
    write_filters(result, path)
    return path


def studies(pack: SheetsToSend, file: Path, **options: Any) -> dict[str, dict[str, Any]]:
    made = Prolific(**{"urls": URLS, "filters": str(file), **options}).studies(pack)
    assert all(each.is_complete for each in made)
    return {each.sheet: json.loads(json.dumps(each.body)) for each in made}


@pytest.mark.parametrize("culture", EVERY, ids=[culture.locale.tag for culture in EVERY])
def test_a_study_of_every_culture_is_valid(culture: Culture, file: Path) -> None:
    pack = a_pack(culture)
    (body,) = studies(pack, file).values()
    assert problems(body) == []
    (sheet,) = pack.sheets
    texts = pack.texts[culture.locale.tag]
    assert body["name"] == " ".join(texts.get("title").split())[:255]
    assert body["content_warnings"] == ["sensitive"]
    assert body["content_warning_details"] == " ".join(texts.get("warning.text").split())
    assert body["total_available_places"] == sheet.wanted
    assert body["submissions_config"] == {"max_submissions_per_participant": 1}
    assert body["prolific_id_option"] == "url_parameters"
    assert body["external_study_url"] == (
        f"{URLS}{sheet.id}.html?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )


# Who may take part


def filters_of(body: dict[str, Any]) -> dict[str, list[str]]:
    return {criterion["filter_id"]: criterion["selected_values"] for criterion in body["filters"]}


def labels(body: dict[str, Any]) -> dict[str, list[str]]:
    """By filter what is chosen, in words."""
    by_id = {record["filter_id"]: record for record in offered(countries())}
    return {
        key: [by_id[key]["choices"][value] for value in values]
        for key, values in filters_of(body).items()
        if key in by_id
    }


def test_bicultural_people_are_asked_for_by_both_countries(tmp_path: Path) -> None:
    both = Culture("IN-US", default().get("hi"), second=default().get("en"))
    filters, missing = known_for(both)
    assert missing == []
    write_filters(filters, tmp_path / "filters.toml")
    (body,) = studies(a_pack(both), tmp_path / "filters.toml").values()
    assert labels(body) == {
        "first-language": ["Hindi", "English"],
        "fluent-languages": ["Hindi", "English"],
        "country-of-birth": ["India"],
        "current-country-of-residence": ["United States"],
        "cultural-background": ["I was raised in two or more cultures"],
        "sex": ["Male", "Female"],
    }
    assert problems(body) == []


def test_whoever_took_part_is_kept_out_of_all_other_sheets(file: Path) -> None:
    for body in studies(a_pack(*FIVE), file, group="65f0a").values():
        assert filters_of(body)[GROUP_FILTER] == ["65f0a"]
        adding = {"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": "65f0a"}
        assert all(adding in code["actions"] for code in body["completion_codes"])
    with pytest.raises(InputError, match="not an id of a participant group"):
        studies(a_pack(FIVE[0]), file, group="../x")


# How a sheet ends


def test_each_code_says_how_a_sheet_ended(file: Path) -> None:
    pack = a_pack(FIVE[0])
    (body,) = studies(pack, file).values()
    (own,) = pack.codes.values()
    assert {code["code"]: code["code_type"] for code in body["completion_codes"]} == {
        own.done: "COMPLETED",
        own.failed_checks: "FAILED_ATTENTION_CHECK",
        own.no_consent: "NO_CONSENT",
        own.screened_out: "OTHER",
    }
    acted = {code["code"]: [each["action"] for each in code["actions"]] for code in
             body["completion_codes"]}  # fmt: skip
    assert acted == {
        own.done: ["MANUALLY_REVIEW"],
        own.failed_checks: ["MANUALLY_REVIEW"],
        own.no_consent: ["REQUEST_RETURN"],
        own.screened_out: ["REQUEST_RETURN"],
    }
    assert all(code["actor"] == "participant" for code in body["completion_codes"])
    assert "auto_rejection_categories" not in json.dumps(body)


# Money


@pytest.mark.parametrize(
    ("wage", "currency", "minutes", "reward"),
    [
        ("10.65", "GBP", 20, 355),
        ("10.65", "GBP", 12, 213),
        ("10.65", "GBP", 7, 125),  # 124.25 is rounded up, never down
        ("9", "gbp", 1, 15),
        ("12.00", "USD", 13, 260),
        ("8.01", "USD", 30, 401),
        ("6.00", "GBP", 60, 600),
        (Decimal("10.01"), "GBP", 59, 985),
        (10.65, "GBP", 20, 355),
    ],
)
def test_money_is_exact_to_the_cent(
    wage: Any, currency: str, minutes: int, reward: int, file: Path
) -> None:
    (body,) = studies(a_pack(FIVE[0], minutes=minutes), file, wage=wage, currency=currency).values()
    assert body["reward"] == reward
    assert isinstance(body["reward"], int)
    assert Decimal(body["reward"]) * 60 / minutes / 100 >= Decimal(str(wage))
    assert body["estimated_completion_time"] == minutes


@each(
    ("options", "expected"),
    [
        ({"wage": "5.99"}, "below 6.00 GBP"),
        ({"wage": "7.99", "currency": "USD"}, "below 8.00 USD"),
        ({"wage": "a lot"}, "setting wage of the pay: input"),
        ({"wage": "NaN"}, "setting wage of the pay: input"),
        ({"wage": "1065"}, "or above 1000"),
        ({"currency": "EUR"}, "GBP or USD"),
        ({"fee": "cheap"}, "setting fee of the pay: input"),
        ({"fee": "-1"}, "setting fee of the pay: input"),
        ({"devices": "phone"}, "setting devices.0 of prolific: input should be 'desktop'"),
        ({"warning": "none"}, "setting warning of prolific: input should be 'sensitive'"),
        ({"limit": -1}, "setting limit of prolific: input should be greater"),
        ({"minutes": "ten"}, "setting minutes of prolific: input should be a valid integer"),
        ({"colour": "blue"}, "prolific has no setting 'colour'"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        Prolific(**options)


@pytest.mark.parametrize(
    "urls",
    [
        "http://survey.example/",
        "https://me:secret@survey.example/",
        "https:///x",
        "https://survey.example/#{sheet}",
        "ftp://survey.example",
        "https://[broken/",
        "https://survey.example/a b",
    ],
)
def test_people_are_sent_to_safe_addresses_only(urls: str, file: Path) -> None:
    with pytest.raises(InputError, match="begins with https://"):
        studies(a_pack(FIVE[0]), file, urls=urls)


# Filters that are looked up


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
