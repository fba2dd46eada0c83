"""`memeloc correct`, on a small workspace of pseudo-translated captions."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import memeloc
from memeloc.workspace import Workspace
from tests.conftest import Outcome

Command = Callable[..., Outcome]
Said = dict[str, tuple[str, ...]]

MEMES = {
    "m1": "Monday // again",
    "m2": "Finally // Friday",
    "m3": "3 meetings // before noon",
    "m4": "=SUM // of all fears",
}
LANGS = "de,hi"


def _make(folder: Path) -> None:
    folder.mkdir()
    table = folder / "english.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", "en"))
        writer.writerows((key, "robot-chef", text) for key, text in MEMES.items())
    languages = LANGS.split(",")
    with Workspace.create(folder, languages=languages) as made:
        made.import_captions(table)
        made.translate(languages, translator="pseudo")


@pytest.fixture
def workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_once: Callable[..., Path]
) -> Path:
    """A workspace with four captions in German and Hindi; the working directory is in it."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    folder = made_once(_make, tmp_path / "memes")
    monkeypatch.chdir(folder)
    return folder


def _ok(outcome: Outcome) -> Any:
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)


def _export(command: Command, *options: object, kind: str = "csv") -> Path:
    done = _ok(command("correct", "export", *options, "--format", kind, "--json"))
    return Path(done["file"])


