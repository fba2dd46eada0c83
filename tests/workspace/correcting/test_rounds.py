"""Two rounds by two people, as published; work that is shared out or claimed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import openpyxl
import polib
import pytest
from lxml import etree

from memeloc import Workspace
from memeloc.errors import InputError
from tests.conftest import Outcome
from tests.workspace.correcting.rounds import TABLE, correct, export, fill_in, read_rows

XLIFF = "{urn:oasis:names:tc:xliff:document:1.2}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Anna has corrected m1, given m2 up, which was settled, and asked about m3; Ben has m4."""
    folder = tmp_path_factory.mktemp("rounds") / "set"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        with Workspace.create(folder, languages=["de"]) as workspace:
            table = folder / "captions.csv"
            table.write_text(TABLE, encoding="utf-8")
            workspace.import_captions(table)
            correct(
                workspace,
                "anna",
                {"m1": "Montag // wieder", "m2": "wordplay"},
                {"m1": "to be corrected: nothing", "m2": "nur ein Reim", "m3": "Wer ist gemeint?"},
                ids=["m1", "m2", "m3"],
            )
            correct(workspace, "ben", {"m4": "correct"}, ids=["m4"])
            (case,) = workspace.correcting.cases.open()
            workspace.correcting.cases.decide(case.id, person="maria", comment="passt schon")
    return folder


def memes(path: Path | None) -> set[str]:
    return {row["meme_id"] for row in read_rows(path)} if path else set()


def cells(path: Path | None, meme: str, column: str) -> list[str]:
    assert path is not None
    return [row[column] for row in read_rows(path) if row["meme_id"] == meme]


@pytest.mark.parametrize("form", ["xlsx", "csv", "xliff", "po"])
def test_history_is_in_every_format_and_nothing_of_it_is_read(
    workspace: Workspace, form: str
) -> None:
    (row,) = workspace.correcting.export_sheets(["de"], ["carl"], round_=2, format=form)
    sheet = row["file"]
    if form == "xlsx":
        page = openpyxl.load_workbook(sheet).worksheets[0]
        text = "\n".join(str(cell.value) for row in page for cell in row if cell.value)
    elif form == "po":
        text = "\n".join(entry.comment for entry in polib.pofile(str(sheet)))
    elif form == "xliff":
        root = etree.parse(str(sheet))
        text = "\n".join(str(note.text) for note in root.iter(f"{XLIFF}note"))
        assert "at first" in {each.get("origin") for each in root.iter(f"{XLIFF}alt-trans")}
    else:
        text = sheet.read_text("utf-8-sig")
    for line in ("at first: Montag", ": Montag (to be corrected: nothing)", "(nur ein Reim)"):
        assert line in text
    back = workspace.correcting.import_sheet(sheet)
    assert (back["outcomes"], back["problems"]) == ({}, ())


def test_who_corrects_beside_another_sees_comments_and_no_answers(workspace: Workspace) -> None:
    sheet = export(workspace, "ben", only="all")
    assert cells(sheet, "m3", "history")[0].endswith(": (Wer ist gemeint?)")
    assert cells(sheet, "m1", "history") == ["", ""]
    own = export(workspace, "anna", only="all")
    assert ": Montag (" in cells(own, "m1", "history")[0]


def test_a_person_gets_nothing_twice(workspace: Workspace, command: Callable[..., Outcome]) -> None:
    assert memes(export(workspace, "Anna", 2)) == {"m4"}
    with pytest.raises(InputError, match="ben has answered all 1 of these in another round"):
        export(workspace, "ben", 2, ids=["m4"])
    assert memes(export(workspace, "ben", 2, ids=["m4"], allow_same_person=True)) == {"m4"}
    shown = command("correct", "export", "--langs", "de", "--round", 2, "--to", "ben")
    assert "1 were left out: ben has answered them in another round" in " ".join(shown.out.split())


@pytest.mark.parametrize("allowed", [False, True])
def test_an_answer_in_a_second_round_waits_unless_allowed(
    workspace: Workspace, allowed: bool
) -> None:
    sheet = export(workspace, "", 2, ids=["m1"])
    assert sheet is not None
    came = workspace.correcting.import_sheet(
        fill_in(sheet, {"m1": "Montag // mal"}, {}), person="anna", allow_same_person=allowed
    )
    now = workspace.table().set_index("meme_id")["de"]["m1"]
    if allowed:
        assert (came["outcomes"], now) == ({"placed": 1}, "Montag // mal")
        return
    (answer,) = came["answers"]
    assert (answer.outcome, answer.reason, now) == ("case", "same person", "Montag // wieder")
    workspace.correcting.cases.prefer("person:anna", person="maria")
    assert workspace.table().set_index("meme_id")["de"]["m1"] == "Montag // mal"


def test_what_is_out_with_somebody_is_not_unclaimed(workspace: Workspace) -> None:
    export(workspace, "carl", 2, ids=["m1"])
    assert memes(export(workspace, "dora", 2, only="unclaimed")) == {"m2", "m4"}
    assert memes(export(workspace, "emil", 2, only="unclaimed")) == set()
    assert memes(export(workspace, "Dora", 2, only="unclaimed")) == {"m2", "m4"}
    assert memes(export(workspace, "emil", 2)) == {"m1", "m2", "m4"}


def test_a_claim_of_the_meantime_is_seen_before_the_sheet_is_written(workspace: Workspace) -> None:
    store = workspace.store
    items = store.sheets.to_correct("de", 2, "dora", only="unclaimed")
    export(workspace, "carl", 2, ids=["m1"])
    sheet = next(each for each in store.sheets.find(workspace.locale) if each.person == "carl")
    late = replace(sheet, id="late", person="dora", items=tuple(items))
    with pytest.raises(InputError, match="1 of these captions, such as 'm1', have gone out"):
        store.sheets.add(late, unclaimed=True)
    assert "late" not in {sheet.id for sheet in store.sheets.find(workspace.locale)}


def test_shares_are_even_and_stay(workspace: Workspace) -> None:
    def shares(*people: str) -> list[set[str]]:
        options = {"share": True, "only": "all", "format": "csv", "pictures": False}
        rows = workspace.correcting.export_sheets(["de"], people, round_=2, **options)  # type: ignore[arg-type]
        return [memes(row["file"]) for row in rows]

    first = shares("dora", "emil")
    assert sorted(map(len, first)) == [1, 2]
    assert set.union(*first) == {"m1", "m2", "m4"}
    assert shares("emil", "dora", "fred") == [first[1], first[0], set()]


def test_a_row_is_high_enough_for_its_history(workspace: Workspace) -> None:
    for comment in ("eins", "zwei", "drei", "vier", "fünf", "sechs"):
        correct(workspace, "anna", {}, {"m1": comment}, only="all")
    (made,) = workspace.correcting.export_sheets(["de"], ["carl"], round_=2, pictures=False)
    page = openpyxl.load_workbook(made["file"]).worksheets[0]
    rows = {str(page.cell(row, 3).value): page.row_dimensions[row].height for row in (2, 6)}
    assert rows["m1"] > rows["m4"]
