"""Sheets of survey texts: whatever the text, its placeholders go out protected and come back."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.correct.checks import Checked, check
from memeloc.correct.model import (
    SURVEY_STATUSES,
    Answer,
    Sheet,
    SheetAnswers,
    SheetItem,
    SheetPart,
    Status,
    text_key,
)
from memeloc.correct.placing import KnownMeme, PlacedAnswer, SentItem, SentSheet, place
from memeloc.correct.rows import Row, gather, key_of
from memeloc.correct.sheets import formats, read_sheet, write_sheet
from memeloc.locales import default
from memeloc.placeholders import misplaced, placeholders
from memeloc.tables import clean_text, drawable

MADE = datetime(2026, 11, 1, tzinfo=UTC)

WORD = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cs", "Cc", "Cn", "Zl", "Zp")),
        st.sampled_from("=+-@<&>\"'{}\n من"),
    ),
    max_size=12,
)
MARK = st.sampled_from(["{count}", "{total}", "{}", "{a b}"])
TEXT = (
    st.lists(st.one_of(WORD, MARK), min_size=1, max_size=6)
    .map("".join)
    .map(lambda text: clean_text(drawable(text)))
    .filter(lambda text: text.strip() == text != "")
)


def _sheet(source: str, machine: str) -> Sheet:
    item = SheetItem(
        "survey:intro",
        "",
        (SheetPart("1", source, machine),),
        None,
        text_key((source,)),
        text_key((machine,)),
    )
    en, ar = default().get("en"), default().get("ar")
    return Sheet("s1", ar, en, 1, "samira", MADE, "# Guide\n\nRead.", (item,), "survey")


@pytest.mark.parametrize("form", formats())
@given(source=TEXT, machine=TEXT)
@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_what_goes_out_comes_back_untouched(
    form: str, source: str, machine: str, tmp_path: Path
) -> None:
    path = tmp_path / "sheet.xlsx"
    write_sheet(_sheet(source, machine), path, form)
    came = read_sheet(path)
    assert (came.answers, came.problems) == ((), ())


@pytest.mark.parametrize("form", ["xlsx", "xliff"])
def test_text_around_placeholders_is_read_exactly(form: str, tmp_path: Path) -> None:
    texts = ["{a}", "{a}{b}", " x {a}{a} y", "{a} of {b}", "no { brace", "{number}、{total}"]
    for text in texts:
        path = tmp_path / "sheet.xlsx"
        path.unlink(missing_ok=True)
        write_sheet(_sheet(text, text), path, form)
        content = path.read_bytes()
        if form == "xliff":
            # A tool says that it is right: what it stands for is then read from the file.
            done = content.replace(b"needs-review-translation", b"translated")
            path.write_bytes(done)
            (answer,) = read_sheet(path).answers
            assert (answer.status, answer.parts) == ("correct", (text.strip(),))
            continue
        from openpyxl import load_workbook

        page = load_workbook(path).worksheets[0]
        column = {str(cell.value): cell.column for cell in page[1]}
        assert page.cell(2, column["source"]).value == text
        assert page.cell(2, column["to be corrected"]).value == text
        assert page.cell(2, column["marks"]).value is None


def test_placeholders_that_stand_twice_have_ids_of_their_own(tmp_path: Path) -> None:
    from lxml import etree

    path = tmp_path / "sheet.xlf"
    write_sheet(_sheet("{a} and {b} and {a}", "{b}, {a}, {a}"), path, "xliff")
    space = "{urn:oasis:names:tc:xliff:document:1.2}"
    for name, ids in (("source", ["1", "2", "1-2"]), ("target", ["1", "2", "2-2"])):
        unit = next(etree.parse(str(path)).iter(f"{space}trans-unit"))
        element = unit.find(f"{space}{name}")
        assert element is not None
        assert [inline.get("id") for inline in element] == ids


def _placed(
    source: str, text: str, status: Status = "corrected", base: str = "قديم"
) -> PlacedAnswer:
    sent = SentItem((source,), (base,))
    sheet = SentSheet("s1", "ar", 1, "samira", MADE, {"survey:x": sent}, "survey")
    answer = Answer("survey:x", (text,), (text,), status, "", 2, text_key((source,)), (7,))
    file = Path("back.csv")
    came = SheetAnswers("s1", "ar", 1, "samira", file, "0" * 64, (answer,), ())
    (result,) = place(came, sheet, {"survey:x": KnownMeme((source,))})
    return result


@given(source=TEXT, text=TEXT)
def test_an_answer_needs_the_placeholders_of_its_source(source: str, text: str) -> None:
    result = _placed(source, text)
    same = set(placeholders(source)) == set(placeholders(text))
    assert (result.outcome == "placed") == same == (misplaced(source, text) == "")
    if not same:
        assert (result.outcome, result.reason) == ("refused", "placeholders")
        assert result.message.startswith("back.csv, row 7, column your text: ")


def test_correct_is_not_taken_for_a_text_that_lacks_one() -> None:
    assert _placed("{count} memes", "", "correct").outcome == "refused"
    assert _placed("{count} memes", "", "correct", "{count} ميم").outcome == "placed"
    assert _placed("{count} memes", "", "skip").outcome == "case"


def test_other_kinds_may_have_braces() -> None:
    sent = SentItem(("{me}",), ("{ich}",))
    sheet = SentSheet("s1", "de", 1, "anna", MADE, {"m": sent})
    answer = Answer("m", ("ich",), ("ich",), "corrected", "", 2, text_key(("{me}",)))
    came = SheetAnswers("s1", "de", 1, "anna", Path("x"), "0" * 64, (answer,), ())
    assert place(came, sheet, {"m": KnownMeme(("{me}",))})[0].outcome == "placed"


def test_an_answer_knows_the_row_of_each_part(tmp_path: Path) -> None:
    path = tmp_path / "any"
    path.write_bytes(b"")
    rows = [Row(9, "s", "m", 1, "", "one", "", ""), Row(4, "s", "m", 2, "", "two", "", "")]
    (answer,) = gather(path, reversed(rows)).answers
    assert answer.rows == (9, 4)


def test_what_a_person_may_pick(tmp_path: Path) -> None:
    sheet = _sheet("a", "b")
    assert sheet.statuses == SURVEY_STATUSES
    assert key_of(sheet, sheet.items[0], 1).startswith("s1|survey:intro|1|")


def test_checks_pass_over_placeholders() -> None:
    ar = default().get("ar")
    item = Checked("survey:because", ar, ("{label}. Reason: {why}",), ("{label}. السبب: {why}",))
    assert check(item) == []
    (warning,) = check(Checked("survey:x", ar, ("{label}: reason",), ("{label}: reason why",)))
    assert warning.check == "script"


def test_translate_toolkit_keeps_placeholders(tmp_path: Path) -> None:
    from translate.storage import xliff

    path = tmp_path / "sheet.xlf"
    write_sheet(_sheet("{number} of {total}", "{number} من {total}"), path, "xliff")
    store = xliff.xlifffile.parsefile(str(path))  # type: ignore[no-untyped-call]
    (unit,) = store.units
    assert str(unit.source) == "{number} of {total}"
    assert [
        inline.id for inline in unit.rich_source[0].flatten() if inline.has_content and inline.id
    ] == [
        "1",
        "2",
    ]
    unit.target = "{total}/{number}"
    store.savefile(str(path))
    (answer,) = read_sheet(path).answers
    assert (answer.status, answer.parts) == ("corrected", ("{total}/{number}",))


def test_msgfmt_reports_a_lost_placeholder(tmp_path: Path) -> None:
    assert shutil.which("msgfmt"), "install Debian's package gettext"
    for text, ends in (("{number}/{total}", 0), ("{number}", 1)):
        path = tmp_path / f"{ends}.po"
        write_sheet(_sheet("{number} of {total}", text), path, "po")
        path.write_text(path.read_text(encoding="utf-8").replace("#, fuzzy, ", "#, "), "utf-8")
        checked = subprocess.run(
            ["msgfmt", "--check", "-o", "/dev/null", path], capture_output=True
        )
        assert checked.returncode == ends, checked.stderr
