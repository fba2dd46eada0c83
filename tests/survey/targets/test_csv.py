"""Sheets as CSV and back: moved columns, doubled rows, old encodings, formulas, doubtful rows."""

from __future__ import annotations

import csv
import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from memeloc.errors import InputError
from memeloc.survey.model import Answer, entry_id
from memeloc.survey.targets.csv.target import Csv
from memeloc.survey.targets.instructions import SheetTexts
from memeloc.survey.targets.places import item_key
from memeloc.survey.targets.protocol import Imported, SurveyPack
from memeloc.survey.targets.resolver import import_file
from tests.survey.packs import pack

CHOSEN = {"m1": "no-hate", "check-1": "unknown", "check-2": "hate", "m2": "hate"}
WHO = {"de": "jürgen", "ar": "سارة"}
Row = dict[str, str]


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> SurveyPack:
    return pack(tmp_path_factory.mktemp("pictures"))


def exported(survey: SurveyPack, folder: Path) -> tuple[Path, list[Row]]:
    (path,) = Csv().export(survey, folder)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return path, list(csv.DictReader(stream))


def filled(survey: SurveyPack, rows: list[Row], who: str = "asha", *, names: bool = True) -> None:
    sheet = survey.sheets[0]
    words = SheetTexts(survey, sheet).labels if names else {}
    by_key = {
        item_key(survey.name, sheet.id, entry_id(entry)): CHOSEN[entry_id(entry)]
        for entry in sheet.entries
    }
    for row in rows:
        label = by_key.get(row["item"])
        row["participant"] = who
        row["answer"] = "yes" if label is None else words.get(label, label)


def saved(path: Path, rows: list[Row], columns: list[str] | None = None, **options: Any) -> Path:
    with path.open("w", newline="", encoding=options.pop("encoding", "utf-8")) as stream:
        writer = csv.DictWriter(stream, columns or list(rows[0]), **options)
        writer.writeheader()
        writer.writerows(rows)
    return path


def back(path: Path, survey: SurveyPack) -> Imported:
    assert Csv().recognises(path)
    return import_file(Csv(), path, survey)


@pytest.mark.parametrize(("tag", "country"), [("en", "US"), ("ar", "EG"), ("hi", "IN")])
@pytest.mark.parametrize("names", [True, False], ids=["names", "ids"])
def test_what_is_filled_in_comes_back(tmp_path: Path, tag: str, country: str, names: bool) -> None:
    survey = pack(tmp_path, tag, country)
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows, names=names)
    result = back(saved(tmp_path / "back.csv", rows), survey)
    assert result.rejected == ()
    (one,) = result.submissions
    assert one.answers == tuple(Answer(entry, label) for entry, label in CHOSEN.items())
    assert (one.participant, one.sheet, one.status) == ("asha", survey.sheets[0].id, "complete")


def test_a_table_has_every_picture_and_hides_its_checks(survey: SurveyPack, tmp_path: Path) -> None:
    path, rows = exported(survey, tmp_path)
    assert len(rows) == 5
    assert "check" not in path.read_text("utf-8-sig").replace("choose", "")
    pictures = [entry.picture for entry in survey.sheets[0].entries]
    for row, picture in zip(rows[1:], pictures, strict=True):
        if picture is None:
            assert row["picture"] == ""
        else:
            assert (tmp_path / row["picture"]).read_bytes() == picture.read_bytes()
    words = (tmp_path / f"{survey.sheets[0].id}.txt").read_text("utf-8-sig")
    assert "lab@university.example" in words
    for example in survey.taxonomy.examples:
        assert survey.texts["en"].get(f"taxonomy.multi3hate.example.{example.id}.why") in words
    assert words.count("pictures/") == len(survey.taxonomy.examples)


def test_no_cell_is_a_formula(survey: SurveyPack, tmp_path: Path) -> None:
    sheet = survey.sheets[0]
    risky = replace(sheet.entries[0], caption='=HYPERLINK("http://x";"y")')
    changed = replace(survey, sheets=(replace(sheet, entries=(risky, *sheet.entries[1:])),))
    path, _ = exported(changed, tmp_path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for line in csv.reader(stream) for cell in line]
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r") and cell]
    assert "'=HYPERLINK" in path.read_text("utf-8-sig")


def test_the_same_survey_is_the_same_bytes(survey: SurveyPack, tmp_path: Path) -> None:
    exported(survey, tmp_path / "one")
    exported(survey, tmp_path / "two")
    files = sorted(one for one in (tmp_path / "one").rglob("*") if one.is_file())
    assert len(files) == 2 + 3 + 4 + 1  # what was written stands in .memeloc
    for file in files:
        other = tmp_path / "two" / file.relative_to(tmp_path / "one")
        assert file.read_bytes() == other.read_bytes()