def _rows(sheet: Path) -> list[dict[str, str]]:
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _write(rows: Sequence[dict[str, str]], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _answer(sheet: Path, reply: Said) -> Path:
    """Fill in a CSV sheet: a status and, for `corrected`, the texts of the parts."""
    rows = _rows(sheet)
    for row in rows:
        status, *texts = reply.get(row["meme"], ("",))
        row["status"] = status
        row["your text"] = texts[int(row["part"]) - 1] if texts else ""
    return _write(rows, sheet)


def _import(command: Command, *arguments: object) -> list[dict[str, Any]]:
    outcome = command("correct", "import", *arguments, "--json")
    files: list[dict[str, Any]] = json.loads(outcome.out)["files"]
    assert outcome.status == any(file["left_out"] for file in files), outcome.err
    return files


def _captions(command: Command, language: str = "de") -> dict[str, str]:
    path = Path("captions-now.csv")
    assert command("export", "captions", "--to", path).status == 0
    return {row["meme_id"]: row[language] for row in _rows(path)}


def _cases(command: Command) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = _ok(command("correct", "settle", "--json"))["cases"]
    return cases


def _two_sheets(command: Command) -> tuple[Path, Path]:
    """Anna's and Ben's answers; they differ on m2 and agree on the rest."""
    anna = _export(command, "--lang", "de", "--to", "anna")
    ben = _export(command, "--lang", "de", "--to", "ben")
    same: Said = {"m1": ("corrected", "Montag", "schon wieder"), "m3": ("correct",)}
    _answer(anna, same | {"m2": ("corrected", "Endlich", "Freitag")})
    _answer(ben, same | {"m2": ("corrected", "Na endlich:", "Freitag!")})
    return anna, ben


def test_an_untouched_sheet_brings_nothing_in_each_format(
    workspace: Path, command: Command
) -> None:
    before = _captions(command)
    for kind in ("xlsx", "xliff", "po", "csv"):
        done = _ok(
            command("correct", "export", "--lang", "de", "--to", kind, "--format", kind, "--json")
        )
        assert done["captions"] == len(MEMES)
        assert done["language"] == "de"
        sheet = Path(done["file"])
        assert sheet.name.startswith(f"de-r1-{kind}.")
        (came,) = _import(command, sheet)
        assert came["answers"] == []
        assert came["problems"] == []
    assert _captions(command) == before
    wrong = command("correct", "export", "--lang", "de", "--format", "docx")
    assert wrong.status == 1
    assert "xlsx, xliff, po, csv" in wrong.err


def test_a_workbook_comes_back(workspace: Path, command: Command) -> None:
    from openpyxl import load_workbook

    sheet = _export(command, "--lang", "de", "--to", "anna", kind="xlsx")
    book = load_workbook(sheet)
    page = book.worksheets[0]
    column = {str(cell.value): cell.column for cell in page[1]}
    texts = {("m2", 1): "Endlich", ("m2", 2): "Freitag"}
    for line in range(2, page.max_row + 1):
        place = (page.cell(line, column["meme"]).value, int(page.cell(line, column["part"]).value))
        page.cell(line, column["your text"]).value = texts.get(place)
    book.save(sheet)
    (came,) = _import(command, sheet)
    assert came["outcomes"] == {"placed": 1}
    assert _captions(command)["m2"] == "Endlich // Freitag"


def test_the_same_answers_twice_change_nothing(workspace: Path, command: Command) -> None:
    sheet, _ = _two_sheets(command)
    (first,) = _import(command, sheet)
    assert first["outcomes"] == {"placed": 3}
    after = _captions(command)
    assert after["m1"] == "Montag // schon wieder"
    (same,) = _import(command, sheet)
    assert same["seen_before"]
    resaved = _write(list(reversed(_rows(sheet))), Path("sorted.csv"))
    (again,) = _import(command, resaved)
    assert not again["seen_before"]
    assert again["outcomes"] == {"unchanged": 3}
    assert _captions(command) == after
    assert "nothing changed" in command("correct", "import", sheet).out


@pytest.mark.parametrize("order", ["anna first", "ben first"])
def test_the_order_of_import_changes_nothing(workspace: Path, command: Command, order: str) -> None:
    sheets = _two_sheets(command)
    _import(command, *(sheets if order == "anna first" else reversed(sheets)))
    (case,) = _cases(command)
    assert (case["meme_id"], case["reason"]) == ("m2", "disagreement")
    texts = {answer["person"]: answer["text"] for answer in case["answers"]}
    assert texts == {"anna": "Endlich // Freitag", "ben": "Na endlich: // Freitag!"}
    ben = next(answer for answer in case["answers"] if answer["person"] == "ben")
    done = _ok(
        command("correct", "settle", case["case"], "--accept", ben["answer"], "--as", "m", "--json")
    )
    assert (done["settled"], done["open"]) == (1, 0)
    captions = _captions(command)
    assert captions["m1"] == "Montag // schon wieder"
    assert captions["m2"] == "Na endlich: // Freitag!"


def test_settled_by_a_third_text_or_by_what_stands(workspace: Path, command: Command) -> None:
    _import(command, *_two_sheets(command))
    (case,) = _cases(command)
    listed = command("correct", "settle")
    assert "m2" in listed.out
    assert "Endlich" in listed.out
    kept = command("correct", "settle", case["case"], "--keep", "--as", "maria")
    assert "1 settled, 0 open" in kept.out
    assert _captions(command)["m2"] == "Endlich // Freitag"
    typed = command("correct", "settle", case["case"], "--text", "Juhu // Freitag")
    assert typed.status == 0, typed.err
    assert _captions(command)["m2"] == "Juhu // Freitag"
    for wrong in (("--accept", 1, "--keep"), ("--prefer", "majority")):
        assert command("correct", "settle", case["case"], *wrong).status == 2
    unknown = command("correct", "settle", 999, "--keep")
    assert unknown.status == 1
    assert "no case 999" in unknown.err
    assert command("correct", "settle", case["case"], "--accept", 999).status == 1


def test_settled_texts_are_checked_as_all_texts_are(workspace: Path, command: Command) -> None:
    _import(command, *_two_sheets(command))
    (case,) = _cases(command)
    typed = command("correct", "settle", case["case"], "--text", "Montag  (1 // Freitag")
    assert "two spaces in a row" in typed.out
    assert "( and ) do not pair up" in typed.out
    rows = [{"case": str(case["case"]), "take": "", "text": "Freitag"}]
    listed = _write(rows, Path("cases.csv"))
    (warning,) = _ok(command("correct", "settle", "--from", listed, "--json"))["warnings"]
    assert (warning["meme_id"], warning["part"], warning["check"]) == ("m2", 1, "part")


def test_settled_in_a_table(workspace: Path, command: Command) -> None:
    sheets = _two_sheets(command)
    _answer(sheets[1], {"m2": ("corrected", "+ 1", "Freitag"), "m4": ("wordplay",)})
    _import(command, *sheets)
    assert command("correct", "settle", "--to", "cases.csv").status == 0
    rows = _rows(Path("cases.csv"))
    assert {row["meme"] for row in rows} == {"m2", "m4"}
    for row in rows:
        take = {"m2": "", "m4": "keep"}
        row["take"] = take[row["meme"]]
        row["text"] = "Endlich // Freitag!" if row["meme"] == "m2" else ""
    _write(rows, Path("cases.csv"))
    for _ in range(2):
        done = _ok(command("correct", "settle", "--from", "cases.csv", "--as", "m", "--json"))
        assert done["open"] == 0
    captions = _captions(command)
    assert captions["m2"] == "Endlich // Freitag!"
    rows[0]["take"], rows[0]["text"] = "perhaps", ""
    wrong = command("correct", "settle", "--from", _write(rows, Path("cases.csv")))
    assert wrong.status == 1
    assert "cases.csv" in wrong.err
    assert "'perhaps' is neither an answer's number nor keep" in " ".join(wrong.err.split())


def test_the_second_round_sees_the_first_ones_result(workspace: Path, command: Command) -> None:
    _import(command, _two_sheets(command)[0])
    second = _export(command, "--lang", "de", "--round", "2", "--to", "carl", "--only", "m1")
    assert [row["to be corrected"] for row in _rows(second)] == ["Montag", "schon wieder"]
    _import(command, _answer(second, {"m1": ("corrected", "Montag", "mal wieder")}))
    assert _captions(command)["m1"] == "Montag // mal wieder"


def test_status_says_what_is_out_and_what_came_back(workspace: Path, command: Command) -> None:
    _import(command, *_two_sheets(command))
    reply = _ok(command("correct", "status", "--json"))
    assert reply["to_settle"] == 1
    rows = {row["person"]: row for row in reply["sheets"]}
    assert (rows["anna"]["sent"], rows["anna"]["answered"]) == (4, 3)
    assert rows["anna"]["corrected"] == 2
    shown = command("correct", "status")
    assert "anna" in shown.out
    assert "1 to settle" in shown.out


def test_warnings_are_shown_and_the_text_stays_as_typed(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--lang", "hi", "--to", "asha")
    typed: Said = {
        "m1": ("corrected", "Monday", "again"),
        "m3": ("corrected", "5 बैठकें", "दोपहर  से पहले"),
    }
    (came,) = _import(command, _answer(sheet, typed))
    assert came["outcomes"] == {"placed": 2}
    warned = {warning["meme_id"] for warning in came["warnings"]}
    assert warned == {"m1", "m3"}
    captions = _captions(command, "hi")
    assert captions["m1"] == "Monday // again"
    assert captions["m3"] == "5 बैठकें // दोपहर  से पहले"
    checked = _ok(command("correct", "check", "--langs", "hi", "--json"))
    assert checked["captions"] == 4
    assert {("m1", "hi"), ("m3", "hi")} <= {
        (warning["meme_id"], warning["language"]) for warning in checked["warnings"]
    }
    assert "4 captions looked at" in command("correct", "check", "--langs", "hi").out
    assert _captions(command, "hi") == captions


def test_a_source_that_is_translated_in_two_ways(workspace: Path, command: Command) -> None:
    rows = [("m5", "robot-chef", "so tired // now"), ("m6", "robot-chef", "so tired // again")]
    _write([dict(zip(("meme_id", "template", "en"), row, strict=True)) for row in rows],
           Path("more.csv"))  # fmt: skip
    assert command("import", "more.csv").status == 0
    assert command("translate", "--langs", "de", "--with", "pseudo").status == 0
    texts = {"m5": ("corrected", "so müde", "jetzt"), "m6": ("corrected", "hundemüde", "wieder")}
    (came,) = _import(command, _answer(_export(command, "--lang", "de"), texts))
    (warning,) = [each for each in came["warnings"] if each["check"] == "two ways"]
    assert (warning["meme_id"], warning["part"]) == ("m6", 0)
    assert "m5: 'so müde'" in warning["message"]
    checked = _ok(command("correct", "check", "--langs", "de", "--json"))
    assert warning in checked["warnings"]


def test_the_report_goes_from_the_machine_to_the_last_round(
    workspace: Path, command: Command
) -> None:
    first = _export(command, "--lang", "de", "--to", "anna")
    machine = _captions(command, "de")
    top, _, bottom = machine["m1"].partition(" // ")
    texts = {"m1": ("corrected", f"{top} bald", bottom), "m2": ("correct",)}
    _import(command, _answer(first, texts))
    second = _export(command, "--lang", "de", "--round", "2", "--to", "ravi")
    _import(command, _answer(second, {"m1": ("corrected", top, bottom), "m2": ("correct",)}))
    (overall,) = _ok(command("correct", "report", "--json"))["overall"]
    assert (overall["language"], overall["captions"], overall["changed"]) == ("de", 2, 0)
    assert (overall["hter"], overall["chrf"]) == (0.0, 100.0)
    assert "de\t2\t0\t0\t100" in command("correct", "report").out


def test_text_is_text_whatever_it_begins_with(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--lang", "de", "--to", "anna")
    assert {row["source"] for row in _rows(sheet) if row["meme"] == "m4"} == {
        "'=SUM",
        "of all fears",
    }
    _import(command, _answer(sheet, {"m4": ("corrected", "'=SUMME", "aller Ängste")}))
    history = json.loads(command("correct", "compare", "--langs", "de", "--json").out)
    assert "=SUMME" in json.dumps(history, ensure_ascii=False)
    assert "'=SUMME" not in json.dumps(history, ensure_ascii=False)


def test_a_dry_run_stores_nothing(workspace: Path, command: Command) -> None:
    sheet, _ = _two_sheets(command)
    before = _captions(command)
    reply = command("correct", "import", sheet, "--dry-run")
    assert "3 placed (nothing stored)" in reply.out
    assert _captions(command) == before
    assert not _ok(command("correct", "import", sheet, "--dry-run", "--json"))["stored"]
    (came,) = _import(command, sheet)
    assert came["outcomes"] == {"placed": 3}


def test_what_is_refused_or_left_to_settle_is_named(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--lang", "de", "--to", "anna", "--only", "m1,m2,m3")
    _answer(sheet, {key: ("corrected", f"{key} oben", f"{key} unten") for key in MEMES})
    rows = _rows(sheet)
    for row in rows:
        if row["meme"] == "m3":  # not on this sheet
            row.update({"key": row["key"].replace("|m3|", "|m4|"), "meme": "m4", "source": ""})
    stray = dict(rows[0]) | {"meme": "nobody", "source": ""}
    stray["key"] = stray["key"].replace("|m1|", "|nobody|")
    lost = [row for row in rows if not (row["meme"] == "m2" and row["part"] == "2")]
    english = Path("english.csv")
    english.write_text(english.read_text(encoding="utf-8").replace("Monday", "Tuesday"), "utf-8")
    assert command("import", english).status == 0
    before = _captions(command)
    (came,) = _import(command, _write([*lost, stray], sheet))
    reasons = {answer["reason"] for answer in came["answers"] if answer["outcome"] == "stray"}
    assert reasons == {"unknown id", "not on the sheet"}
    assert (came["outcomes"], came["left_out"]) == ({"stray": 3, "case": 2}, 0)
    assert Counter((case["meme_id"], case["reason"]) for case in _cases(command)) == {
        ("m1", "source changed"): 1,
        ("m2", "part lost"): 1,
        ("m2", "not on the sheet"): 2,
        ("m2", "unknown id"): 1,
    }
    assert _captions(command) == before


def test_what_contradicts_itself_waits_to_be_settled(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--lang", "de", "--to", "anna")
    _answer(sheet, {"m1": ("no idea", "Montag", "wieder"), "m2": ("corrected", "a // b // c", "")})
    (came,) = _import(command, sheet)
    assert (came["left_out"], came["outcomes"]) == (0, {"case": 2})
    cases = {case["meme_id"]: case for case in _cases(command)}
    assert {case["reason"] for case in cases.values()} == {"not understood"}
    assert cases["m1"]["answers"][0]["text"] == "Montag // wieder"
    assert cases["m2"]["answers"][0]["text"].startswith("a // b // c")
    number, answer = cases["m1"]["case"], cases["m1"]["answers"][0]["answer"]
    _ok(command("correct", "settle", number, "--accept", answer, "--json"))
    assert _captions(command)["m1"] == "Montag // wieder"


def test_a_comment_alone_is_kept_and_asked_again(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--lang", "de", "--to", "anna")
    rows = _rows(sheet)
    rows[0]["comment"] = "Wer ist gemeint?"
    (came,) = _import(command, _write(rows, sheet))
    assert came["outcomes"] == {"noted": 1}
    with memeloc.Workspace.find() as workspace_:
        (correction,) = workspace_.table("corrections").to_dict("records")
    assert (correction["meme_id"], correction["comment"]) == ("m1", "Wer ist gemeint?")
    again = _export(command, "--lang", "de", "--to", "anna", "--out", "again.csv")
    assert {row["meme"] for row in _rows(again)} == set(MEMES)


def test_foreign_files_are_refused_and_the_rest_is_taken(
    workspace: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet, _ = _two_sheets(command)
    picture = workspace / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    table = workspace / "table.csv"
    table.write_text("a,b\n1,2\n", encoding="utf-8")
    done = command("correct", "import", picture, table, "missing.xlsx", sheet, "--json")
    assert done.status == 1
    files = json.loads(done.out)["files"]
    assert ["error" in entry for entry in files] == [True, True, True, False]
    assert files[3]["outcomes"] == {"placed": 3}
    assert "Traceback" not in done.err
    hindi = command("correct", "import", sheet, "--lang", "hi")
    assert hindi.status == 1
    assert "for de, not for hi" in " ".join(hindi.err.split())
    other = tmp_path / "other"
    _make(other)
    monkeypatch.chdir(other)
    foreign = command("correct", "import", workspace / sheet)
    assert foreign.status == 1
    assert "of another workspace" in " ".join(foreign.err.split())


def test_nothing_to_correct_is_reported(workspace: Path, command: Command) -> None:
    done = command("correct", "export", "--lang", "de", "--to", "anna", "--only", "open")
    assert done.status == 0
    assert "nothing to correct in German" in done.out
    unknown = command("correct", "export", "--lang", "qqq", "--to", "anna")
    assert unknown.status == 1
    assert "qqq" in unknown.err


@pytest.mark.parametrize(
    "name", ["export", "import", "status", "check", "compare", "settle", "report"]
)
def test_help_has_an_example(command: Command, name: str) -> None:
    shown = command("correct", name, "--help")
    assert shown.status == 0
    assert f"memeloc correct {name}" in shown.out.split("Example:")[1]


@pytest.mark.parametrize("only", ["m1,m9", "newest"])
def test_a_meme_that_is_not_there_is_named(workspace: Path, command: Command, only: str) -> None:
    outcome = command("correct", "export", "--lang", "de", "--to", "anna", "--only", only)
    assert outcome.status == 1
    assert f"no meme '{only.split(',')[-1]}'" in outcome.err
    assert not list(workspace.glob("de-r1-anna*"))
