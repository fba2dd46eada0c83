"""`--kind survey` of `memeloc correct` and `translate`: what ships goes out and comes back."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from memeloc.store.surveys.survey_texts import survey_text_id, survey_text_key
from memeloc.survey.texts import catalogue, keys_in_use, shipped_texts, survey_texts
from memeloc.taxonomy import load_taxonomy
from memeloc.workspace import Workspace
from memeloc.workspace.stored_survey import store_shipped_texts
from tests.conftest import Outcome
from tests.worlds import columns_of

Command = Callable[..., Outcome]

MULTI3HATE = ("--kind", "survey", "--taxonomy", "multi3hate")
IN_USE = keys_in_use(load_taxonomy("multi3hate"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Path:
    """An empty workspace from German: survey texts are in English whatever captions are in."""
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    made = tmp_path / "memes"
    assert command("init", made, "--source", "de", "--langs", "en,ar").status == 0
    monkeypatch.chdir(made)
    return made


def _ok(outcome: Outcome) -> Any:
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)


def _export(command: Command, *options: object, kind: str = "csv") -> Path:
    options = (*MULTI3HATE, *options, "--format", kind, "--json")
    return Path(_ok(command("correct", "export", *options))["sheets"][0]["file"])


def _rows(sheet: Path) -> list[dict[str, str]]:
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _write(rows: Sequence[dict[str, str]], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _fill_in(sheet: Path, texts: dict[str, str], rest: str = "") -> Path:
    """Answer a CSV sheet: texts by key (parts joined), and a status for the others."""
    rows = _rows(sheet)
    for row in rows:
        key = survey_text_key(row["meme_id"])
        if key in texts:
            row["your text"] = texts[key].split(" // ")[int(row["part"]) - 1]
        else:
            row["status"] = rest
    return _write(rows, sheet)


def _import(command: Command, *files: object) -> list[dict[str, Any]]:
    outcome = command("correct", "import", *files, "--json")
    result: list[dict[str, Any]] = json.loads(outcome.out)["files"]
    assert outcome.status == any(file["left_out"] for file in result), outcome.err
    return result


def _corrections(tag: str) -> dict[str, str]:
    with Workspace.find() as workspace:
        return workspace.store.survey_texts.corrections(tag)


def test_what_ships_goes_out_with_its_placeholders(folder: Path, command: Command) -> None:
    for kind in ("xliff", "csv"):
        done = _ok(
            command(
                *("correct", "export", *MULTI3HATE, "--langs", "ar"),
                *("--to", kind, "--format", kind, "--json"),
            )
        )
        assert done["sheets"][0]["texts"] == len(IN_USE)
        sheet = Path(done["sheets"][0]["file"])
        assert sheet.name.startswith(f"ar-survey-r1-{kind}.")
        (came,) = _import(command, sheet)
        assert (came["answers"], came["problems"]) == ([], [])
    shown: dict[str, list[dict[str, str]]] = {}
    for row in _rows(sheet):
        shown.setdefault(survey_text_key(row["meme_id"]), []).append(row)
    assert shown.keys() == set(IN_USE)
    for key, rows in shown.items():
        assert " // ".join(row["source"] for row in rows) == catalogue()[key]
        assert " // ".join(row["to be corrected"] for row in rows) == shipped_texts("ar")[key]
        assert {row["picture"] + row["room"] for row in rows} == {""}
    assert shown["progress"][0]["marks"] == "keep as it is: {number} {total}"
    assert _corrections("ar") == {}
    first = _rows(_export(command, "--langs", "ar", "--to", "csv"))
    assert [row["meme_id"] for row in first] == [row["meme_id"] for row in _rows(sheet)]
    done = _ok(command("correct", "export", "--kind", "survey", "--langs", "ar", "--json"))
    assert done["sheets"][0]["texts"] == len(catalogue())
    with Workspace.find() as workspace:
        assert len(workspace.table("history")) == 2 * len(catalogue())


@pytest.mark.parametrize("kind", ["xlsx", "xliff", "po", "csv"])
def test_corrections_come_back_and_a_survey_takes_them(
    kind: str, folder: Path, command: Command
) -> None:
    new = {"progress": "{total}/{number}", "next": "هيّا"}
    sheet = _export(command, "--langs", "ar", "--to", "samira", kind=kind)
    _EDITS[kind](sheet, new)
    (came,) = _import(command, sheet)
    assert came["outcomes"] == {"placed": len(new)}, came
    assert _corrections("ar") == new
    with Workspace.find() as workspace:
        locale = workspace.locale("ar")
        texts = survey_texts(locale, workspace.store.survey_texts.corrections("ar", catalogue()))
    assert texts.get("progress", number=1, total=9) == "9/1"
    assert texts.get("back") == shipped_texts("ar")["back"]
    (again,) = _import(command, sheet)
    assert again["seen_before"]


def _edit_csv(sheet: Path, new: dict[str, str]) -> None:
    _fill_in(sheet, new)


def _edit_xlsx(sheet: Path, new: dict[str, str]) -> None:
    from openpyxl import load_workbook

    book = load_workbook(sheet)
    page = book.worksheets[0]
    column = dict(zip(columns_of(cell.value for cell in page[1]), range(1, 99), strict=False))
    for line in range(2, page.max_row + 1):
        key = survey_text_key(str(page.cell(line, column["meme_id"]).value))
        page.cell(line, column["your text"]).value = new.get(key)
    book.save(sheet)


def _edit_po(sheet: Path, new: dict[str, str]) -> None:
    import polib

    catalogue = polib.pofile(str(sheet))
    for entry in catalogue:
        key = survey_text_key(str(entry.msgctxt).split("|")[1])
        assert ("python-brace-format" in entry.flags) == ("{" in entry.msgid)
        if key in new:
            entry.msgstr = new[key]
            entry.flags.remove("fuzzy")
    catalogue.save()


def _edit_xliff(sheet: Path, new: dict[str, str]) -> None:
    from lxml import etree

    space = "{urn:oasis:names:tc:xliff:document:1.2}"
    document = etree.parse(str(sheet))
    for unit in document.iter(f"{space}trans-unit"):
        key = survey_text_key(unit.get("id", "").split("|")[1])
        source, target = unit.find(f"{space}source"), unit.find(f"{space}target")
        assert source is not None
        assert target is not None
        protected = {each.text: each for each in target.iter(f"{space}ph")}
        assert set(protected) == {each.text for each in source.iter(f"{space}ph")}
        if key in new and protected:
            # As a tool does it that moves tags: its own order, and tags without what they hold.
            for each in list(target):
                target.remove(each)
            target.text = ""
            last = None
            for piece in new[key].replace("}", "}|").replace("{", "|{").split("|"):
                if piece in protected:
                    last = etree.SubElement(target, f"{space}ph", dict(protected[piece].attrib))
                elif last is None:
                    target.text += piece
                else:
                    last.tail = piece
        elif key in new:
            target.text = new[key]
    document.write(str(sheet), encoding="UTF-8", xml_declaration=True)


_EDITS: dict[str, Callable[[Path, dict[str, str]], None]] = {
    "csv": _edit_csv,
    "xlsx": _edit_xlsx,
    "po": _edit_po,
    "xliff": _edit_xliff,
}


def test_two_people_differ_and_it_is_settled_in_a_table(folder: Path, command: Command) -> None:
    for name, text in (("anna", "{number}/{total}"), ("ben", "{number} - {total}")):
        sheet = _export(command, "--langs", "ar", "--to", name)
        _fill_in(sheet, {"progress": text}, rest="correct")
        _import(command, sheet)
    (case,) = _ok(command("correct", "settle", "--json"))["cases"]
    assert (case["meme_id"], case["reason"]) == ("survey:progress", "disagreement")
    table = folder / "cases.csv"
    assert command("correct", "settle", "--to", table).status == 0
    rows = _rows(table)
    rows[0]["text"] = "{number} / ?"
    refused = command("correct", "settle", "--from", _write(rows, table))
    assert refused.status == 1
    assert f"{table}, row 2, column text" in refused.err
    assert "{total} is missing" in refused.err
    rows[0]["text"] = "{number} / {total}"
    assert command("correct", "settle", "--from", _write(rows, table)).status == 0
    assert _corrections("ar") == {"progress": "{number} / {total}"}
    second = _rows(_export(command, "--langs", "ar", "--round", 2, "--to", "cleo"))
    (row,) = (each for each in second if each["meme_id"] == "survey:progress")
    assert row["to be corrected"] == "{number} / {total}"
    report = _ok(command("correct", "report", "--kind", "survey", "--json"))
    assert [each["person"] for each in report["rows"]] == ["anna", "ben"]


def test_captions_never_show_a_surveys_text(folder: Path, command: Command) -> None:
    table = folder / "t.csv"
    table.write_text("meme_id,template,de\nnext,cloud-monday,eins // zwei\n", encoding="utf-8")
    assert command("import", table).status == 0
    _import(command, _fill_in(_export(command, "--langs", "ar", "--to", "a"), {"next": "هيّا"}))
    out = folder / "out.csv"
    assert command("export", "captions", "--to", out).status == 0
    assert [row["meme_id"] for row in _rows(out)] == ["next"]
    assert "ar" not in _rows(out)[0]
    rendered = _ok(command("render", "--langs", "all", "--max-side", 128, "--json"))
    assert rendered["rendered"] == 1
    counted = _ok(command("status", "--json"))
    assert counted["memes"] == 1
    assert counted["languages"][0]["stages"] == {"imported": 1}
    answer = {each["language"]: each["stages"] for each in counted["survey_texts"]}
    assert answer["en"] == {"shipped": len(IN_USE)}
    assert answer["ar"] == {"shipped": len(IN_USE) - 1, "corrected 1": 1}
    assert f"\nen (source)\t{len(IN_USE)}\t" in command("status").out
    assert (
        _ok(command("translate", "--langs", "ar", "--with", "pseudo", "--json"))["plan"]["captions"]
        == 1
    )


OWN = """
name = "kind"
source = "our own"

