"""What Prolific gives out becomes people of sheets, and nothing of it is lost."""

from __future__ import annotations

import codecs
import csv
import io
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from memeloc.errors import InputError
from memeloc.survey.codes import codes
from memeloc.survey.model import Participant
from memeloc.survey.quality.checking import check
from memeloc.survey.targets.prolific.columns import COLUMNS, MEANINGS, key_of
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.protocol import Imported, SurveyPack
from memeloc.survey.targets.registry import make_target, recognise
from memeloc.survey.targets.resolver import import_file
from memeloc.survey.taxonomy import load_taxonomy
from memeloc.survey.texts import survey_texts
from memeloc.tables import clean_text
from tests.survey.annotators import fill, sheet

DE, US = sheet("DE"), sheet("US")
STUDY_DE, STUDY_US = "65f0c0ffee0000000000000a", "65f0c0ffee0000000000000b"
MADE = {
    f"study/{DE.id}": {"id": STUDY_DE, "digest": "0123"},
    f"study/{US.id}": {"id": STUDY_US, "digest": "4567"},
    "group": "65f0c0ffee0000000000000c",
}
HEADER = [
    *("Submission id", "Participant id", "Status", "Custom study tncs accepted at", "Started at"),
    *("Completed at", "Reviewed at", "Archived at", "Time taken", "Completion code"),
    *("Total approvals", "Age", "Sex", "Ethnicity simplified", "Country of birth"),
    *("Country of residence", "Nationality", "Language", "Student status", "Employment status"),
]
OLD = [
    *("session_id", "participant_id", "status", "started_datetime", "completed_date_time"),
    *("time_taken", "age", "num_approvals", "num_rejections", "prolific_score"),
    *("reviewed_at_datetime", "entered_code", "Country of Birth", "Current Country of Residence"),
    *("Employment Status", "First Language", "Nationality", "Sex", "Student Status"),
]


def pack(*sheets: Any) -> SurveyPack:
    chosen = sheets or (DE, US)
    return SurveyPack(
        "pilot",
        tuple(chosen),
        load_taxonomy("multi3hate"),
        {one.culture.locale.tag: survey_texts(one.culture.locale) for one in chosen},
        {one.id: codes("pilot", one.id, bytes(range(32))) for one in chosen},
    )


PACK = pack()


def row(number: int = 1, **changed: str) -> dict[str, str]:
    """A row of an export of the German study; names are headings with `_` for a space."""
    found = {
        "Submission id": f"66a0000000000000000000{number:02d}",
        "Participant id": f"5e900000000000000000{number:04d}",
        "Status": "AWAITING REVIEW",
        "Custom study tncs accepted at": "Not Applicable",
        "Started at": f"2026-03-0{number % 9 + 1}T12:00:00.123000Z",
        "Completed at": f"2026-03-0{number % 9 + 1}T12:05:30.623000Z",
        "Reviewed at": "",
        "Archived at": "",
        "Time taken": "330.5",
        "Completion code": PACK.codes[DE.id].done,
        "Total approvals": "120",
        "Age": str(20 + number),
        "Sex": "Female",
        "Ethnicity simplified": "White",
        "Country of birth": "Germany",
        "Country of residence": "Germany",
        "Nationality": "Germany",
        "Language": "German",
        "Student status": "No",
        "Employment status": "Full-Time",
    }
    return found | {key.replace("_", " "): value for key, value in changed.items()}


