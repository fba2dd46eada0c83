"""People are joined with the sheet that their study is of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.survey.quality.checking import check
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.resolver import import_file
from tests.survey.annotators import fill
from tests.survey.prolific_exports import (
    DE,
    HEADER,
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


@pytest.mark.parametrize(
    "name", [f"{US.id}.csv", f"export of {US.id} (2).csv", f"prolific_{US.id}_march.csv"]
)
def test_the_study_is_found_by_the_files_name(tmp_path: Path, name: str) -> None:
    bare = [row(1, Completion_code="NOCODE")]
    assert [person.study for person in read(tmp_path, table(bare), name, made={}).participants] == [
        US.id
    ]


def test_the_study_is_found_by_its_name_and_by_the_option(tmp_path: Path) -> None:
    header = [*HEADER, "Study name"]
    bare = row(1, Completion_code="NOCODE") | {"Study name": f"memeloc pilot {US.id}"}
    (person,) = read(tmp_path, table([bare], header), "x.csv", made={}).participants
    assert person.study == US.id
    (person,) = read(tmp_path, table([bare]), "x.csv", made={}, sheet=DE.id).participants
    assert person.study == DE.id
    with pytest.raises(InputError, match="no sheet 'r9-b99-DE'"):
        import_file(Prolific(sheet="r9-b99-DE"), tmp_path / "x.csv", PACK)


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


def test_a_study_of_no_sheet_is_nobodys(tmp_path: Path) -> None:
    rows = [row(n, Completion_code="OTHER") for n in (1, 2)]
    imported = read(tmp_path, table(rows), "prolific_export_65f0c0ffee0000000000000f.csv")
    assert imported.participants == ()
    assert reasons(imported) == ["unknown study", "unknown study"]


def test_a_code_of_another_sheet_is_reported(tmp_path: Path) -> None:
    imported = read(tmp_path, table([row(1, Completion_code=PACK.codes[US.id].done)]))
    (person,) = imported.participants
    assert (person.study, person.details["ended"]) == (DE.id, "unknown code")
    assert reasons(imported) == ["code of another sheet"]


def test_codes_that_sheets_share_say_nothing(tmp_path: Path) -> None:
    same = replace(PACK, codes=dict.fromkeys((DE.id, US.id), PACK.codes[DE.id]))
    imported = read(tmp_path, table([row(1)]), "export.csv", same, made={})
    assert reasons(imported) == ["unknown study"]


def test_people_are_joined_with_their_answers(tmp_path: Path) -> None:
    who = row(1)["Participant id"]
    imported = read(tmp_path, table([row(1, Country_of_birth="France"), row(2)]))
    report = check([fill(DE, who)], [DE, US], imported.participants)
    (judged,) = report.judged
    assert (judged.service, judged.status) == (row(1)["Submission id"], "AWAITING REVIEW")
    (aside,) = [each for each in report.set_aside if each.rule == "screening"]
    assert aside.evidence["differing"] == {"country_of_birth": "France"}
    assert [each.participant for each in report.absent] == [row(2)["Participant id"]]
