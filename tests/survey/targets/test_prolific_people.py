"""People are joined with the sheet that their study is of."""

from __future__ import annotations

from pathlib import Path

from tests.survey.prolific_exports import (
    DE,
    PACK,
    STUDY_DE,
    STUDY_US,
    US,
    read,
    reasons,
    row,
    table,
)


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
