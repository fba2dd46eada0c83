"""What Prolific gives out is read in every form, and nothing of it is lost."""

from __future__ import annotations

import codecs
import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from memeloc.errors import InputError
from memeloc.survey.model import Participant
from memeloc.survey.targets.prolific.columns import COLUMNS, MEANINGS, NOTHING, key_of
from memeloc.survey.targets.prolific.target import Prolific
from memeloc.survey.targets.registry import make_target, recognise
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


def test_an_export_becomes_people_with_their_facts(tmp_path: Path) -> None:
    imported = read(tmp_path, table([row(1), row(2, Status="APPROVED", Sex="Male")]))
    assert imported.rejected == ()
    first, second = imported.participants
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


def test_the_submission_object_with_its_study_is_read(tmp_path: Path) -> None:
    submission = {
        "id": "s1",
        "participant": "p1",
        "study_id": STUDY_US,
        "status": "TIMED-OUT",
        "started_at": "2026-03-02T12:00:00Z",
        "entered_code": None,
    }
    (person,) = read(tmp_path, json.dumps([submission]), "x.json").participants
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
    imported = read(tmp_path, table([row(1, Status=written)]))
    assert [person.status for person in imported.participants] == [meant]
    assert not imported.rejected


def test_an_unknown_status_is_kept_and_reported(tmp_path: Path) -> None:
    imported = read(tmp_path, table([row(1, Status="on hold"), row(2, Status="")]))
    assert sorted(person.status for person in imported.participants) == ["ON HOLD", "UNKNOWN"]
    assert reasons(imported) == ["unknown status", "unknown status"]


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


def test_a_withheld_person_is_rejected(tmp_path: Path) -> None:
    imported = read(tmp_path, table([row(1, Participant_id="CONSENT_REVOKED"), row(2)]))
    assert len(imported.participants) == 1
    assert reasons(imported) == ["consent revoked"]
    assert imported.rejected[0].row == 2
    assert imported.rejected[0].content["Submission id"] == "66a000000000000000000001"


def test_unknown_columns_are_kept_and_reported_once(tmp_path: Path) -> None:
    question = "In which country did you spend most of your life, before turning 18?"
    header = [*HEADER[:11], question, "Fluent languages", "الجنسية", *HEADER[11:]]
    rows = [row(n) | {question: "Germany", "Fluent languages": "German, English"} for n in (1, 2)]
    rows[1] |= {"الجنسية": "ألمانيا"}
    imported = read(tmp_path, table(rows, header))
    first, second = imported.participants
    assert first.details["other"] == {question: "Germany"}
    assert first.facts["fluent_languages"] == "German, English"
    assert second.details["other"] == {question: "Germany", "الجنسية": "ألمانيا"}
    (reported,) = imported.rejected
    assert reported.reason == "unknown column"
    assert reported.content == {"columns": {question: 2, "الجنسية": 1}, "count": 2}


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
def test_every_encoding_and_delimiter_reads_the_same(
    tmp_path: Path, encode: Any, mark: str
) -> None:
    rows = [row(1, Country_of_birth="Côte d’Ivoire"), row(2, Ethnicity_simplified="Mixed, other")]
    plain = read(tmp_path, table(rows))
    imported = read(tmp_path, encode(table(rows, mark=mark)))
    assert imported.participants == plain.participants
    assert set(reasons(imported)) <= {"encoding"}


