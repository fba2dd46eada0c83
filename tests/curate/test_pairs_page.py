"""The page of pairs and the sheets of a review: safe, filled in, and read back."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memeloc.curate.review import (
    ANSWER,
    HINT,
    SIDES,
    find_question,
    pairs_page,
    read_review,
    write_pairs_page,
    write_review,
)
from memeloc.errors import InputError
from memeloc.tables import clean_text, drawable
from memeloc.tables.cells import guarded
from tests.curate.drawn import as_jpeg, draw_picture

HOSTILE = "</script><img src=x onerror=hacked=1><script>hacked=1</script>\u2028<!-- ${1}`'\"&\ud800"


QUESTION = find_question("duplicates")


PERSON = "Ana =1+1"


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    files = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.jpg"
        path.write_bytes(as_jpeg(draw_picture(seed, 160, 120)))
        files.append(path)
    return [
        {
            "subject": f"a-{number}|b-{number}",
            HINT: [HOSTILE, ""],
            "scores": {"distance": 4.0, "text": 0.91234567},
            **dict(zip(SIDES[0], (files[0], "قطة // cat 123", [HOSTILE, "test"]), strict=True)),
            **dict(
                zip(SIDES[1], (files[1] if number else None, HOSTILE, ["other", ""]), strict=True)
            ),
            **dict.fromkeys((ANSWER, "comment", "content"), ""),
        }
        for number in range(3)
    ]


def test_the_page_holds_everything_and_escapes_it(rows: list[dict[str, Any]]) -> None:
    page = pairs_page(QUESTION, rows, PERSON)
    page.encode("utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    script = page[page.rindex("<script>") + 8 : page.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    plain = re.search(r"id=data>(.*?)</script>", page, re.DOTALL)
    assert plain is not None
    data = json.loads(plain[1])
    assert data["rows"][1]["scores"] == {"distance": 4.0, "text": 0.9123}
    assert len(data["pictures"]) == 2


def test_other_people_and_other_pairs_have_a_store_of_their_own(rows: list[dict[str, Any]]) -> None:
    def store(page: str) -> str:
        return page.split('data-store="', 1)[1].split('"', 1)[0]

    pages = [(rows, "asha"), (rows, "jonas"), (rows[:2], "asha")]
    assert len({store(pairs_page(QUESTION, *arguments)) for arguments in pages}) == 3
    assert store(pairs_page(QUESTION, rows, "asha")) == store(pairs_page(QUESTION, rows, "asha"))


def test_keys_answer_and_the_saved_file_is_read(
    tmp_path: Path, rows: list[dict[str, Any]], browser: Any
) -> None:
    path = tmp_path / "pairs.html"
    assert write_pairs_page(QUESTION, rows, path, PERSON) == path
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.goto(path.as_uri())
    page.locator("#place", has_text="Pair 1 of 3; 0 answered").wait_for()
    assert page.locator("figure").count() == 2
    assert page.evaluate("document.querySelector('figure p').dir") == "auto"
    page.keyboard.press("1")
    assert page.locator("#place").inner_text().startswith("Pair 2 of 3; 1 answered")
    sizes = page.evaluate("[...document.images].map((image) => image.naturalWidth)")
    assert sizes == [160, 160]
    page.locator("#comment").fill('=2 cats, "two"\u05d0')
    page.locator("#comment").press("Enter")
    page.keyboard.press("2")
    # The browser keeps them when the page is opened again.
    page.reload()
    page.locator("#place", has_text="Pair 3 of 3; 2 answered").wait_for()
    page.keyboard.press("3")
    page.keyboard.press("3")
    assert "2 answered" in page.locator("#place").inner_text()
    with page.expect_download() as waiting:
        page.keyboard.press("s")
    saved = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(saved)
    assert page.evaluate("typeof hacked") == "undefined"
    assert errors == []
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}
    context.close()
    file, answers = read_review(saved)
    assert file.problems == ()
    assert file.facts["person"] == PERSON
    assert [(row.subject, row.answer, row.comment) for row in answers] == [
        ("a-0|b-0", "same", ""),
        ("a-1|b-1", "different", '=2 cats, "two"\u05d0'),
    ]


@pytest.fixture
def page(tmp_path: Path, rows: list[dict[str, Any]], browser: Any) -> Iterator[Any]:
    path = tmp_path / "my <pairs>.html"
    write_pairs_page(QUESTION, rows, path, "asha")
    context = browser.new_context(viewport={"width": 1200, "height": 800}, accept_downloads=True)
    tab = context.new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(path.as_uri())
    tab.locator("#place").wait_for()
    yield tab
    assert errors == []
    context.close()


def picked(page: Any) -> list[str]:
    pressed = page.locator("button[aria-pressed=true]").all()
    return [button.get_attribute("data-answer") for button in pressed]


def test_pictures_stand_side_by_side_within_the_window(page: Any) -> None:
    page.keyboard.press("ArrowRight")
    for width in (1200, 360):
        page.set_viewport_size({"width": width, "height": 800})
        left, right = (image.bounding_box() for image in page.locator("figure img").all())
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] <= right["x"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#scores").inner_text().split() == ["distance", "4", "text", "0.9123"]


def test_late_answers_are_taken_over_not_written_over(page: Any) -> None:
    late = page.context.new_page()
    late.goto(page.url)
    late.locator("#place").wait_for()
    page.keyboard.press("1")
    page.locator("#comment").fill("why not")
    late.locator("#place", has_text="Pair 1 of 3; 0 answered").wait_for()
    late.keyboard.press("ArrowRight")
    late.keyboard.press("2")
    late.locator("#place", has_text="Pair 3 of 3; 2 answered").wait_for()
    late.keyboard.press("ArrowLeft")
    assert picked(late) == ["different"]
    late.reload()
    late.locator("#place").wait_for()
    late.keyboard.press("ArrowLeft")
    assert picked(late) == ["different"]
    late.keyboard.press("ArrowLeft")
    assert picked(late) == ["same"]
    # A comment on the pair that the other page has answered meanwhile keeps that answer.
    page.locator("#comment").fill("why not?")
    page.locator("#comment").press("Escape")
    page.keyboard.press("ArrowRight")
    page.locator("#place", has_text="Pair 3 of 3; 2 answered").wait_for()
    page.keyboard.press("ArrowLeft")
    assert picked(page) == ["different"]
    assert page.locator("#comment").input_value() == "why not?"


def test_untrusted_text_is_text_in_its_own_direction(page: Any) -> None:
    text, name = (page.locator("figure").first.locator("p").nth(at) for at in (0, 1))
    style = "one => getComputedStyle(one).direction"
    assert (text.evaluate(style), text.text_content()) == ("rtl", "قطة // cat 123")
    # A lone surrogate is no character and is left out.
    assert (name.evaluate(style), name.text_content()) == ("ltr", HOSTILE[:-1])
    assert page.locator("#why").text_content() == HOSTILE[:-1]
    assert page.locator("figure").nth(1).locator(".none").inner_text() == "no picture"


def test_keys_within_a_comment_or_with_control_answer_nothing(page: Any) -> None:
    page.locator("#comment").press_sequentially("12 s n")
    page.locator("#comment").press("Escape")
    page.keyboard.press("Control+1")
    page.keyboard.press("4")
    assert picked(page) == []
    assert page.locator("#place").inner_text().startswith("Pair 1 of 3; 0 answered")
    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")
    assert picked(page) == ["different"]
    page.locator("button[data-answer=different]").click()
    assert picked(page) == []
    assert page.locator("#comment").input_value() == "12 s n"


def test_without_browser_storage_the_page_says_so_and_saves(page: Any, tmp_path: Path) -> None:
    refuse = "Object.defineProperty(window, 'indexedDB', { get() { throw new Error('no') } })"
    page.add_init_script(refuse)
    page.reload()
    page.locator("#place").wait_for()
    page.keyboard.press("1")
    assert "keeps nothing" in page.locator("#kept").inner_text()
    with page.expect_download() as waiting:
        page.keyboard.press("s")
    waiting.value.save_as(tmp_path / "saved.csv")
    assert [row.answer for row in read_review(tmp_path / "saved.csv")[1]] == ["same"]


TEXT = st.text(max_size=40)


def rows_of(count: int, picture: Path | None = None) -> list[dict[str, Any]]:
    return [
        {
            "subject": f"c-{number:03}",
            "text": f"=1+{number} // לא",
            "about": [f"Cat {number}", "test"],
            "picture": picture,
            HINT: "+homophone",
        }
        for number in range(count)
    ]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "small.jpg"
    path.write_bytes(as_jpeg(draw_picture(1, 160, 120)))
    return path


def column(page: openpyxl.worksheet.worksheet.Worksheet, name: str) -> int:
    titles = [cell.value for cell in page[1]]
    return titles.index(name) + 1


def test_a_workbook_has_pictures_a_list_and_no_formula(tmp_path: Path, picture: Path) -> None:
    path = tmp_path / "out.xlsx"
    assert write_review(find_question("wordplay"), rows_of(3, picture), path, "ana") == path
    book = openpyxl.load_workbook(path)
    page = book["Review"]
    assert page.freeze_panes == "A2"
    assert len(page._images) == 3
    (validation,) = page.data_validations.dataValidation
    assert validation.formula1 == '"yes,no,unsure"'
    assert page.cell(2, column(page, "text")).value == "=1+0 // לא"
    assert all(cell.data_type != "f" for line in page.iter_rows() for cell in line)
    assert "only a hint" in page.cell(1, column(page, HINT)).value
    assert not page.cell(2, column(page, ANSWER)).protection.locked
    assert page.cell(2, column(page, "text")).protection.locked


def test_both_sides_of_a_pair_have_their_picture(tmp_path: Path, picture: Path) -> None:
    row = {"subject": "a|b", "picture": picture, "other picture": picture}
    path = tmp_path / "pairs.xlsx"
    write_review(find_question("duplicates"), [row], path, "ana")
    page = openpyxl.load_workbook(path)["Review"]
    assert len(page._images) == 2
    page.cell(2, column(page, ANSWER)).value = "Same"
    page.parent.save(path)
    assert [(row.subject, row.answer) for row in read_review(path)[1]] == [("a|b", "same")]


def test_columns_of_the_other_picture_are_the_sheets_own(tmp_path: Path) -> None:
    row = {"subject": "a|b", "text": "tea", "other text": "more tea", ANSWER: "same"}
    path = write_review(find_question("duplicates"), [row], tmp_path / "pairs.csv", "ana")
    sheet, answers = read_review(path)
    assert [answer.answer for answer in answers] == ["same"]
    assert sheet.note == ""


def filled(tmp_path: Path, answers: dict[int, object], count: int = 4) -> Path:
    """A workbook with answers by row; columns moved, one added, headings in capitals."""
    path = tmp_path / "filled.xlsx"
    write_review(find_question("wordplay"), rows_of(count), path, "ana")
    page = openpyxl.load_workbook(path)["Review"]
    lines = [[cell.value for cell in line] for line in page.iter_rows()]
    where = lines[0].index(ANSWER)
    for row, answer in answers.items():
        lines[row - 1][where] = answer
    book = openpyxl.Workbook()
    for line in lines:
        mixed = ["my own", *reversed(line)]
        book.active.append(mixed)
    for cell in book.active[1]:
        cell.value = str(cell.value).upper()
    book.save(path)
    return path


def test_moved_columns_and_capitals_do_not_matter(tmp_path: Path) -> None:
    file, answers = read_review(filled(tmp_path, {2: "YES", 4: " no "}))
    assert file.facts == {"person": "ana", "question": "wordplay"}
    assert [(row.subject, row.answer, row.row) for row in answers] == [
        ("c-000", "yes", 2),
        ("c-002", "no", 4),
    ]
    assert file.problems == ()


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("=1+1", "formula"),
        ("maybe", "'maybe' is not an answer"),
        ("unsur e", "did you mean 'unsure'"),
        (date(2026, 1, 2), "date or time"),
        (1, "'1' is not an answer"),
    ],
)
def test_a_wrong_answer_is_reported_with_its_place(
    tmp_path: Path, value: object, sentence: str
) -> None:
    path = filled(tmp_path, {3: value, 4: "no"})
    file, answers = read_review(path)
    assert [row.subject for row in answers] == ["c-002"]
    (problem,) = file.problems
    assert sentence in problem.message
    assert (problem.file, problem.row) == (str(path), 3)
    assert "your answer" in str(problem).casefold()


def as_csv(path: Path, lines: list[list[str]], **how: str) -> Path:
    stream = io.StringIO()
    csv.writer(stream, delimiter=how.get("delimiter", ",")).writerows(lines)
    path.write_bytes(stream.getvalue().encode(how.get("encoding", "utf-8")))
    return path


HEAD = ["subject", "Your Answer", "question", "person", "comment"]


def test_what_is_wrong_with_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with pytest.raises(InputError, match="no row with the headings of a sheet"):
        read_review(as_csv(path, [["a", "b"], ["1", "2"]]))
    two = [HEAD, ["a", "yes", "wordplay", "ana"], ["b", "yes", "cartoon", "ana"]]
    with pytest.raises(InputError, match="several questions stand together"):
        read_review(as_csv(path, two))
    two = [HEAD, ["a", "yes", "wordplay", "ana"], ["b", "yes", "wordplay", "bo"]]
    with pytest.raises(InputError, match="several people stand together"):
        read_review(as_csv(path, two))
    with pytest.raises(InputError, match="no question 'weather'"):
        read_review(as_csv(path, [HEAD, ["a", "yes", "weather", "ana"]]))
    with pytest.raises(InputError, match="which question"):
        read_review(as_csv(path, [HEAD, ["a", "yes", "", "ana"]]))
    path.write_bytes(b"PK\x03\x04 and nothing")
    with pytest.raises(InputError, match="broken archive"):
        read_review(path)
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(InputError, match="is no table"):
        read_review(path)


def test_what_is_wrong_with_a_row(tmp_path: Path) -> None:
    lines = [
        HEAD,
        ["", "yes", "wordplay", "ana"],
        ["a|b", "yes", "wordplay", "ana"],
        ["c", "yes", "wordplay", "ana"],
        ["c", "no", "wordplay", "ana"],
        ["c", "yes", "wordplay", "ana"],
        ["d", "no", "wordplay", "ana", "x" * 6000],
        ["e"],
        [],
    ]
    file, answers = read_review(as_csv(tmp_path / "a.csv", lines, delimiter=";"))
    assert [(row.subject, row.answer) for row in answers] == [("c", "yes")]
    assert [problem.row for problem in file.problems] == [2, 3, 5, 7]


def test_what_is_typed_beside_the_answer_is_a_comment_or_named(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_review(find_question("wordplay"), rows_of(3), path, "ana")
    page = openpyxl.load_workbook(path)["Review"]
    page.cell(2, column(page, ANSWER)).value = "no"
    page.cell(2, column(page, "about")).value = "no cat at all"
    page.cell(3, column(page, "comment")).value = "ask Ben"
    page.parent.save(path)
    file, (answer,) = read_review(path)
    assert (answer.answer, answer.comment) == ("no", "about: no cat at all")
    (problem,) = file.problems
    assert (problem.row, "'ask Ben' and no answer" in problem.message) == (3, True)


def test_the_person_may_be_lost(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "a.csv", [HEAD, ["a", "no", "Wordplay", ""]], encoding="utf-16")
    file, (answer,) = read_review(path)
    assert (file.facts["person"], answer.question) == ("", "wordplay")


def test_descriptions_are_free_text(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    row = {"subject": "t-1", ANSWER: "=A cat\nsits", "comment": "-"}
    write_review(find_question("description"), [row], path, "ana")
    (judgement,) = read_review(path)[1]
    assert (judgement.answer, judgement.comment) == ("=A cat\nsits", "-")


def test_a_sheet_is_xlsx_or_csv(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="xlsx or csv"):
        write_review(find_question("wordplay"), [], tmp_path / "a.pdf", "ana")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
@pytest.mark.slow
def test_libreoffice_saves_it_as_ods(tmp_path: Path, picture: Path) -> None:
    path = tmp_path / "out.xlsx"
    rows = [{"subject": "c-1", "text": "=b", "picture": picture, ANSWER: "yes"}]
    write_review(find_question("wordplay"), rows, path, "ana")
    program = ["soffice", "--headless", "--convert-to", "ods", "--outdir", str(tmp_path), str(path)]
    subprocess.run(program, check=True, capture_output=True, timeout=120)
    (judgement,) = read_review(tmp_path / "out.ods")[1]
    assert (judgement.subject, judgement.answer, judgement.person) == ("c-1", "yes", "ana")


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "yes", "no", "unsure"]), TEXT, TEXT), min_size=1, max_size=6
    ),
    st.sampled_from(["xlsx", "csv"]),
    st.permutations(range(8)),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_goes_out_comes_back(
    tmp_path: Path, given_: list[tuple[str, str, str]], kind: str, order: list[int]
) -> None:
    rows = [
        {"subject": f"c-{at:03}", "text": text, HINT: text, ANSWER: answer, "comment": comment}
        for at, (answer, comment, text) in enumerate(given_)
    ]
    path = tmp_path / f"trip.{kind}"
    path.unlink(missing_ok=True)
    write_review(find_question("wordplay"), rows, path, "ana")
    if kind == "csv":
        lines = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
        mixed = [[line[at] for at in order if at < len(line)] + line[8:] for line in lines]
        stream = io.StringIO()
        csv.writer(stream).writerows(mixed)
        path.write_text(stream.getvalue(), "utf-8")
    file, answers = read_review(path)
    typed = [
        (f"c-{at:03}", answer, clean_text(drawable(comment)))
        for at, (answer, comment, _) in enumerate(given_)
    ]
    assert [(row.subject, row.answer, row.comment) for row in answers] == [
        row for row in typed if row[1]
    ]
    assert len(file.problems) == sum(bool(comment) and not answer for _, answer, comment in typed)


@given(TEXT)
def test_a_guarded_cell_is_no_formula(text: str) -> None:
    from memeloc.tables.cells import unguarded

    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(("=", "+", "-", "@", "\t", "\r"))