def table(
    rows: Iterable[Mapping[str, str]], header: Sequence[str] = HEADER, mark: str = ","
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([one.get(name, "") for name in header] for one in rows)
    return text.getvalue()


def read(
    folder: Path,
    content: str | bytes,
    name: str = f"prolific_demographic_export_{STUDY_DE}.csv",
    survey: SurveyPack = PACK,
    made: Mapping[str, Any] = MADE,
    sheet: str = "",
) -> Imported:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    target = Prolific(sheet=sheet)
    assert target.recognises(path)
    found = import_file(target, path, replace(survey, made={"prolific": made}))
    assert not found.submissions
    assert all(one.file == name and one.message.endswith(".") for one in found.rejected)
    return found


def reasons(found: Imported) -> list[str]:
    return [one.reason for one in found.rejected]


def test_an_export_becomes_people_with_their_facts(tmp_path: Path) -> None:
    found = read(tmp_path, table([row(1), row(2, Status="APPROVED", Sex="Male")]))
    assert found.rejected == ()
    first, second = found.participants
    assert first == Participant(
        "5e9000000000000000000001",
        {
            "age": "21",
            "country_of_birth": "Germany",
            "employment": "Full-Time",
            "ethnicity": "White",
            "first_language": "German",
            "nationality": "Germany",
            "residence": "Germany",
            "sex": "Female",
            "student": "No",
        },
        "66a000000000000000000001",
        DE.id,
        "AWAITING REVIEW",
        330.5,
        {
            "total_approvals": "120",
            "started": "2026-03-02T12:00:00.123000+00:00",
            "completed": "2026-03-02T12:05:30.623000+00:00",
            "code": PACK.codes[DE.id].done,
            "ended": "done",
        },
    )
    assert (second.status, second.facts["sex"]) == ("APPROVED", "Male")


def test_the_older_export_says_the_same(tmp_path: Path) -> None:
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
    found = read(tmp_path, table([old], OLD), f"prolific_export_{STUDY_DE}.csv")
    (expected,) = read(tmp_path, table([row(1, Ethnicity_simplified="")])).participants
    assert found.participants == (expected,)
    assert found.rejected == ()


def api(number: int = 1, **changed: Any) -> dict[str, Any]:
    """A submission as the API lists it."""
    new = row(number)
    return {
        "id": new["Submission id"],
        "participant_id": new["Participant id"],
        "started_at": new["Started at"],
        "completed_at": new["Completed at"],
        "is_complete": True,
        "has_siblings": False,
        "time_taken": 331,
        "reward": 355,
        "status": "AWAITING REVIEW",
        "strata": {
            "date of birth": "1990-01-01",
            "ethnicity (simplified)": "White",
            "sex": "Female",
        },
        "study_code": new["Completion code"],
        "star_awarded": False,
        "bonus_payments": [],
        "return_requested": None,
        "ip": "192.0.2.7",
        "_links": {"self": {"href": "https://api.prolific.com/api/v1/submissions/x/"}},
    } | changed


@pytest.mark.parametrize("shape", ["page", "pages", "list", "single"])
def test_the_apis_submissions_are_read_in_every_shape(tmp_path: Path, shape: str) -> None:
    many = [api(1), api(2, status="RETURNED", study_code=None, completed_at=None, time_taken=None)]
    value: Any = {
        "page": {"results": many, "_links": {}, "meta": {"count": 2}},
        "pages": [{"results": many[:1]}, {"results": many[1:]}, {"results": []}],
        "list": many,
        "single": many[0],
    }[shape]
    found = read(tmp_path, json.dumps(value, indent=2), "submissions.json")
    assert found.rejected == ()
    first = found.participants[0]
    assert first.participant == "5e9000000000000000000001"
    assert (first.study, first.status, first.seconds) == (DE.id, "AWAITING REVIEW", 331)
    assert first.facts == {"ethnicity": "White", "sex": "Female"}
    assert first.details["ended"] == "done"
    said = repr(found)
    assert "192.0.2.7" not in said
    assert "1990-01-01" not in said
    if shape != "single":
        second = found.participants[1]
        # Who entered no code is of the study that the others are of.
        assert (second.study, second.status, second.seconds) == (DE.id, "RETURNED", None)


def test_the_submission_object_with_its_study_is_read(tmp_path: Path) -> None:
    one = {
        "id": "s1",
        "participant": "p1",
        "study_id": STUDY_US,
        "status": "TIMED-OUT",
        "started_at": "2026-03-02T12:00:00Z",
        "entered_code": None,
    }
    (person,) = read(tmp_path, json.dumps([one]), "x.json").participants
    assert (person.study, person.status) == (US.id, "TIMED-OUT")
    assert person.details == {"study_id": STUDY_US, "started": "2026-03-02T12:00:00+00:00"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("RESERVED", "RESERVED"),
        ("ACTIVE", "ACTIVE"),
        ("AWAITING REVIEW", "AWAITING REVIEW"),
        ("awaiting_review", "AWAITING REVIEW"),
        ("Approved", "APPROVED"),
        ("PARTIALLY APPROVED", "PARTIALLY APPROVED"),
        ("REJECTED", "REJECTED"),
        ("RETURNED", "RETURNED"),
        ("TIMED-OUT", "TIMED-OUT"),
        ("timed out", "TIMED-OUT"),
        ("TIMED_OUT", "TIMED-OUT"),
        ("SCREENED OUT", "SCREENED OUT"),
        ("screened_out", "SCREENED OUT"),
    ],
)
def test_statuses_are_written_one_way(tmp_path: Path, written: str, meant: str) -> None:
    found = read(tmp_path, table([row(1, Status=written)]))
    assert [one.status for one in found.participants] == [meant]
    assert not found.rejected


