"""`memeloc correct`, on a small workspace of pseudo-translated captions."""

from __future__ import annotations

import csv
import json
import zipfile
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
    return Path(done["sheets"][0]["file"])


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
        status, *texts = reply.get(row["meme_id"], ("",))
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
    anna = _export(command, "--langs", "de", "--to", "anna")
    ben = _export(command, "--langs", "de", "--to", "ben")
    same: Said = {"m1": ("corrected", "Montag", "schon wieder"), "m3": ("correct",)}
    _answer(anna, same | {"m2": ("corrected", "Endlich", "Freitag")})
    _answer(ben, same | {"m2": ("corrected", "Na endlich:", "Freitag!")})
    return anna, ben


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


def test_a_source_that_is_translated_in_two_ways(workspace: Path, command: Command) -> None:
    rows = [("m5", "robot-chef", "so tired // now"), ("m6", "robot-chef", "so tired // again")]
    _write([dict(zip(("meme_id", "template", "en"), row, strict=True)) for row in rows],
           Path("more.csv"))  # fmt: skip
    assert command("import", "more.csv").status == 0
    assert command("translate", "--langs", "de", "--with", "pseudo").status == 0
    texts = {"m5": ("corrected", "so müde", "jetzt"), "m6": ("corrected", "hundemüde", "wieder")}
    (came,) = _import(command, _answer(_export(command, "--langs", "de"), texts))
    (warning,) = [each for each in came["warnings"] if each["check"] == "two ways"]
    assert (warning["meme_id"], warning["part"]) == ("m6", 0)
    assert "m5: 'so müde'" in warning["message"]
    checked = _ok(command("correct", "check", "--langs", "de", "--json"))
    assert warning in checked["warnings"]


def test_what_is_refused_or_left_to_settle_is_named(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--langs", "de", "--to", "anna", "--only", "m1,m2,m3")
    _answer(sheet, {key: ("corrected", f"{key} oben", f"{key} unten") for key in MEMES})
    rows = _rows(sheet)
    for row in rows:
        if row["meme_id"] == "m3":  # not on this sheet
            row.update({"key": row["key"].replace("|m3|", "|m4|"), "meme_id": "m4", "source": ""})
    stray = dict(rows[0]) | {"meme_id": "nobody", "source": ""}
    stray["key"] = stray["key"].replace("|m1|", "|nobody|")
    lost = [row for row in rows if not (row["meme_id"] == "m2" and row["part"] == "2")]
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
    sheet = _export(command, "--langs", "de", "--to", "anna")
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
    sheet = _export(command, "--langs", "de", "--to", "anna")
    rows = _rows(sheet)
    rows[0]["comment"] = "Wer ist gemeint?"
    (came,) = _import(command, _write(rows, sheet))
    assert came["outcomes"] == {"noted": 1}
    with memeloc.Workspace.find() as workspace_:
        (correction,) = workspace_.table("corrections").to_dict("records")
    assert (correction["meme_id"], correction["comment"]) == ("m1", "Wer ist gemeint?")
    again = _export(command, "--langs", "de", "--to", "anna", "--out", "again.csv")
    assert {row["meme_id"] for row in _rows(again)} == set(MEMES)


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
    hindi = command("correct", "import", sheet, "--langs", "hi")
    assert hindi.status == 1
    assert "for de, not for hi" in " ".join(hindi.err.split())
    other = tmp_path / "other"
    _make(other)
    monkeypatch.chdir(other)
    foreign = command("correct", "import", workspace / sheet)
    assert foreign.status == 1
    assert "of another workspace" in " ".join(foreign.err.split())


def test_who_answers_again_closes_her_own_case(workspace: Path, command: Command) -> None:
    _import(command, *_two_sheets(command))
    (case,) = _cases(command)
    assert case["reason"] == "disagreement"
    agreed = {"m2": ("corrected", "Endlich", "Freitag")}
    (came,) = _import(command, _answer(Path("de-r1-ben.csv"), agreed))
    assert came["outcomes"] == {"replaced": 1}
    assert _cases(command) == []
    assert command("export", "cases", "--to", "cases.jsonl").status == 0
    assert json.loads(Path("cases.jsonl").read_text(encoding="utf-8"))["open"] is False
    assert "answered again" in command("correct", "settle", case["case"]).out


def test_an_import_is_withdrawn_and_taken_again(workspace: Path, command: Command) -> None:
    before = _captions(command)
    sheet = _export(command, "--langs", "de", "--to", "anna")
    texts = {"m1": ("corrected", "eins", "zwei"), "m2": ("corrected", "a", "b"), "m3": ("other",)}
    _import(command, _answer(sheet, texts))
    second = _export(command, "--langs", "de", "--to", "ben", "--round", 2)
    _import(command, _answer(second, {"m2": ("corrected", "c", "d")}))
    done = _ok(
        command("correct", "import", sheet, "--take-back", "--why", "the wrong file", "--json")
    )
    assert (done["answers"], done["stay"]) == (3, ["m2"])
    assert _captions(command) == before | {"m2": "c // d"}
    assert _cases(command) == []
    again = command("correct", "import", sheet, "--take-back")
    assert (again.status, "was withdrawn" in again.err) == (1, True)
    (came,) = _import(command, sheet)
    assert came["outcomes"] == {"placed": 2, "case": 1}
    assert _captions(command)["m1"] == "eins // zwei"
    assert command("export", "corrections", "--to", "c.jsonl").status == 0
    rows = map(json.loads, Path("c.jsonl").read_text(encoding="utf-8").splitlines())
    assert [row["withdrawn"] for row in rows] == [True] * 3 + [False] * 4
    _answer(sheet, {"m4": ("correct",)})
    with zipfile.ZipFile("sent.zip", "w") as archive:
        archive.write(sheet)
    _import(command, "sent.zip")
    assert _ok(command("correct", "import", "sent.zip", "--take-back", "--json"))["answers"] == 1


def test_the_sheet_is_named_where_its_id_is_lost(workspace: Path, command: Command) -> None:
    first = _export(command, "--langs", "de", "--to", "anna", "--out", "one.csv")
    _export(command, "--langs", "de", "--to", "anna", "--only", "m1,m2", "--out", "two.csv")
    rows = [row | {"key": ""} for row in _rows(_answer(first, {"m1": ("correct",)}))]
    _write(rows, first)
    unclear = command("correct", "import", first)
    assert unclear.status == 1
    assert "--sheet" in " ".join(unclear.err.split())
    sheets = _ok(command("correct", "status", "--json"))["sheets"]
    (sent,) = (row["sheet"] for row in sheets if row["file"] == "one.csv")
    (came,) = _import(command, first, "--sheet", sent)
    assert (came["sheet"], came["outcomes"]) == (sent, {"placed": 1})