def test_a_workbook_reads_the_same_but_for_its_formulas(tmp_path: Path) -> None:
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
    imported = read(tmp_path, path.read_bytes(), path.name)
    first, second = imported.participants
    assert (first,) == read(tmp_path, table([row(1)])).participants
    assert "age" not in second.facts
    assert [(rejected.row, rejected.reason) for rejected in imported.rejected] == [
        (3, "formula"),
        (4, "formula"),
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
    assert [(rejected.row, rejected.reason) for rejected in imported.rejected] == [
        (2, "formula"),
        (3, "formula"),
        (4, "no submission"),
    ]
    assert imported.rejected[1].content["Participant id"] == "=1+1"


def test_shuffled_columns_and_rows_say_the_same(tmp_path: Path) -> None:
    rows = [row(number) for number in range(1, 9)]
    plain = read(tmp_path, table(rows))
    draw = random.Random(7)
    for _ in range(5):
        header = draw.sample(HEADER, len(HEADER))
        imported = read(tmp_path, table(draw.sample(rows, len(rows)), header))
        assert imported == plain


def test_doubled_rows_count_once_and_a_later_one_holds(tmp_path: Path) -> None:
    later = row(1, Status="APPROVED", Reviewed_at="2026-03-05T09:00:00Z")
    imported = read(tmp_path, table([row(1), later, row(1), row(2)]))
    assert [person.status for person in imported.participants] == ["APPROVED", "AWAITING REVIEW"]
    assert [(rejected.row, rejected.reason) for rejected in imported.rejected] == [
        (4, "doubled row"),
    ]
    assert imported.rejected[0].content["Status"] == "AWAITING REVIEW"


def test_exports_under_one_another_bring_their_headings(tmp_path: Path) -> None:
    imported = read(tmp_path, table([row(1)]) + table([row(1), row(2)]) + ",,,\r\n")
    assert len(imported.participants) == 2
    assert imported.rejected == ()


def test_who_returned_and_came_back_is_there_as_last_seen(tmp_path: Path) -> None:
    again = row(5) | {"Participant id": row(1)["Participant id"]}
    before = row(1, Status="RETURNED", Completion_code="NOCODE", Completed_at="")
    for rows in ([before, again], [again, before]):
        people = read(tmp_path, table(rows)).participants
        assert [person.status for person in people] == ["RETURNED", "AWAITING REVIEW"]
        assert people[0].details["ended"] == "no code"


def test_people_without_an_id_are_rejected(tmp_path: Path) -> None:
    rows = [row(1, Participant_id=""), row(2, Participant_id="me@survey.example"), row(3)]
    imported = read(tmp_path, table(rows))
    assert len(imported.participants) == 1
    assert reasons(imported) == ["no participant", "no participant"]
    assert imported.rejected[1].content["Participant id"] == "me@survey.example"


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
    (person,) = read(tmp_path, table([row(1, Started_at=written)])).participants
    moment = datetime.fromisoformat(person.details["started"])
    assert moment == datetime(2026, 3, 2, 12, 0, 0, 123000, tzinfo=UTC)
    assert person.details["started"].endswith("+00:00")


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
    imported = read(tmp_path, json.dumps(strange), "x.json")
    assert [person.participant[-1] for person in imported.participants] == ["1", "3"]
    assert reasons(imported) == [*["not a submission"] * 4, "unknown time taken"]


def test_wide_and_long_tables_are_read(tmp_path: Path) -> None:
    wide = [*HEADER, *(f"Question {n}" for n in range(3000))]
    imported = read(tmp_path, table([row(1) | dict.fromkeys(wide[20:], "x" * 100)], wide))
    assert len(imported.participants[0].details["other"]) == 3000
    assert len(imported.rejected) == 1
    assert len(imported.rejected[0].content["columns"]) == 200
    long = [
        row(n % 9) | {"Submission id": f"s{n}", "Participant id": f"p{n}"} for n in range(20_000)
    ]
    imported = read(tmp_path, table(long))
    assert (len(imported.participants), len(imported.rejected)) == (20_000, 0)


def test_cells_beyond_the_headings_are_kept(tmp_path: Path) -> None:
    imported = read(tmp_path, table([row(1)]).rstrip("\r\n") + ",surplus,\r\n")
    (person,) = imported.participants
    assert person.details["other"] == {"column 21": "surplus"}
    assert reasons(imported) == ["unknown column"]


def test_differing_columns_of_one_meaning_are_reported(tmp_path: Path) -> None:
    header = [*HEADER, "First language", "Sex"]
    text = table([row(1) | {"First language": "Turkish"}], header[:-1])
    imported = read(tmp_path, text)
    assert imported.participants[0].facts["first_language"] == "Turkish"
    assert imported.rejected[0].content == {
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