def test_an_unknown_status_is_kept_and_reported(tmp_path: Path) -> None:
    found = read(tmp_path, table([row(1, Status="on hold"), row(2, Status="")]))
    assert sorted(one.status for one in found.participants) == ["ON HOLD", "UNKNOWN"]
    assert reasons(found) == ["unknown status", "unknown status"]


def test_what_prolific_withholds_is_no_fact_and_is_counted(tmp_path: Path) -> None:
    gone = dict.fromkeys(("Age", "Sex", "Nationality"), "CONSENT_REVOKED")
    found = read(
        tmp_path,
        table([row(1) | gone, row(2) | gone, row(3, Language="DATA_EXPIRED"), row(4)]),
    )
    people = {one.participant[-1]: one for one in found.participants}
    assert not {"age", "sex", "nationality"} & people["1"].facts.keys()
    assert people["1"].facts["residence"] == "Germany"
    assert people["1"].details["withheld"] == dict.fromkeys(
        ("age", "nationality", "sex"), "consent revoked"
    )
    assert "first_language" not in people["3"].facts
    assert len(people["4"].facts) == 9
    told = [(one.reason, one.content["fact"], one.content["rows"]) for one in found.rejected]
    assert told == [
        ("consent revoked", "age", 2),
        ("consent revoked", "nationality", 2),
        ("consent revoked", "sex", 2),
        ("data expired", "first_language", 1),
    ]


def test_a_withheld_person_is_rejected(tmp_path: Path) -> None:
    found = read(tmp_path, table([row(1, Participant_id="CONSENT_REVOKED"), row(2)]))
    assert len(found.participants) == 1
    assert reasons(found) == ["consent revoked"]
    assert found.rejected[0].row == 2
    assert found.rejected[0].content["Submission id"] == "66a000000000000000000001"


def test_unknown_columns_are_kept_and_reported_once(tmp_path: Path) -> None:
    question = "In which country did you spend most of your life, before turning 18?"
    header = [*HEADER[:11], question, "Fluent languages", "الجنسية", *HEADER[11:]]
    rows = [row(n) | {question: "Germany", "Fluent languages": "German, English"} for n in (1, 2)]
    rows[1] |= {"الجنسية": "ألمانيا"}
    found = read(tmp_path, table(rows, header))
    first, second = found.participants
    assert first.details["other"] == {question: "Germany"}
    assert first.facts["fluent_languages"] == "German, English"
    assert second.details["other"] == {question: "Germany", "الجنسية": "ألمانيا"}
    (told,) = found.rejected
    assert told.reason == "unknown column"
    assert told.content == {"columns": {question: 2, "الجنسية": 1}, "count": 2}


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8"),
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
        lambda text: text.encode("cp1252"),
        lambda text: text.replace("\r\n", "\n").encode(),
    ],
    ids=["utf-8", "bom", "utf-16", "utf-16-be", "cp1252", "lf"],
)
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_every_encoding_and_delimiter_says_the_same(tmp_path: Path, encode: Any, mark: str) -> None:
    rows = [row(1, Country_of_birth="Côte d’Ivoire"), row(2, Ethnicity_simplified="Mixed, other")]
    plain = read(tmp_path, table(rows))
    found = read(tmp_path, encode(table(rows, mark=mark)))
    assert found.participants == plain.participants
    assert set(reasons(found)) <= {"encoding"}


def test_a_workbook_says_the_same_but_for_its_formulas(tmp_path: Path) -> None:
    book = Workbook()
    page = book.active
    assert page is not None
    page.append(HEADER)
    values: dict[str, Any] = row(1) | {"Age": 21, "Time taken": 330.5, "Total approvals": 120}
    values |= {"Started at": datetime(2026, 3, 2, 12, 0, 0, 123000)}
    page.append([values[name] or None for name in HEADER])
    page.append([(row(2) | {"Age": "=20+2"})[name] or None for name in HEADER])
    page.append([(row(3) | {"Participant id": "=A1"})[name] or None for name in HEADER])
    path = tmp_path / f"{DE.id}.xlsx"
    book.save(path)
    found = read(tmp_path, path.read_bytes(), path.name)
    first, second = found.participants
    assert (first,) == read(tmp_path, table([row(1)])).participants
    assert "age" not in second.facts
    assert [(one.row, one.reason) for one in found.rejected] == [(3, "formula"), (4, "formula")]