[[label]]
id = "yes"

[[label]]
id = "no"

[[example]]
id = "monday"
label = "yes"
template = "cloud-monday"

[text.en]
question = "Is this kind?"
definition = "Kind is what does good."
label.yes = {name = "Kind", definition = "It does good."}
label.no = {name = "Not kind", definition = "It does not."}
example.monday = {caption = "me // on Monday", why = "It greets."}

[text.ar]
question = "هل هذا لطيف؟"
definition = "اللطيف ما ينفع."
label.yes = {name = "لطيف", definition = "ينفع."}
label.no = {name = "غير لطيف", definition = "لا ينفع."}
example.monday = {caption = "أنا // يوم الاثنين", why = "فيه تحية."}
"""


def test_the_taxonomies_of_the_workspaces_surveys_go_along(folder: Path, command: Command) -> None:
    design = {"taxonomy": "kind.toml", "taxonomy_toml": OWN, "memes": []}
    numbers = dict.fromkeys(("size", "answers", "explicit", "implicit", "seed"), 1)
    with Workspace.find() as workspace:
        cultures = [{"code": "EG", "locale": "ar", "resident": True}]
        workspace.store.surveys.add("pilot", {**design, **numbers, "cultures": cultures}, [])
        ids = store_shipped_texts(workspace.store, [workspace.locale("ar")])
        answer = workspace.store.captions.current("ar", kind="survey")
        assert ids == list(answer)
        assert str(answer[survey_text_id("taxonomy.kind.question")].caption) == "هل هذا لطيف؟"
        few = store_shipped_texts(workspace.store, [workspace.locale("ar")], "multi3hate")
        assert not [each for each in few if ".kind." in each]
    done = _ok(command("correct", "export", "--kind", "survey", "--langs", "ar", "--json"))
    assert done["sheets"][0]["texts"] == len(ids)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("correct", "export", "--kind", "survey", "--langs", "en"), "written in English"),
        (("correct", "export", *MULTI3HATE[:3], "kindness", "--langs", "ar"), "kindness"),
        (("correct", "export", "--taxonomy", "multi3hate", "--langs", "ar"), "--kind survey"),
        (("correct", "export", "--kind", "surveys", "--langs", "ar"), "survey"),
        (("translate", "--taxonomy", "multi3hate", "--with", "pseudo"), "--kind survey"),
        (("translate", "--kind", "survey", "--langs", "en", "--with", "pseudo"), "no language"),
    ],
)
def test_wrong_usage_is_a_sentence(
    words: tuple[str, ...], answer: str, folder: Path, command: Command
) -> None:
    done = command(*words)
    assert done.status in (1, 2)
    assert answer in " ".join(done.err.split())
