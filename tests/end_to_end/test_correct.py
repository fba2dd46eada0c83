"""People correct captions, transcripts and texts of surveys; what they differ on is settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import polib
import pytest
from lxml import etree
from PIL import Image

from examples.edit_sheet import fill_csv, fill_xlsx
from memeloc import Workspace
from tests.end_to_end.study import Study, fill_in
from tests.worlds import correct, read_rows, write_table

XLIFF = "{urn:oasis:names:tc:xliff:document:1.2}"
TABLES = ("memes", "corrections", "cases", "drops", "memory", "sheets", "failures", "files")


def test_two_people_correct_and_differ(study: Study, world: Callable[..., Path]) -> None:
    world("translated", study.folder)
    for person, kind in (("anna", "csv"), ("ben", "csv")):
        to = ("--to", person, "--format", kind, "--no-pictures")
        study.run("correct", "export", "--langs", "de", *to, "--json")
    study.file("de-r1-anna.csv")
    correct(study.folder / "de-r1-anna.csv", {"night-owl-01": "Acht Stunden, // seit Donnerstag"})
    correct(study.folder / "de-r1-ben.csv", {"night-owl-01": "8 Stunden // seit Donnerstag"})
    study.run("correct", "import", "de-r1-anna.csv", "de-r1-ben.csv", "--json")
    (case,) = study.run("correct", "settle", "--json")["cases"]
    accepted = ("--accept", case["answers"][0]["answer"], "--as", "maria", "--comment", "shorter")
    study.run("correct", "settle", case["case"], *accepted)
    study.run("export", "history", "--to", "history.csv")
    study.file("history.csv")
    study.check()


def test_sheets_of_every_format_come_back(study: Study, world: Callable[..., Path]) -> None:
    world("translated", study.folder)
    memes = "cloud-monday-01,cloud-monday-02,cloud-monday-03,cloud-monday-04,night-owl-01"
    for kind in ("xlsx", "csv", "xliff", "po"):
        study.run(*_export("de", kind, kind), "--only", memes)
    study.run(*_export("de", "csv", "dora"), "--only", "no-such", status=1)
    study.run(*_export("de", "docx", "dora"), status=1)
    study.run(*_export("dee", "csv", "dora"), status=1)
    study.run(*_export("de", "csv", "dora,emil"), "--only", "unclaimed", "--share")
    study.file("de-r1-xlsx.xlsx")
    study.run("correct", "import", "de-r1-xlsx.xlsx", "de-r1-po.po")

    answers = {
        "cloud-monday-01": ("Wetter am Montag: // ich", "gern kürzer"),
        "cloud-monday-02": ("wordplay", "der Reim fehlt"),
        "cloud-monday-03": ("Die ganze Woche: frei // Am Grillabend: Überstunden", ""),
        "night-owl-01": ("skip", ""),
    }
    book, table = Path("de-r1-xlsx.xlsx"), Path("de-r1-csv.csv")
    fill_xlsx(book, Path("anna.xlsx"), answers, "correct", False)
    fill_csv(table, Path("ben.csv"), answers, "correct", True)
    study.file("ben.csv")
    _fill_in_tools(study.folder, answers)
    study.run("correct", "import", "anna.xlsx", "--dry-run", "--json")
    for file in ("ben.csv", "de-r1-xliff.xlf", "anna.xlsx", "de-r1-po.po"):
        study.run("correct", "import", file)
    study.run("correct", "import", "ben.csv")

    rows = read_rows(table)[::-1]
    rows[0] |= {"status": "corect", "your text": "Wetter // und // mehr"}
    rows[1] |= {"key": "", "meme_id": "", "source": "", "to be corrected": "", "your text": "?"}
    rows[2] |= {"status": "corrected", "your text": rows[2]["source"]}
    del rows[3]
    write_table(Path("damaged.csv"), rows)
    study.run("correct", "import", "damaged.csv", "--person", "carl", status=1)
    study.run("correct", "import", "damaged.csv", "--report")
    study.file("damaged-import.csv")
    (study.folder / "wrong.csv").write_text("a,b\n1,2\n")
    study.run("correct", "import", "wrong.csv", status=1)
    study.run("correct", "import", "no-such.xlsx", status=1)
    study.run("correct", "settle")
    study.run("correct", "status", "--json")
    study.run("correct", "status")
    study.check()


def test_a_second_round_is_settled_and_reported(study: Study, world: Callable[..., Path]) -> None:
    world("translated", study.folder)
    (study.folder / "terms.csv").write_text("term,hi,note\nonion,प्याज*,a vegetable\n")
    settings = (study.folder / "memeloc.toml").read_text("utf-8")
    settings = settings.replace('glossary = ""', 'glossary = "terms.csv"')
    (study.folder / "memeloc.toml").write_text(settings.replace("people = 1", "people = 2"))
    typed = {
        "asha": {
            "cloud-monday-01": ("सोमवार: // मैं", "छोटा"),
            "cloud-monday-02": ("wordplay", "no such pun"),
            "night-owl-02": ("रात 3:07 // लिफ्ट", ""),
            "busy-market-01": ("एक आलू // दो तरबूज", ""),
        },
        "ravi": {
            "cloud-monday-01": ("सोमवार: // मैं", ""),
            "cloud-monday-02": ("culture", ""),
            "night-owl-02": ("3 बजे // लिफ्ट!", ""),
            "busy-market-03": ("harmful", "please not again"),
        },
        "tara": {"night-owl-02": ("3 बजे // लिफ्ट!", ""), "busy-market-02": ("other", "")},
    }
    memes = ("--only", ",".join({meme: 0 for answers in typed.values() for meme in answers}))
    for person, answers in typed.items():
        study.run(*_export("hi", "csv", person), *memes)
        fill_csv(Path(f"hi-r1-{person}.csv"), Path(f"{person}.csv"), answers, "correct", False)
        study.run("correct", "import", f"{person}.csv")
    study.run("correct", "settle", 1)
    study.run("correct", "settle", "--prefer", "majority", "--as", "maria", "--json")
    study.run("correct", "settle", 99, "--keep", status=1)
    study.run("correct", "settle", 1, "--accept", 1, "--keep", status=2)
    study.run("correct", "settle", "--to", "cases.csv")
    study.file("cases.csv")
    rows = read_rows(study.folder / "cases.csv")
    for decisions, status in ((("what?", "keep", "keep"), 1), (("drop all", "keep", "keep"), 0)):
        for row, decision in zip(rows, decisions, strict=True):
            row |= {"take": decision, "comment": "read to the team"}
        write_table(study.folder / "cases.csv", rows)
        settled = ("--from", "cases.csv", "--as", "maria")
        study.run("correct", "settle", *settled, status=status)
    study.run("correct", "settle", "--json")

    study.run(*_export("hi", "csv", "asha"), "--round", 2, status=1)
    study.run(*_export("hi", "csv", "dev"), "--round", 2, "--json")
    study.file("hi-r2-dev.csv")
    answers = {"busy-market-01": ("एक प्याज // दो तरबूज", "the glossary has it")}
    fill_csv(Path("hi-r2-dev.csv"), Path("dev.csv"), answers, "correct", False)
    study.run("correct", "import", "dev.csv", "--json")
    study.run("correct", "check", "--langs", "hi")
    study.run("correct", "report", "--each", "--langs", "hi")
    study.run("correct", "report", "--langs", "hi", "--to", "report.html")
    study.run("status")
    study.check()


def test_corrections_are_reported_and_exported(study: Study, world: Callable[..., Path]) -> None:
    world("corrected", study.folder)
    study.run("drop", "night-owl-02", status=2)
    study.run("drop", "night-owl-02", "busy-market-03", "--why", "a pun", "--as", "maria")
    study.run("drop", "busy-market-02", "--langs", "de", "--why", "no", "--as", "maria", "--json")
    study.run("drop", "night-owl-02", "--take-back", "--as", "maria")
    study.run("drop")
    study.run("correct", "check", "--json")
    study.run("correct", "report", "--each", "--langs", "de", "--changed", "--json")
    study.run("correct", "report", "--to", "report.html", "--json")
    study.run("translate", "--langs", "hi", "--with", "memory", "--again", "pseudo", "--dry-run")
    for name in TABLES:
        study.run("export", name, "--to", f"{name}.csv")
        study.file(f"{name}.csv")
    study.run("export", "memez", "--to", "x.csv", status=1)
    study.run("export", "memes", "--to", "x.ods", status=1)
    study.run("export", "captions", "--captions", "accepted", "--to", "accepted.csv", "--json")
    study.run("export", "captions", "--captions", "corrected", "--to", "corrected.csv")
    study.file("corrected.csv")
    study.run("status")
    study.check()


def test_transcripts_and_survey_texts_are_corrected(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.run("init", "set", "--langs", "de,lo")
    monkeypatch.chdir(study.folder / "set")
    Path("pictures").mkdir()
    for name, colour in (("rain", "navy"), ("tea", "olive"), ("sky", "teal")):
        Image.new("RGB", (200, 120), colour).save(f"pictures/{name}.png")
    rows = [("rain", "Rain // again"), ("tea", "Tea first"), ("sky", "")]
    write_table(
        Path("pictures/all.csv"), [{"image": f"{name}.png", "text": text} for name, text in rows]
    )
    study.run("collect", "table", "pictures", "--language", "en")
    study.run("ocr", "--reader", "source", "--json")
    study.run("ocr", "--reader", "source")
    to = ("--to", "anna", "--format", "csv", "--no-pictures")
    study.run("correct", "export", "--langs", "en", "--kind", "transcript", *to)
    study.file("set/en-transcripts-r1-anna.csv")
    sheet = Path("en-transcripts-r1-anna.csv")
    typed = [
        {"part": "1", "source": row["source"], "your text": f"{row['to be corrected']}!"}
        for row in read_rows(sheet)[:1]
    ]
    fill_in(sheet, [row | {"status": "corrected"} for row in typed], by=["part", "source"])
    study.run("correct", "import", sheet, "--json")
    study.run("correct", "report", "--each", "--kind", "transcript", "--json")
    study.run("correct", "check", "--kind", "transcript")
    study.run("correct", "report", "--kind", "transcript", "--json")

    study.run("survey", "show", "texts", "taxonomy.multi3hate")
    kind = ("--kind", "survey", "--taxonomy", "multi3hate")
    study.run("translate", *kind, "--langs", "lo", "--with", "pseudo", "--dry-run", "--json")
    study.run("translate", *kind, "--langs", "lo", "--with", "pseudo")
    study.run("correct", "export", *kind, "--langs", "lo", *to, "--json")
    sheet = Path("lo-survey-r1-anna.csv")
    rows = read_rows(sheet)
    study.show("the first texts", rows[:4])
    braces = next(row for row in rows if "{" in row["source"])
    texts = {rows[0]["meme_id"]: "ສະບາຍດີ", braces["meme_id"]: "without what stands in braces"}
    for row in rows:
        if text := texts.get(row["meme_id"]):
            row |= {"status": "corrected", "your text": text}
    write_table(sheet, rows)
    study.run("correct", "import", sheet, "--json", status=1)
    study.run("correct", "check", "--kind", "survey", "--langs", "lo")
    study.run("correct", "status", "--json")
    study.run("status", "--json")

    study.hide(r'(?<="size": )\d+', "<bytes>")
    study.run("dump", "../dump", "--json")
    study.run("dump", "../dump", status=1)
    study.files("dump", "*")
    study.run("init", "../copy", "--from", "../dump", "--json")
    study.run("init", "../copy", "--from", "../dump")
    study.run("init", "../other", "--from", "../set", status=1)
    with Workspace.open(".") as before, Workspace.open("../copy") as after:
        tables = ("history", "corrections", "items", "sheets", "cases")
        equal = {name: before.table(name).equals(after.table(name)) for name in tables}
    study.show("tables of the copy are equal", equal)
    study.check()


def _export(language: str, kind: str, person: str) -> tuple[str, ...]:
    to = ("--to", person, "--format", kind)
    return ("correct", "export", "--langs", language, *to, "--no-pictures")


def _fill_in_tools(folder: Path, answers: Mapping[str, tuple[str, str]]) -> None:
    """Fill in the XLIFF and the PO as translators' programs do: units by their ids."""
    tree = etree.parse(str(folder / "de-r1-xliff.xlf"))
    for unit in tree.iter(f"{XLIFF}trans-unit"):
        text = _typed(unit.get("id", ""), answers)
        target = unit.find(f"{XLIFF}target")
        if target is not None and text:
            target.text, target.attrib["state"] = text, "translated"
    tree.write(str(folder / "de-r1-xliff.xlf"), encoding="UTF-8")
    catalogue = polib.pofile(str(folder / "de-r1-po.po"))
    for entry in catalogue:
        if text := _typed(str(entry.msgctxt), answers):
            entry.msgstr, entry.flags = f"{text}!", []
    catalogue.save(str(folder / "de-r1-po.po"))


def _typed(key: str, answers: Mapping[str, tuple[str, str]]) -> str:
    """Return what is typed for a part of a caption by its key, SHEET|MEME|PART|..."""
    _, meme, part, *_ = key.split("|")
    texts = answers.get(meme, ("", ""))[0].split(" // ")
    return texts[int(part) - 1] if len(texts) > 1 else ""
