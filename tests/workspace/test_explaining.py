"""Reasons why labels differ, and their codes: out, in again, stored and counted."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from memeloc import Workspace
from memeloc.errors import InputError
from memeloc.survey.plain_answers import Columns
from memeloc.workspace.surveys import Survey

CAPTIONS = """meme_id,template,en,de
monday,cloud-monday,Monday’s forecast: // me,Die Aussichten: // ich
chef,robot-chef,Dinner is served // twice,Es gibt Essen // zweimal
"""
VOTES = {"US": {"monday": "hhn", "chef": "nnn"}, "DE": {"monday": "nnn", "chef": "nnh"}}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Two memes; the cultures differ on monday."""
    folder = tmp_path_factory.mktemp("explained")
    (folder / "captions.csv").write_text(CAPTIONS, encoding="utf-8")
    rows = [
        (meme, f"{culture}-{place}", culture, label)
        for culture, votes in VOTES.items()
        for meme, labels in votes.items()
        for place, label in enumerate(labels)
    ]
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("meme", "who", "culture", "label"), *rows])
    with Workspace.create(folder / "set", languages=["de"]) as made:
        made.import_captions(folder / "captions.csv")
        made.rendering.render(folder / "set" / "out", languages=["en", "de"], max_side=200)
        made.surveys.import_answers(
            "pilot",
            folder / "answers.csv",
            Columns("who", "meme", "label", "culture"),
            labels={"h": "hate", "n": "no-hate"},
        )
        yield made


@pytest.fixture(scope="module")
def survey(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Survey:
    """The survey with a reason of anna, and its codes by ben and cem."""
    folder = tmp_path_factory.mktemp("sheets")
    survey = workspace.survey("pilot")
    sheet = survey.export_reasons(folder / "reasons.xlsx", "anna", ("US", "DE"))
    assert sheet.rows == 1
    book = openpyxl.load_workbook(sheet.file)
    page = book["Reasons"]
    assert len(page._images) == 2
    headings = [cell.value for cell in page[1]]
    page.cell(2, headings.index("reason") + 1).value = "Clouds are cosy."
    book.save(sheet.file)
    assert survey.import_reasons([sheet.file]).new == 1
    assert survey.import_reasons([sheet.file]).new == 0
    for coder, code in (("ben", "Political Tensions"), ("cem", "cosy clouds")):
        path = folder / f"{coder}.csv"
        survey.export_codes(path, coder)
        filled = pd.read_csv(path, dtype=str, keep_default_na=False).assign(codes=code)
        filled.to_csv(path, index=False)
        assert survey.import_codes([path]).new == 1
    return survey


def test_the_report_has_the_codebook(survey: Survey) -> None:
    analysis = survey.analyze(sections=["codebook", "dataset"])
    assert not analysis.section("codebook").tables[0].frame.empty
    lengths = next(t for t in analysis.section("dataset").tables if t.name == "caption-lengths")
    assert set(lengths.frame["language"]) == {"en", "de"}


def test_codes_of_an_earlier_text_count_no_more(survey: Survey, tmp_path: Path) -> None:
    path = tmp_path / "again.csv"
    survey.export_reasons(path, "anna", ("US", "DE"))
    filled = pd.read_csv(path, dtype=str, keep_default_na=False)
    filled.assign(reason="Clouds bring rain.").to_csv(path, index=False)
    assert survey.import_reasons([path]).new == 1
    with pytest.raises(InputError, match="no reason has a code"):
        survey.themes()
    before = tmp_path / "before.csv"
    filled.assign(reason="Clouds are cosy.").to_csv(before, index=False)
    assert survey.import_reasons([before]).new == 1
    assert survey.themes().figures["Historical & Political Context"] == 0.5


@pytest.mark.parametrize(
    ("pair", "item", "message"),
    [
        ("US|FR", "monday", "row 2, column pair: pilot has no cultures"),
        ("US|DE", "friday", "row 2, column item: pilot does not ask about 'friday'"),
    ],
)
def test_reasons_about_something_else_are_refused(
    survey: Survey, tmp_path: Path, pair: str, item: str, message: str
) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(f"item,pair,person,reason\n{item},{pair},anna,why\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        survey.import_reasons([path])


def test_codes_of_a_reason_that_nobody_gave_are_refused(survey: Survey, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("item,person,coder,codes\nmonday,zoe,ben,x\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"there is no reason of 'monday\|zoe'"):
        survey.import_codes([path])