def test_formulas_in_a_csv_are_no_values(tmp_path: Path) -> None:
    rows = [
        row(1, Nationality='=HYPERLINK("https://survey.example")'),
        row(2, Participant_id="=1+1"),
        row(3, Submission_id="@SUM(A1)"),
    ]
    found = read(tmp_path, table(rows))
    (person,) = found.participants
    assert "nationality" not in person.facts
    assert [(one.row, one.reason) for one in found.rejected] == [
        (2, "formula"),
        (3, "formula"),
        (4, "no submission"),
    ]
    assert found.rejected[1].content["Participant id"] == "=1+1"


def test_shuffled_columns_and_rows_say_the_same(tmp_path: Path) -> None:
    rows = [row(number) for number in range(1, 9)]
    plain = read(tmp_path, table(rows))
    draw = random.Random(7)
    for _ in range(5):
        header = draw.sample(HEADER, len(HEADER))
        found = read(tmp_path, table(draw.sample(rows, len(rows)), header))
        assert found == plain


def test_doubled_rows_count_once_and_a_later_one_holds(tmp_path: Path) -> None:
    later = row(1, Status="APPROVED", Reviewed_at="2026-03-05T09:00:00Z")
    found = read(tmp_path, table([row(1), later, row(1), row(2)]))
    assert [one.status for one in found.participants] == ["APPROVED", "AWAITING REVIEW"]
    assert [(one.row, one.reason) for one in found.rejected] == [
        (2, "doubled row"),
        (4, "doubled row"),
    ]
    assert found.rejected[0].content["Status"] == "AWAITING REVIEW"


def test_exports_under_one_another_bring_their_headings(tmp_path: Path) -> None:
    found = read(tmp_path, table([row(1)]) + table([row(1), row(2)]) + ",,,\r\n")
    assert len(found.participants) == 2
    assert found.rejected == ()


def test_who_returned_and_came_back_is_there_as_last_seen(tmp_path: Path) -> None:
    again = row(5) | {"Participant id": row(1)["Participant id"]}
    before = row(1, Status="RETURNED", Completion_code="NOCODE", Completed_at="")
    for rows in ([before, again], [again, before]):
        people = read(tmp_path, table(rows)).participants
        assert [one.status for one in people] == ["RETURNED", "AWAITING REVIEW"]
        assert people[0].details["ended"] == "no code"


def test_people_without_an_id_are_rejected(tmp_path: Path) -> None:
    rows = [row(1, Participant_id=""), row(2, Participant_id="me@survey.example"), row(3)]
    found = read(tmp_path, table(rows))
    assert len(found.participants) == 1
    assert reasons(found) == ["no participant", "no participant"]
    assert found.rejected[1].content["Participant id"] == "me@survey.example"


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-02T12:00:00.123000Z",
        "2026-03-02T12:00:00.123Z",
        "2026-03-02T14:00:00.123000+02:00",
        "2026-03-02T17:30:00.123000+05:30",
        "2026-03-02 12:00:00.123",
        "2026-03-02T12:00:00.123000000Z",
        "2026-03-02T03:00:00.123-09:00",
    ],
)
def test_times_of_any_zone_are_one_moment(tmp_path: Path, written: str) -> None:
    (one,) = read(tmp_path, table([row(1, Started_at=written)])).participants
    moment = datetime.fromisoformat(one.details["started"])
    assert moment == datetime(2026, 3, 2, 12, 0, 0, 123000, tzinfo=UTC)
    assert one.details["started"].endswith("+00:00")


def test_times_that_a_spreadsheet_rewrote_are_read_if_clear(tmp_path: Path) -> None:
    sure = [row(1, Started_at="02/03/2026 12:00"), row(2, Started_at="25/03/2026 12:00")]
    found = read(tmp_path, table(sure))
    assert [one.details["started"][:10] for one in found.participants] == [
        "2026-03-02",
        "2026-03-25",
    ]
    found = read(tmp_path, table([row(1, Started_at="02/03/2026 12:00", Time_taken="")]))
    (one,) = found.participants
    assert "started" not in one.details
    assert one.details["started_as_written"] == "02/03/2026 12:00"
    assert one.seconds is None
    assert reasons(found) == ["unknown time"]


@pytest.mark.parametrize(
    ("written", "seconds", "told"),
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
    tmp_path: Path, written: str, seconds: float | None, told: list[str]
) -> None:
    found = read(tmp_path, table([row(1, Time_taken=written)]))
    assert [one.seconds for one in found.participants] == [seconds]
    assert reasons(found) == told


