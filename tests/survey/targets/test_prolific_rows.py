"""What Prolific gives out is read in every form, and nothing of it is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.survey.targets.prolific.api import key_of
from memeloc.survey.targets.prolific.reading import NOTHING
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.resolver import import_file
from memeloc.tables import clean_text
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
    lambda text: key_of(text) not in NOTHING - {""}
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
    for number, each in enumerate(whole, 2):
        ids = (clean_text(each["Participant id"]), clean_text(each["Submission id"]))
        assert ids in people or number in reported
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