@given(seed=st.integers(0, 2**32), doubled=st.lists(st.integers(0, 9), max_size=8))
def test_shuffled_and_doubled_rows_are_the_same_submissions(
    survey: SurveyPack, tmp_path_factory: pytest.TempPathFactory, seed: int, doubled: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("shuffled")
    _, rows = exported(survey, folder / "out")
    other = [dict(row) for row in rows]
    filled(survey, rows, "asha")
    filled(survey, other, "jonas")
    rows += other[:-1]
    plain = back(saved(folder / "plain.csv", rows), survey)
    assert [submission.status for submission in plain.submissions] == ["complete", "returned"]
    columns = list(rows[0])
    many = [*rows, *(rows[one % len(rows)] for one in doubled)]
    rng = random.Random(seed)
    rng.shuffle(columns)
    rng.shuffle(many)
    result = back(saved(folder / "shuffled.csv", many, columns), survey)
    assert result.rejected == plain.rejected == ()
    assert [replace(submission, row=0) for submission in result.submissions] == [
        replace(submission, row=0) for submission in plain.submissions
    ]


def test_each_row_that_cannot_be_placed_has_its_reason(survey: SurveyPack, tmp_path: Path) -> None:
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    wrong = [
        (rows[1] | {"participant": "", "answer": "hate"}, "no participant"),
        (rows[1] | {"participant": "b", "item": "i0"}, "unknown item"),
        (rows[1] | {"participant": "b", "answer": "perhaps"}, "unknown label"),
        (rows[1] | {"participant": "b", "answer": "=1+1"}, "unknown label"),
        (rows[1] | {"participant": "5.9E+23"}, "participant unreadable"),
        (rows[0] | {"participant": "c", "answer": "well"}, "unknown consent"),
        (rows[0] | {"participant": "b", "sheet": "r9"}, "unknown sheet"),
        (rows[2] | {"answer": "hate"}, "two answers"),
    ]
    many = [*rows, *(row for row, _ in wrong), rows[0] | {"participant": "b"}]
    result = back(saved(tmp_path / "b.csv", many), survey)
    reasons = [(row.row, row.reason) for row in result.rejected]
    expected = [(number, reason) for number, (_, reason) in enumerate(wrong, 7)]
    # Of two answers to one question neither is taken, so the first is reported too.
    assert reasons == sorted([*expected, (4, "two answers")])
    assert all(row.message.endswith(".") and row.content["sheet"] for row in result.rejected)
    (one,) = result.submissions
    assert [answer.entry for answer in one.answers] == ["m1", "check-2", "m2"]


def test_answers_with_an_unreadable_time_are_taken(survey: SurveyPack, tmp_path: Path) -> None:
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    for row in rows:
        row["submitted"] = "2026-03-01T10:00:00+01:00"
    rows[2]["submitted"] = "0001-01-01T00:00:00+14:00"
    result = back(saved(tmp_path / "b.csv", rows), survey)
    assert [(row.row, row.reason) for row in result.rejected] == [(4, "unknown time")]
    (one,) = result.submissions
    assert one.submitted == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert len(one.answers) == len(survey.sheets[0].entries)


def test_without_consent_nothing_is_taken(survey: SurveyPack, tmp_path: Path) -> None:
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    rows[0]["answer"] = survey.texts["en"].get("consent.no")
    (one,) = back(saved(tmp_path / "no.csv", rows), survey).submissions
    assert (one.status, one.answers) == ("no consent", ())
    rows[0]["answer"] = ""
    result = back(saved(tmp_path / "blank.csv", rows), survey)
    assert result.submissions == ()
    assert [row.reason for row in result.rejected] == ["no consent"] * 4


def test_one_person_may_write_the_number_once(survey: SurveyPack, tmp_path: Path) -> None:
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    for row in rows[1:]:
        row["participant"] = ""
    (one,) = back(saved(tmp_path / "once.csv", rows), survey).submissions
    assert (one.participant, len(one.answers)) == ("asha", 4)


@pytest.mark.parametrize(
    ("tag", "country", "encoding"),
    [("de", "DE", "cp1252"), ("ar", "EG", "cp1256"), ("de", "DE", "utf-16")],
)
def test_encodings_that_spreadsheets_save_in_are_read(
    tmp_path: Path, tag: str, country: str, encoding: str
) -> None:
    survey = pack(tmp_path, tag, country)
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    columns = ("item", "answer", "sheet", "participant")
    kept = [{name: row[name] for name in columns} for row in rows]
    kept[0]["answer"] = survey.texts[tag].get("consent.yes")
    for row in kept:
        row["participant"] = WHO[tag]
    path = saved(tmp_path / "old.csv", kept, encoding=encoding, delimiter=";")
    result = back(path, survey)
    assert result.rejected == ()
    (one,) = result.submissions
    assert (one.participant, len(one.answers)) == (WHO[tag], 4)


def test_broken_letters_concern_their_cell_only(tmp_path: Path) -> None:
    survey = pack(tmp_path, "hi", "IN")
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    path = saved(
        tmp_path / "lost.csv",
        rows,
        ["item", "participant", "answer", "sheet"],
        extrasaction="ignore",
    )
    sheet = survey.sheets[0].id.encode()
    content = path.read_bytes()
    end = content.rindex(b"," + sheet)
    path.write_bytes(content[: end - 1] + b"\xff" + content[end:])
    result = back(path, survey)
    assert [row.reason for row in result.rejected] == ["encoding", "unknown label"]
    assert len(result.submissions[0].answers) == 3


def test_a_workbook_is_read_and_its_formulas_are_rejected(
    survey: SurveyPack, tmp_path: Path
) -> None:
    _, rows = exported(survey, tmp_path / "out")
    filled(survey, rows)
    rows[1]["answer"] = '=CONCATENATE("ha";"te")'
    book = Workbook()
    page = book.active
    assert page is not None
    page.append(["Notes of the team"])
    page.append(list(rows[0]))
    for row in rows:
        page.append(list(row.values()))
    book.save(tmp_path / "filled.xlsx")
    result = back(tmp_path / "filled.xlsx", survey)
    printed = [(row.row, row.reason) for row in result.rejected]
    assert printed == [(1, "no headings"), (4, "formula")]
    assert len(result.submissions[0].answers) == 3


def test_other_files_are_not_taken_for_tables(survey: SurveyPack, tmp_path: Path) -> None:
    for content in (b"", b"a,b\n1,2\n", b"\x00\x01\x02", b'{"item": "participant answer"}'):
        path = tmp_path / "other"
        path.write_bytes(content)
        assert not Csv().recognises(path)
    (tmp_path / "other").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(InputError, match="headings"):
        import_file(Csv(), tmp_path / "other", survey)
