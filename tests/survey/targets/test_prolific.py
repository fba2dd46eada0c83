"""Prolific: sheets as valid studies for the right people and money, and rows of its exports."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.survey.model import Culture, codes
from memeloc.survey.targets.prolific.api import FilterRecord, key_of
from memeloc.survey.targets.prolific.reading import NOTHING
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
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.texts import survey_texts
from memeloc.tables import clean_text
from memeloc.taxonomy import load_taxonomy
from tests.each import each
from tests.survey.annotators import sheet as a_sheet
from tests.survey.prolific_exports import (
    DE,
    HEADER,
    OLD,
    PACK,
    STUDY_DE,
    STUDY_US,
    US,
    api,
    read,
    reasons,
    row,
    table,
)
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


def test_the_older_export_reads_the_same(tmp_path: Path) -> None:
    new = row(1)
    old = {
        "session_id": new["Submission id"],
        "participant_id": new["Participant id"],
        "status": "AWAITING REVIEW",
        "started_datetime": "2026-03-02 12:00:00.123000",
        "completed_date_time": "2026-03-02 12:05:30.623000",
        "time_taken": "330.5",
        "age": "21",
        "num_approvals": "120",
        "entered_code": new["Completion code"],
        "Country of Birth": "Germany",
        "Current Country of Residence": "Germany",
        "Employment Status": "Full-Time",
        "First Language": "German",
        "Nationality": "Germany",
        "Sex": "Female",
        "Student Status": "No",
    }
    imported = read(tmp_path, table([old], OLD), f"prolific_export_{STUDY_DE}.csv")
    (expected,) = read(tmp_path, table([row(1, Ethnicity_simplified="")])).participants
    assert imported.participants == (expected,)
    assert imported.rejected == ()


@pytest.mark.parametrize("shape", ["page", "pages", "list", "single"])
def test_the_apis_submissions_are_read_in_every_shape(tmp_path: Path, shape: str) -> None:
    many = [api(1), api(2, status="RETURNED", study_code=None, completed_at=None, time_taken=None)]
    value: Any = {
        "page": {"results": many, "_links": {}, "meta": {"count": 2}},
        "pages": [{"results": many[:1]}, {"results": many[1:]}, {"results": []}],
        "list": many,
        "single": many[0],
    }[shape]
    imported = read(tmp_path, json.dumps(value, indent=2), "submissions.json")
    assert imported.rejected == ()
    first = imported.participants[0]
    assert first.participant == "5e9000000000000000000001"
    assert (first.study, first.status, first.seconds) == (DE.id, "AWAITING REVIEW", 331)
    assert first.facts == {"ethnicity": "White", "sex": "Female"}
    assert first.details["ended"] == "done"
    written = repr(imported)
    assert "192.0.2.7" not in written
    assert "1990-01-01" not in written
    if shape != "single":
        second = imported.participants[1]
        # Who entered no code is of the study that the others are of.
        assert (second.study, second.status, second.seconds) == (DE.id, "RETURNED", None)


def test_what_prolific_withholds_is_no_fact_and_is_counted(tmp_path: Path) -> None:
    gone = dict.fromkeys(("Age", "Sex", "Nationality"), "CONSENT_REVOKED")
    imported = read(
        tmp_path,
        table([row(1) | gone, row(2) | gone, row(3, Language="DATA_EXPIRED"), row(4)]),
    )
    people = {person.participant[-1]: person for person in imported.participants}
    assert not {"age", "sex", "nationality"} & people["1"].facts.keys()
    assert people["1"].facts["residence"] == "Germany"
    assert people["1"].details["withheld"] == dict.fromkeys(
        ("age", "nationality", "sex"), "consent revoked"
    )
    assert "first_language" not in people["3"].facts
    assert len(people["4"].facts) == 9
    reported = [
        (rejected.reason, rejected.content["fact"], rejected.content["rows"])
        for rejected in imported.rejected
    ]
    assert reported == [
        ("consent revoked", "age", 2),
        ("consent revoked", "nationality", 2),
        ("consent revoked", "sex", 2),
        ("data expired", "first_language", 1),
    ]


def test_formulas_in_a_csv_are_no_values(tmp_path: Path) -> None:
    rows = [
        row(1, Nationality='=HYPERLINK("https://survey.example")'),
        row(2, Participant_id="=1+1"),
        row(3, Submission_id="@SUM(A1)"),
    ]
    imported = read(tmp_path, table(rows))
    (person,) = imported.participants
    assert "nationality" not in person.facts
    assert person.details["other"]["Nationality"].startswith("=HYPERLINK")
    assert [(rejected.row, rejected.reason) for rejected in imported.rejected] == [
        (1, "unknown column"),
        (3, "no participant"),
        (4, "no submission"),
    ]
    assert imported.rejected[1].content["Participant id"] == "=1+1"


def test_times_that_a_spreadsheet_rewrote_are_read_if_clear(tmp_path: Path) -> None:
    sure = [row(1, Started_at="02/03/2026 12:00"), row(2, Started_at="25/03/2026 12:00")]
    imported = read(tmp_path, table(sure))
    assert [person.details["started"][:10] for person in imported.participants] == [
        "2026-03-02",
        "2026-03-25",
    ]
    imported = read(tmp_path, table([row(1, Started_at="02/03/2026 12:00", Time_taken="")]))
    (person,) = imported.participants
    assert "started" not in person.details
    assert person.details["started_as_written"] == "02/03/2026 12:00"
    assert person.seconds is None
    assert reasons(imported) == ["unknown time"]


@pytest.mark.parametrize(
    ("written", "seconds", "expected"),
    [
        ("330", 330.0, []),
        ("330.25", 330.25, []),
        ("330,25", 330.25, []),
        ("05:30", 330.0, []),
        ("0:05:30", 330.0, []),
        ("", 330.5, []),
        ("0", None, []),
        ("a while", 330.5, ["unknown time taken"]),
        ("9" * 400, 330.5, ["unknown time taken"]),
        ("-5", 330.5, ["unknown time taken"]),
        ("nan", 330.5, []),
    ],
)
def test_the_time_taken_is_a_number_or_is_worked_out(
    tmp_path: Path, written: str, seconds: float | None, expected: list[str]
) -> None:
    imported = read(tmp_path, table([row(1, Time_taken=written)]))
    assert [person.seconds for person in imported.participants] == [seconds]
    assert reasons(imported) == expected


_CELL = st.text(st.characters(exclude_characters="\x00"), max_size=12).filter(
    lambda text: not text or key_of(text) not in NOTHING
) | st.sampled_from(
    ["CONSENT_REVOKED", "DATA_EXPIRED", "=A1", "'=A1", "2026-03-02", "NOCODE", "\ufeff", "\u202ex"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(HEADER), _CELL), min_size=1, max_size=5))
def test_every_row_is_a_person_or_rejected(tmp_path: Path, rows: list[dict[str, str]]) -> None:
    whole = [row(place) | each for place, each in enumerate(rows, 1)]
    path = tmp_path / f"{DE.id}.csv"
    path.write_bytes(table(whole).encode("utf-8", "replace"))
    imported = import_file(Prolific(), path, PACK)
    people = {(person.participant, person.submission) for person in imported.participants}
    reported = {
        rejected.row for rejected in imported.rejected if rejected.content.keys() & set(HEADER)
    }
    for number, line in enumerate(whole, 2):
        ids = (clean_text(line["Participant id"]), clean_text(line["Submission id"]))
        # Formulas are no ids: they stand with what else the export says of a person.
        assert (
            ids in people
            or number in reported
            or any(cell.lstrip("'").startswith("=") for cell in ids)
        )
    for person in imported.participants:
        json.dumps([dict(person.facts), dict(person.details)])


def test_the_study_is_found_by_what_a_push_noted(tmp_path: Path) -> None:
    bare = [row(1, Completion_code="NOCODE")]
    for study, expected in ((STUDY_DE, DE.id), (STUDY_US, US.id)):
        name = f"prolific_export_{study}.csv"
        (person,) = read(tmp_path, table(bare), name).participants
        assert person.study == expected


def test_the_study_is_found_by_codes(tmp_path: Path) -> None:
    rows = [
        row(1, Completion_code=PACK.codes[US.id].failed_checks.lower()),
        row(2, Completion_code="NOCODE", Status="RETURNED"),
        row(3, Completion_code="TYPO"),
    ]
    imported = read(tmp_path, table(rows), "export.csv", made={})
    assert {person.study for person in imported.participants} == {US.id}
    assert [person.details["ended"] for person in imported.participants] == [
        "failed_checks",
        "no code",
        "unknown code",
    ]


def test_of_two_studies_in_a_file_nobody_is_guessed(tmp_path: Path) -> None:
    rows = [
        row(1),
        row(2, Completion_code=PACK.codes[US.id].done),
        row(3, Completion_code="NOCODE"),
    ]
    imported = read(tmp_path, table(rows), "export.csv", made={})
    assert [person.study for person in imported.participants] == [DE.id, US.id]
    (left,) = imported.rejected
    assert (left.row, left.reason) == (4, "unknown study")
    assert left.content == {key: value for key, value in rows[2].items() if value}


def test_a_code_of_another_sheet_is_reported(tmp_path: Path) -> None:
    imported = read(tmp_path, table([row(1, Completion_code=PACK.codes[US.id].done)]))
    (person,) = imported.participants
    assert (person.study, person.details["ended"]) == (DE.id, "unknown code")
    assert reasons(imported) == ["code of another sheet"]
