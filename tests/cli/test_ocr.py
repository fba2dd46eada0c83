"""`memeloc ocr`, and transcripts through the correction round trip, on a real workspace."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polib
import pytest
from lxml import etree
from openpyxl import load_workbook
from PIL import Image

from memeloc.cli import run
from memeloc.items import FoundPicture, Origin, item_id
from memeloc.ocr.error_rate import error_rate
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.ocr.pictures import meme, needs

Command = Callable[..., Outcome]

DRAWN = {
    "monday": ("en", "cloud-monday", "Monday forecast // the same but wet"),
    "bus": ("", "robot-chef", "my bus // left early"),
    "zug": ("de", "summit-snail", "Der Zug // kommt heute nicht"),
    "rain": ("ar", "night-owl", "طقس يوم الاثنين // أنا مرة أخرى"),
}


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _found(key: str, picture: bytes, language: str) -> FoundPicture:
    return FoundPicture(Origin("test", key), picture, name=key, language=language)


def _id(key: str) -> str:
    return item_id("test", "picture", key, key)


@pytest.fixture(scope="module")
def pictures() -> dict[str, bytes]:
    made = {
        key: _png(meme(template, text, language or "en"))
        for key, (language, template, text) in DRAWN.items()
    }
    return made | {"sky": _png(Image.new("RGB", (400, 300), "#77aaee"))}


@pytest.fixture(scope="module")
def collected(pictures: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with pictures of which none was read."""
    needs("ara")
    folder = tmp_path_factory.mktemp("collected") / "memes"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        assert run(["init", str(folder), "--langs", "de,ar"]) == 0
        with Workspace.open(folder) as workspace:
            workspace.store.items.add(
                [_found(key, pictures[key], language) for key, (language, *_) in DRAWN.items()]
            )
            workspace.store.items.add(
                [_found("sky", pictures["sky"], ""), _found("bus2", pictures["bus"], "")]
            )
    return folder