# Whose sheet a study is of


def test_the_study_is_found_by_what_a_push_noted(tmp_path: Path) -> None:
    bare = [row(1, Completion_code="NOCODE")]
    for study, expected in ((STUDY_DE, DE.id), (STUDY_US, US.id)):
        name = f"prolific_export_{study}.csv"
        (one,) = read(tmp_path, table(bare), name).participants
        assert one.study == expected


@pytest.mark.parametrize(
    "name", [f"{US.id}.csv", f"export of {US.id} (2).csv", f"prolific_{US.id}_march.csv"]
)
def test_the_study_is_found_by_the_files_name(tmp_path: Path, name: str) -> None:
    bare = [row(1, Completion_code="NOCODE")]
    assert [one.study for one in read(tmp_path, table(bare), name, made={}).participants] == [US.id]


def test_the_study_is_found_by_its_name_and_by_the_option(tmp_path: Path) -> None:
    header = [*HEADER, "Study name"]
    bare = row(1, Completion_code="NOCODE") | {"Study name": f"memeloc pilot {US.id}"}
    (one,) = read(tmp_path, table([bare], header), "x.csv", made={}).participants
    assert one.study == US.id
    (one,) = read(tmp_path, table([bare]), "x.csv", made={}, sheet=DE.id).participants
    assert one.study == DE.id
    with pytest.raises(InputError, match="no sheet 'r9-b99-DE'"):
        import_file(Prolific(sheet="r9-b99-DE"), tmp_path / "x.csv", PACK)


