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
from memeloc.survey.codes import codes
from memeloc.survey.design.pay import shortest_limit
from memeloc.survey.model import Culture
from memeloc.survey.targets.prolific.filters import (
    Filters,
    load_filters,
    lookup,
    write_filters,
)
from memeloc.survey.targets.prolific.studies import GROUP_FILTER, digest
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.protocol import SurveyPack
from memeloc.survey.texts import survey_texts
from memeloc.taxonomy import load_taxonomy
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


def a_pack(*cultures: Culture, minutes: int = 12, wanted: int = 5) -> SurveyPack:
    sheets = tuple(
        replace(
            a_sheet("US"),
            id=f"r1-b01-{culture.code}-{culture.locale.tag}",
            culture=culture,
            wanted=wanted,
        )
        for culture in cultures
    )
    return SurveyPack(
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


def studies(pack: SurveyPack, file: Path, **options: Any) -> dict[str, dict[str, Any]]:
    made = Prolific(**{"urls": URLS, "filters": str(file), **options}).studies(pack)
    assert all(not each.missing for each in made)
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


def test_a_study_points_to_the_server_of_its_sheet(file: Path) -> None:
    made = Prolific(filters=str(file), server="https://host.example/memes/").studies(
        a_pack(FIVE[0])
    )
    address = str(made[0].body["external_study_url"])
    assert address.startswith(
        f"https://host.example/memes/join?sheet={made[0].sheet}&PROLIFIC_PID="
    )


def test_every_option_gives_a_valid_study(file: Path) -> None:
    pack = a_pack(*FIVE)
    for options in (
        {"limit": 60, "project": "65f0", "devices": "desktop,mobile", "warning": "explicit"},
        {"currency": "USD", "wage": "12.00", "balance_sex": False, "group": "65f0a"},
        {"screen_out_reward": 15, "screen_out_places": 20},
        {"urls": dict.fromkeys((sheet.id for sheet in pack.sheets), "https://forms.example/x?a=b")},
    ):
        for body in studies(pack, file, **options).values():
            assert problems(body) == []


def test_the_schema_is_not_an_empty_promise(file: Path) -> None:
    (body,) = studies(a_pack(FIVE[0]), file).values()
    wrong: dict[str, Any]
    for wrong in (
        {"reward": 0},
        {"reward": "213"},
        {"total_available_places": 0},
        {"content_warnings": ["violent"]},
        {"device_compatibility": ["phone"]},
        {"description": "<script>x</script>"},
        {"external_study_url": "http://survey.example"},
        {"filters": [{"filter_id": "sex", "selected_values": [0]}]},
        {"completion_codes": []},
        {"completion_codes": body["completion_codes"][:1] * 2},
        {"colour": "red"},
    ):
        assert problems(body | wrong)
    assert problems({key: value for key, value in body.items() if key != "reward"})


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


def test_who_is_asked_is_of_the_culture(file: Path) -> None:
    bodies = studies(a_pack(*FIVE), file)
    written = {name.split("-")[2]: labels(body) for name, body in bodies.items()}
    assert written["DE"] == {
        "first-language": ["German"],
        "nationality": ["Germany"],
        "country-of-birth": ["Germany"],
        "place-of-most-time-spent-before-turning-18": ["Germany"],
        "current-country-of-residence": ["Germany"],
        "cultural-background": ["I was raised with my native culture only"],
        "sex": ["Male", "Female"],
    }
    assert written["MX"]["first-language"] == ["Spanish"]
    assert written["MX"]["nationality"] == ["Mexico"]


def test_residence_is_relaxed_where_the_paper_relaxes_it(file: Path) -> None:
    for name, body in studies(a_pack(*FIVE), file).items():
        asked = "current-country-of-residence" in filters_of(body)
        assert asked == (name.split("-")[2] in {"US", "DE", "MX"})
        assert {"first-language", "nationality", "country-of-birth"} <= filters_of(body).keys()


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


def test_an_older_file_of_filters_takes_what_it_lacks(tmp_path: Path, file: Path) -> None:
    older = file.read_text("utf-8").split("[criteria.most_of_life]")
    rest = older[1].partition("\n\n")[2]
    (tmp_path / "older.toml").write_text(older[0] + rest, "utf-8")
    assert load_filters(tmp_path / "older.toml").criteria["most_of_life"].choices == {}


def test_as_many_women_as_men_are_asked_for(file: Path) -> None:
    (body,) = studies(a_pack(FIVE[0]), file).values()
    (sex,) = [criterion for criterion in body["filters"] if criterion["filter_id"] == "sex"]
    assert sex["weightings"] == {"0": 1, "1": 1}
    assert "sex" not in filters_of(*studies(a_pack(FIVE[0]), file, balance_sex=False).values())
    # One place cannot be halved.
    assert "sex" not in filters_of(*studies(a_pack(FIVE[0], wanted=1), file).values())


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


def test_being_screened_out_is_paid_where_the_workspace_has_that(file: Path) -> None:
    pack = a_pack(FIVE[0])
    (body,) = studies(pack, file, screen_out_reward=20, screen_out_places=7).values()
    (code,) = [each for each in body["completion_codes"] if each["code_type"] == "FIXED_SCREENOUT"]
    assert code["actions"] == [
        {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": 20, "slots": 7}
    ]
    assert body["is_custom_screening"] is True
    for reward in (9, body["reward"]):
        with pytest.raises(InputError, match="Being screened out pays"):
            studies(pack, file, screen_out_reward=reward, screen_out_places=7)


def test_a_sheet_without_codes_is_no_study(file: Path) -> None:
    pack = a_pack(FIVE[0])
    with pytest.raises(InputError, match="no completion codes"):
        studies(replace(pack, codes={}), file)


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


@pytest.mark.parametrize(("set_minutes", "minutes", "reward"), [(9, 12, 213), (14, 14, 249)])
def test_nobody_is_paid_for_less_than_the_sheet_says(
    file: Path, set_minutes: int, minutes: int, reward: int
) -> None:
    (body,) = studies(a_pack(FIVE[0], minutes=12), file, minutes=set_minutes).values()
    assert (body["estimated_completion_time"], body["reward"]) == (minutes, reward)


def test_minutes_that_nobody_measured_are_estimated(file: Path) -> None:
    (made,) = Prolific(urls=URLS, filters=str(file)).studies(a_pack(FIVE[0], minutes=0))
    # 180 seconds of introduction and 20 for each of 24 entries, as everywhere nobody measured.
    assert made.body["estimated_completion_time"] == 11


@pytest.mark.parametrize(
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


def test_a_limit_is_not_below_what_prolific_allows(file: Path) -> None:
    assert [shortest_limit(minutes) for minutes in (1, 9, 20, 60)] == [6, 26, 51, 138]
    with pytest.raises(InputError, match="26 at the least"):
        studies(a_pack(FIVE[0], minutes=9), file, limit=25)
    (body,) = studies(a_pack(FIVE[0], minutes=9), file, limit=26).values()
    assert body["maximum_allowed_time"] == 26


def test_the_readme_says_the_money_of_each_culture(tmp_path: Path, file: Path) -> None:
    pack = a_pack(*FIVE, minutes=20)
    Prolific(urls=URLS, filters=str(file)).export(pack, tmp_path)
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    # 5 places of 3.55 each; a third and no more on top.
    assert "| DE | 1 | 5 | 17.75 GBP | 23.66 GBP |" in readme
    assert "| all | 5 | 25 | 88.75 GBP | 118.30 GBP |" in readme


# What is not known yet


def test_what_lacks_an_id_is_kept_apart(tmp_path: Path, file: Path) -> None:
    pack = a_pack(*FIVE)
    Prolific(urls=URLS).export(pack, tmp_path)
    assert not (tmp_path / "studies").exists()
    names = sorted(path.name for path in (tmp_path / "incomplete").iterdir())
    assert names == sorted(f"{sheet.id}.json" for sheet in pack.sheets)
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "filter first language for de is not known" in readme
    assert "filter nationality for DE is not known" in readme
    assert "filter monocultural is not known" in readme
    # What is known by now moves to the others.
    Prolific(urls=URLS, filters=str(file)).export(pack, tmp_path)
    assert sorted(study.name for study in (tmp_path / "studies").iterdir()) == names
    assert list((tmp_path / "incomplete").iterdir()) == []
    assert "not known" not in (tmp_path / "README.md").read_text(encoding="utf-8")
    Prolific(filters=str(file)).export(pack, tmp_path)
    assert list((tmp_path / "studies").iterdir()) == []
    assert "name the addresses as urls" in (tmp_path / "README.md").read_text(encoding="utf-8")


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


def test_the_same_survey_gives_the_same_studies(tmp_path: Path, file: Path) -> None:
    pack = a_pack(*EVERY[:10])
    for folder in ("a", "b"):
        Prolific(urls=URLS, filters=str(file)).export(pack, tmp_path / folder)
    for path in sorted((tmp_path / "a").rglob("*.*")):
        other = tmp_path / "b" / path.relative_to(tmp_path / "a")
        assert path.read_bytes() == other.read_bytes()
    bodies = list(studies(pack, file).values())
    assert len({digest(body) for body in bodies}) == len(bodies)
    assert digest(bodies[0]) == digest(bodies[0] | {"metadata": "other"})
    assert len({body["internal_name"] for body in bodies}) == len(bodies)


def test_texts_of_people_cannot_break_a_study(file: Path) -> None:
    pack = a_pack(FIVE[0])
    (tag,) = pack.texts
    awkward = {"title": "<b>A\n\nstudy</b> " * 40, "intro": "1 < 2 & <img src=x>\ud800 {count}"}
    texts = survey_texts(pack.sheets[0].culture.locale, awkward)
    (body,) = studies(replace(pack, texts={tag: texts}), file).values()
    assert problems(body) == []
    assert len(body["name"]) == 255
    assert "&lt;img src=x&gt;" in body["description"]