@pytest.fixture(scope="module")
def after_reading(collected: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same workspace, its pictures read, once for all tests that begin there."""
    folder = tmp_path_factory.mktemp("read") / "memes"
    shutil.copytree(collected, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        patch.chdir(folder)
        assert run(["ocr", "--json"]) == 0
    return folder


@pytest.fixture
def workspace(collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return _copied(collected, tmp_path, monkeypatch)


@pytest.fixture
def read_workspace(after_reading: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return _copied(after_reading, tmp_path, monkeypatch)


def _copied(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    shutil.copytree(folder, tmp_path / "memes")
    monkeypatch.chdir(tmp_path / "memes")
    return tmp_path / "memes"


def _ok(outcome: Outcome) -> Any:
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)


def _transcripts() -> dict[str, tuple[str, ...]]:
    with Workspace.find() as workspace:
        return {item: version.parts for item, version in workspace.store.transcripts.all().items()}


def test_reads_what_was_collected_each_in_its_language(workspace: Path, command: Command) -> None:
    done = _ok(command("ocr", "--jobs", 2, "--json"))
    assert (done["pictures"], done["changed"]) == (6, 6)
    assert done["no_text"] == 1
    assert done["not_read"] == []
    assert sum(done["readers"].values()) == 6
    read = _transcripts()
    assert len(read) == 6
    for key, (_, _, text) in DRAWN.items():
        rate = error_rate(text.replace(" // ", "\n"), "\n".join(read[_id(key)]))
        assert rate is not None
        assert rate <= 0.15, (key, read[_id(key)])
        assert len(read[_id(key)]) == 2
    assert read[_id("bus2")] == read[_id("bus")]
    assert not any(read[_id("sky")])
    with Workspace.find() as workspace:
        result = workspace.store.transcripts.all()
        assert "no text extracted" in result[_id("sky")].marks
        assert result[_id("rain")].translator.startswith("tesseract ")
        assert result[_id("zug")].translator.startswith("rapidocr ")


def test_a_second_run_reads_nothing_and_all_changes_nothing(
    read_workspace: Path, command: Command
) -> None:
    assert _ok(command("ocr", "--json"))["pictures"] == 0
    again = _ok(command("ocr", "--only", "all", "--json"))
    assert (again["pictures"], again["remembered"], again["changed"]) == (6, 6, 0)


@pytest.mark.slow
def test_langs_leaves_pictures_in_other_languages(workspace: Path, command: Command) -> None:
    done = _ok(command("ocr", "--langs", "de", "--json"))
    assert done["pictures"] == 4  # the German one, and three whose source states no language
    assert set(_transcripts()) == {_id(key) for key in ("zug", "bus", "bus2", "sky")}


@pytest.mark.slow
def test_an_unreadable_language_is_reported_and_the_rest_read(
    workspace: Path, command: Command, pictures: dict[str, bytes]
) -> None:
    with Workspace.find() as workspace:
        workspace.store.items.add([_found("odd", pictures["bus"], "tlh")])
    outcome = command("ocr", "--json")
    assert outcome.status == 1
    done = json.loads(outcome.out)
    assert done["pictures"] == 6
    (left,) = done["not_read"]
    assert "tlh" in left["what"]


@pytest.mark.slow
def test_a_killed_run_ends_as_an_undisturbed_one(
    workspace: Path, command: Command, pictures: dict[str, bytes]
) -> None:
    with Workspace.find() as workspace:
        workspace.store.items.add(
            [
                _found(
                    f"more-{number}",
                    _png(meme("robot-chef", f"cake {number} // is late", "en")),
                    "en",
                )
                for number in range(20)
            ]
        )
    running = subprocess.Popen(
        [sys.executable, "-m", "memeloc", "ocr", "--jobs", "1"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    begin = time.monotonic()
    while not _transcripts() and running.poll() is None and time.monotonic() < begin + 60:
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = _transcripts()
    assert 0 < len(before) < 26
    _ok(command("ocr", "--json"))
    after = _transcripts()
    assert len(after) == 26
    assert before.items() <= after.items()
    assert _ok(command("ocr", "--only", "all", "--json"))["changed"] == 0


def test_reads_files_without_a_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command, pictures: dict[str, bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("zug.png").write_bytes(pictures["zug"])
    Path("page.png").write_text("<html>not a picture</html>")
    outcome = command("ocr", "zug.png", "--langs", "de", "--jobs", 1)
    assert outcome.status == 0
    assert outcome.out.splitlines() == ["DER ZUG", "KOMMT HEUTE NICHT"]
    both = command("ocr", "zug.png", "page.png", "--langs", "de", "--json")
    assert both.status == 1
    first, second = json.loads(both.out)["pictures"]
    assert first["parts"] == ["DER ZUG", "KOMMT HEUTE NICHT"]
    assert first["marks"] == []
    assert "is not a picture" in second["failure"]
    assert "page.png" in both.err


def test_a_reader_that_is_not_there_is_refused(workspace: Path, command: Command) -> None:
    outcome = command("ocr", "--reader", "eyes", "--json")
    assert outcome.status == 1
    assert "There are rapidocr, tesseract" in outcome.out
    assert command("ocr", "--only", "some").status == 2


# The round trip of transcripts.


def _export(command: Command, form: str, *options: object) -> Path:
    done = _ok(
        command(
            "correct", "export", "--kind", "transcript", "--lang", "en", "--format", form,
            *options, "--json",
        )
    )  # fmt: skip
    assert done["transcripts"] == 4
    return Path(done["file"])


def _fill_csv(path: Path, answer: dict[str, tuple[str, str, str]]) -> None:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        status, *texts = answer[row["meme"].removeprefix("text:")]
        row["status"] = status
        row["your text"] = texts[int(row["part"]) - 1]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _fill_xlsx(path: Path, answer: dict[str, tuple[str, str, str]]) -> None:
    book = load_workbook(path)
    page = book["Captions"]
    names = {cell.value: cell.column for cell in page[1]}
    assert page.column_dimensions[page.cell(1, names["source"]).column_letter].hidden
    assert len(page._images) == 4  # the very pictures
    for line in range(2, page.max_row + 1):
        meme_id = str(page.cell(line, names["meme"]).value).removeprefix("text:")
        status, *texts = answer[meme_id]
        page.cell(line, names["status"]).value = status or None
        text = texts[int(page.cell(line, names["part"]).value) - 1]
        page.cell(line, names["your text"]).value = text or None
    lists = page.data_validations.dataValidation
    assert "No text in the picture" in lists[0].formula1
    assert "wordplay" not in lists[0].formula1
    book.save(path)


def _fill_po(path: Path, answer: dict[str, tuple[str, str, str]]) -> None:
    catalogue = polib.pofile(str(path))
    for entry in catalogue:
        _, meme_id, part, *_ = entry.msgctxt.split("|")
        status, *texts = answer[meme_id.removeprefix("text:")]
        text = texts[int(part) - 1]
        if text:
            entry.msgstr = text
        if status:
            entry.tcomment = f"status: {status}"
        entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]
    catalogue.save(str(path))


def _fill_xliff(path: Path, answer: dict[str, tuple[str, str, str]]) -> None:
    tree = etree.parse(str(path))
    space = "{urn:oasis:names:tc:xliff:document:1.2}"
    for unit in tree.iter(f"{space}trans-unit"):
        _, meme_id, part, *_ = unit.get("id").split("|")
        status, *texts = answer[meme_id.removeprefix("text:")]
        target = unit.find(f"{space}target")
        text = texts[int(part) - 1]
        if text:
            target.text = text
        target.set("state", "translated")
        if status:
            note = etree.SubElement(unit, f"{space}note")
            note.text = f"status: {status}"
    tree.write(str(path), encoding="utf-8", xml_declaration=True)


FILL = {"csv": _fill_csv, "xlsx": _fill_xlsx, "po": _fill_po, "xliff": _fill_xliff}


@pytest.mark.parametrize(
    "form",
    ["xlsx", *(pytest.param(form, marks=pytest.mark.slow) for form in FILL if form != "xlsx")],
)
def test_transcripts_go_out_come_back_and_are_settled(
    read_workspace: Path, command: Command, form: str
) -> None:
    read = _transcripts()
    answer = {
        _id("monday"): ("corrected", "Monday forecast:", "the same, but wet"),
        _id("bus"): ("correct", "", ""),
        _id("bus2"): ("corrected", "my bus left", "-"),
        _id("sky"): ("no text in the picture", "", ""),
    }
    anna = _export(command, form, "--to", "anna")
    FILL[form](anna, answer)
    (done,) = _ok(command("correct", "import", anna, "--json"))["files"]
    assert done["problems"] == []
    assert done["outcomes"] == {"placed": 3, "case": 1}
    now = _transcripts()
    assert now[_id("monday")] == ("Monday forecast:", "the same, but wet")
    assert now[_id("bus")] == read[_id("bus")]
    assert now[_id("bus2")] == ("my bus left", "")
    assert now[_id("rain")] == read[_id("rain")]

    # The same file again is known; reading again passes over nothing that a person wrote.
    (again,) = _ok(command("correct", "import", anna, "--json"))["files"]
    assert again["seen_before"]
    assert _ok(command("ocr", "--only", "all", "--json"))["changed"] == 0
    assert _transcripts() == now

    # Ben, of the same round, differs on one.
    ben = _export(command, form, "--to", "ben")
    FILL[form](ben, answer | {_id("monday"): ("corrected", "Monday's forecast:", "the same")})
    (done,) = _ok(command("correct", "import", ben, "--json"))["files"]
    assert done["outcomes"]["case"] == 2
    cases = _ok(command("correct", "settle", "--json"))["cases"]
    by_reason = {case["reason"]: case for case in cases}
    assert set(by_reason) == {"given up", "disagreement"}
    differ = by_reason["disagreement"]["case"]
    text = "Monday forecast: // the same, but wetter"
    assert command("correct", "settle", differ, "--text", text).status == 0
    assert _transcripts()[_id("monday")] == ("Monday forecast:", "the same, but wetter")
    with Workspace.find() as workspace:
        (item,) = workspace.store.items.find("picture", ids=[_id("monday")])
        assert item.parts == ("Monday forecast:", "the same, but wetter")

    report = _ok(command("correct", "report", "--kind", "transcript", "--json"))
    assert {row["person"] for row in report["rows"]} == {"anna", "ben"}
    assert _ok(command("correct", "report", "--json"))["rows"] == []
    sheets = _ok(command("correct", "status", "--json"))["sheets"]
    assert {sheet["kind"] for sheet in sheets} == {"transcript"}


def test_confirming_an_empty_transcript_means_no_text(
    read_workspace: Path, command: Command
) -> None:
    sheet = _export(command, "csv", "--to", "anna")
    nothing = ("", "", "")
    answer = {_id(key): nothing for key in ("monday", "bus", "bus2")} | {
        _id("sky"): ("correct", "", "")
    }
    _fill_csv(sheet, answer)
    (done,) = _ok(command("correct", "import", sheet, "--json"))["files"]
    assert done["outcomes"] == {"case": 1}
    assert "no-text" in done["answers"][0]["message"]


def test_text_that_was_passed_over_is_typed_into_the_empty_part(
    read_workspace: Path, command: Command
) -> None:
    sheet = _export(command, "csv", "--to", "anna")
    nothing = ("", "", "")
    answer = {_id(key): nothing for key in ("monday", "bus", "bus2")}
    _fill_csv(sheet, answer | {_id("sky"): ("corrected", "blue", "")})
    (done,) = _ok(command("correct", "import", sheet, "--json"))["files"]
    assert done["outcomes"] == {"placed": 1}
    assert _transcripts()[_id("sky")] == ("blue",)


def test_captions_and_transcripts_keep_apart(read_workspace: Path, command: Command) -> None:
    done = _ok(command("correct", "export", "--lang", "en", "--format", "csv", "--json"))
    assert done["captions"] == 0
    assert command("correct", "export", "--lang", "en", "--kind", "song").status == 2