def test_the_study_is_found_by_codes(tmp_path: Path) -> None:
    rows = [
        row(1, Completion_code=PACK.codes[US.id].failed_checks.lower()),
        row(2, Completion_code="NOCODE", Status="RETURNED"),
        row(3, Completion_code="TYPO"),
    ]
    found = read(tmp_path, table(rows), "export.csv", made={})
    assert {one.study for one in found.participants} == {US.id}
    assert [one.details["ended"] for one in found.participants] == [
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
    found = read(tmp_path, table(rows), "export.csv", made={})
    assert [one.study for one in found.participants] == [DE.id, US.id]
    (left,) = found.rejected
    assert (left.row, left.reason) == (4, "unknown study")
    assert left.content == {key: value for key, value in rows[2].items() if value}


def test_a_study_of_no_sheet_is_nobodys(tmp_path: Path) -> None:
    rows = [row(n, Completion_code="OTHER") for n in (1, 2)]
    found = read(tmp_path, table(rows), "prolific_export_65f0c0ffee0000000000000f.csv")
    assert found.participants == ()
    assert reasons(found) == ["unknown study", "unknown study"]


def test_a_code_of_another_sheet_is_reported(tmp_path: Path) -> None:
    found = read(tmp_path, table([row(1, Completion_code=PACK.codes[US.id].done)]))
    (one,) = found.participants
    assert (one.study, one.details["ended"]) == (DE.id, "unknown code")
    assert reasons(found) == ["code of another sheet"]


def test_codes_that_sheets_share_say_nothing(tmp_path: Path) -> None:
    same = replace(PACK, codes=dict.fromkeys((DE.id, US.id), PACK.codes[DE.id]))
    found = read(tmp_path, table([row(1)]), "export.csv", same, made={})
    assert reasons(found) == ["unknown study"]


# What comes of it


def test_people_are_joined_with_their_answers(tmp_path: Path) -> None:
    who = row(1)["Participant id"]
    found = read(tmp_path, table([row(1, Country_of_birth="France"), row(2)]))
    report = check([fill(DE, who)], [DE, US], found.participants)
    (judged,) = report.judged
    assert (judged.service, judged.status) == (row(1)["Submission id"], "AWAITING REVIEW")
    (aside,) = [one for one in report.set_aside if one.rule == "screening"]
    assert aside.evidence["differing"] == {"country_of_birth": "France"}
    assert [one.participant for one in report.absent] == [row(2)["Participant id"]]


def test_it_is_known_by_its_content_and_others_are_not(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    path.write_text(table([row(1)]))
    assert recognise(path).name == "prolific"
    assert isinstance(make_target("prolific"), Prolific)
    others = {
        "qualtrics.csv": "StartDate,EndDate,Status,Progress,PROLIFIC_PID,STUDY_ID,SESSION_ID\n1",
        "answers.csv": "sheet,item,participant,answer,status\nr1-b01-DE,i1,p1,hate,\n",
        "empty.csv": "",
        "tasks.json": '[{"id": 1, "data": {}, "annotations": []}]',
        "other.json": '{"results": [{"id": "x", "status": "ACTIVE", "participants": 3}]}',
        "broken.json": '{"results": [{"participant": "x", "status": "ACTIVE", ',
        "deep.json": "[" * 100_000,
        "nothing.csv": "\x00\x01\x02",
    }
    for name, text in others.items():
        path = tmp_path / name
        path.write_text(text)
        assert not Prolific().recognises(path), name
    assert not Prolific().recognises(tmp_path / "missing.csv")


@pytest.mark.parametrize(
    "content", ["", "a,b,c\n1,2,3\n", "\x00" * 50, '{"results": ', "Participant id,Status\nx,y\n"]
)
def test_other_files_are_refused_in_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        import_file(Prolific(), path, PACK)
    assert "x.csv" in str(caught.value)
    assert "Google" not in str(caught.value)


def test_invalid_json_values_are_rejected_and_the_rest_is_read(tmp_path: Path) -> None:
    strange = [api(1), 7, None, ["x"], {"id": "x"}, api(3, time_taken=1e99)]
    found = read(tmp_path, json.dumps(strange), "x.json")
    assert [one.participant[-1] for one in found.participants] == ["1", "3"]
    assert reasons(found) == [*["not a submission"] * 4, "unknown time taken"]


def test_wide_and_long_tables_are_read(tmp_path: Path) -> None:
    wide = [*HEADER, *(f"Question {n}" for n in range(3000))]
    found = read(tmp_path, table([row(1) | dict.fromkeys(wide[20:], "x" * 100)], wide))
    assert len(found.participants[0].details["other"]) == 3000
    assert len(found.rejected) == 1
    assert len(found.rejected[0].content["columns"]) == 200
    long = [
        row(n % 9) | {"Submission id": f"s{n}", "Participant id": f"p{n}"} for n in range(20_000)
    ]
    found = read(tmp_path, table(long))
    assert (len(found.participants), len(found.rejected)) == (20_000, 0)


def test_cells_beyond_the_headings_are_kept(tmp_path: Path) -> None:
    found = read(tmp_path, table([row(1)]).rstrip("\r\n") + ",surplus,\r\n")
    (one,) = found.participants
    assert one.details["other"] == {"column 21": "surplus"}
    assert reasons(found) == ["unknown column"]


def test_differing_columns_of_one_meaning_are_reported(tmp_path: Path) -> None:
    header = [*HEADER, "First language", "Sex"]
    text = table([row(1) | {"First language": "Turkish"}], header[:-1])
    found = read(tmp_path, text)
    assert found.participants[0].facts["first_language"] == "Turkish"
    assert found.rejected[0].content == {
        "column": "Language",
        "values": ["Turkish", "German"],
    }
    assert not read(tmp_path, table([row(1)], header)).rejected


def test_every_heading_of_the_table_means_one_thing() -> None:
    aliases = [alias for names in MEANINGS.values() for each in names.values() for alias in each]
    assert len(aliases) == len(COLUMNS)
    assert all(key_of(alias) == alias for alias in aliases)
    assert {key_of(heading) for heading in (*HEADER, *OLD)} <= COLUMNS.keys()
    assert {key_of(key) for key in api() if key not in ("strata", "_links")} <= COLUMNS.keys()


_CELL = st.text(st.characters(exclude_characters="\x00"), max_size=12) | st.sampled_from(
    ["CONSENT_REVOKED", "DATA_EXPIRED", "=A1", "'=A1", "2026-03-02", "NOCODE", "\ufeff", "\u202ex"]
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.dictionaries(st.sampled_from(HEADER), _CELL), min_size=1, max_size=5))
def test_every_row_is_a_person_or_rejected(tmp_path: Path, rows: list[dict[str, str]]) -> None:
    whole = [row(place) | one for place, one in enumerate(rows, 1)]
    path = tmp_path / f"{DE.id}.csv"
    path.write_bytes(table(whole).encode("utf-8", "replace"))
    found = import_file(Prolific(), path, PACK)
    people = {(one.participant, one.submission) for one in found.participants}
    told = {one.row for one in found.rejected if one.content.keys() & set(HEADER)}
    for number, one in enumerate(whole, 2):
        ids = (clean_text(one["Participant id"]), clean_text(one["Submission id"]))
        assert ids in people or number in told
    for person in found.participants:
        json.dumps([dict(person.facts), dict(person.details)])
