"""Habits of people and of their programs: nothing that was typed into a sheet passes in silence.

Each habit edits a sheet of each format that it applies to; all of them are imported by
`memeloc correct import`, an ods as LibreOffice saves it. Every text has its fate, see `became`; the
memes that nobody touched have no answer.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import polib
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font
from translate.storage import factory

from tests.conftest import Outcome
from tests.sheets.edited import (
    EDITORS,
    NAMES,
    OFFICE,
    XLIFF,
    Csv,
    Edited,
    Po,
    Table,
    Xliff,
    Xlsx,
    convert,
    program,
    zipped,
)
from tests.worlds import columns_of, memeloc, write_table

MEMES = 6
ALL, TABLES, BOOKS = "xlsx ods csv xliff po", "xlsx ods csv", "xlsx ods"
Edit = Callable[[Any], None]
HABITS: dict[str, tuple[str, str, Edit]] = {}


def habit(name: str, kinds: str = ALL, language: str = "de") -> Callable[[Edit], Edit]:
    """Enter a function that edits a sheet into the table of habits."""

    def enter(edit: Edit) -> Edit:
        HABITS[name] = kinds, language, edit
        return edit

    return enter


FILLED = [
    "1.1 text Montag,_neu placed", "2.2 text zweiter_Teil,_neu placed",
    "3.1 comment wer_ist_gemeint? comment", "4.1 status Richtig kept",
]  # fmt: skip
"""Half of a sheet filled in, as most people do, see CELLS."""


def fill(sheet: Edited) -> None:
    type_cells(sheet, FILLED)


@habit("half filled in")
def _(sheet: Edited) -> None:
    fill(sheet)


@habit("sorted rows")
def _(sheet: Edited) -> None:
    fill(sheet)
    sheet.shuffle()


@habit("key column deleted", TABLES)
def _(sheet: Table) -> None:
    fill(sheet)
    sheet.delete("key")


@habit("columns in another order, the worksheet renamed", TABLES)
def _(sheet: Table) -> None:
    fill(sheet)
    sheet.rows = [row[::-1] for row in sheet.rows]
    if isinstance(sheet, Xlsx):
        sheet.page.title = "Tabelle1"


@habit("only the rows that were filled in", TABLES)
def _(sheet: Table) -> None:
    sheet.text(2, 1, "nur dies")
    sheet.text(2, 2, "und das")
    sheet.status(4, 1, "Richtig", "kept")
    kept = {0, *(sheet.index(number, part) for number in (2, 4) for part in (1, 2))}
    sheet.rows = [row for index, row in enumerate(sheet.rows) if index in kept]


@habit("most columns deleted", TABLES)
def _(sheet: Table) -> None:
    fill(sheet)
    sheet.delete("key", "picture", "meme_id", "box", "part", "to be corrected", "length", "room")


@habit("a row lost its key and what it is about", TABLES)
def _(sheet: Table) -> None:
    sheet.text(1, 1, "verwaist", "case")
    for name in ("key", "meme_id", "part", "source", "to be corrected"):
        sheet.rows[1][sheet.column(name)] = ""


@habit("merged cells", BOOKS)
def _(sheet: Xlsx) -> None:
    fill(sheet)
    sheet.text(5, 1, "oben // unten")
    for name in ("meme_id", "key", "status"):
        cell = sheet.cell(1, 1, name)
        two = f"{cell.coordinate}:{cell.offset(1).coordinate}"
        sheet.later(lambda two=two: sheet.page.merge_cells(two))
    text = sheet.cell(5, 1)
    two = f"{text.coordinate}:{text.offset(1).coordinate}"
    sheet.later(lambda: sheet.page.merge_cells(two))


@habit("hidden rows and columns", BOOKS)
def _(sheet: Xlsx) -> None:
    fill(sheet)
    for row in (2, 3, 5):
        sheet.page.row_dimensions[row].hidden = True
    sheet.page.column_dimensions[sheet.cell(1, 1).column_letter].hidden = True


@habit("titles, blank rows between and thanks at the end", TABLES)
def _(sheet: Table) -> None:
    fill(sheet)
    width = len(sheet.rows[0])
    thanks = [""] * width
    thanks[sheet.column("your text")] = "Danke fürs Lesen"
    sheet.note(6, 2, "Danke fürs Lesen", "case|named")
    sheet.rows = [["Memes, Teil 2"], [""] * width, *sheet.rows[:4], [""] * width, *sheet.rows[4:]]
    sheet.rows += [[""] * width, thanks]


@habit("blank rows at the end", TABLES)
def _(sheet: Table) -> None:
    fill(sheet)
    last, width = len(sheet.rows), len(sheet.rows[0])
    sheet.rows += [[""] * width] * 3 + [["  "] * width]
    sheet.quiet = set(range(last + 1, last + 6))
    if isinstance(sheet, Xlsx):
        for number in range(last + 1, last + 4):
            sheet.page.cell(number, 3).font = Font(bold=True)


@habit("own columns, headings in capitals", TABLES)
def _(sheet: Table) -> None:
    fill(sheet)
    sheet.rows[0] = [str(name).upper() for name in sheet.rows[0]]
    sheet.rows = [["Notiz", *sheet.rows[0]], *(["7", *row] for row in sheet.rows[1:])]


@habit("copied worksheet", BOOKS)
def _(sheet: Xlsx) -> None:
    sheet.text(1, 1, "auf dem Blatt")
    sheet.note(2, 1, "nur auf der Kopie", "named|case")

    def copy() -> None:
        page = sheet.book.copy_worksheet(sheet.page)
        page.cell(sheet.row(2, 1), sheet.column("your text") + 1).value = "nur auf der Kopie"

    sheet.later(copy)


@habit("text in a locked column", TABLES)
def _(sheet: Table) -> None:
    for number, name in enumerate(("to be corrected", "source", "room", "box", "marks"), 1):
        sheet.note(number, 1, f"daneben {number}", "case|comment|named")
        sheet.write(number, 1, name, f"daneben {number}")


@habit("text beside the last column", TABLES)
def _(sheet: Table) -> None:
    sheet.note(1, 1, "ganz rechts", "case|comment|named")
    sheet.rows[sheet.index(1, 1)].append("ganz rechts")


@habit("note on a cell", BOOKS)
def _(sheet: Xlsx) -> None:
    for number, name in ((1, "your text"), (2, "source"), (3, "status")):
        sheet.note(number, 1, f"Notiz an {name}", "comment|case|named")
        sheet.cell(number, 1, name).comment = Comment(f"Notiz an {name}", "asha")
    sheet.text(3, 1, "mit Notiz")


@habit("struck-through text", BOOKS)
def _(sheet: Xlsx) -> None:
    sheet.text(1, 1, "durchgestrichen", "case|named")
    sheet.cell(1, 1).font = Font(strike=True)
    if sheet.kind in OFFICE:  # what openpyxl writes of several fonts, it does not read again
        sheet.note(2, 1, "alt", "case|named")
        rich = CellRichText(TextBlock(InlineFont(strike=True), "alt"), " neuer Text")
        cell = sheet.cell(2, 1)
        sheet.later(lambda: setattr(cell, "value", rich))


@habit("coloured and bold text", BOOKS)
def _(sheet: Xlsx) -> None:
    sheet.note(1, 1, "rot und fett", "placed")
    rich = CellRichText(TextBlock(InlineFont(b=True, color="FFFF0000"), "rot"), " und fett")
    cell = sheet.cell(1, 1)
    sheet.later(lambda: setattr(cell, "value", rich))


@habit("numbers typed", BOOKS)
def _(sheet: Xlsx) -> None:
    shown = {"50%": (0.5, "0%"), "007": (7, "000"), "+1": (1, "+0;-0;0"), "404": (404, "General"),
             "$100": (100, "[$$-409]#,##0"), "2.000.000": (2e6, "[$-407]#,##0")}  # fmt: skip
    for number, (text, (value, form)) in enumerate(shown.items(), 1):
        sheet.note(number, 1, text, "placed")
        sheet.write(number, 1, "your text", value)
        sheet.cell(number, 1).number_format = form


@habit("a number format that cannot be shown", BOOKS)
def _(sheet: Xlsx) -> None:
    shown = sheet.kind == "ods"  # which has the text that LibreOffice shows
    sheet.note(1, 1, "viel 7" if shown else "", "placed" if shown else "case")
    sheet.write(1, 1, "your text", 7.25)
    sheet.cell(1, 1).number_format = '[>1]"viel "# ??/??;[<=1]"wenig"'


@habit("a date, a time, an error", "xlsx")
def _(sheet: Xlsx) -> None:
    for number, value in enumerate((date(2026, 1, 2), "#NAME?", True), 1):
        sheet.note(number, 1, "", "case|placed" if value is True else "case")
        sheet.write(number, 1, "your text", value)


@habit("line breaks within a cell")
def _(sheet: Edited) -> None:
    sheet.note(1, 1, "oben\nunten", "placed")
    sheet.write(1, 1, "your text", "oben\nunten" if isinstance(sheet, Xlsx) else "oben\r\nunten")


@habit("control characters", "xlsx csv po")
def _(sheet: Edited) -> None:
    sheet.note(1, 1, "Glocke", "placed|case|named")
    bell = "_x0007_" if isinstance(sheet, Xlsx) else "\a"
    sheet.write(1, 1, "your text", f"{bell}Glocke{bell}")


@habit("only white space")
def _(sheet: Edited) -> None:
    sheet.note(1, 1, "", "nothing")
    sheet.note(1, 2, "", "nothing")
    if isinstance(sheet, Table):
        sheet.write(1, 1, "your text", "  \u00a0 ")
        sheet.write(1, 2, "comment", " ")


@habit("a row twice with other text", TABLES)
def _(sheet: Table) -> None:
    sheet.text(1, 1, "die erste", "case")
    again = list(sheet.rows[sheet.index(1, 1)])
    again[sheet.column("your text")] = "die zweite"
    sheet.note(1, 1, "die zweite", "case")
    sheet.rows.append(again)


@habit("a row deleted", TABLES)
def _(sheet: Table) -> None:
    sheet.text(1, 2, "bleibt übrig", "case")
    sheet.text(2, 1, "unberührt davon")
    del sheet.rows[sheet.index(1, 1)]


@habit("cells shifted by an unquoted comma", "csv")
def _(sheet: Csv) -> None:
    sheet.text(1, 1, "ja", "placed|case")
    sheet.note(1, 1, "aber nein", "case|comment|named")
    row = sheet.rows[sheet.index(1, 1)]
    row.insert(sheet.column("your text") + 1, "aber nein")


@habit("trailing empty cells dropped", "csv")
def _(sheet: Csv) -> None:
    fill(sheet)
    sheet.delete("language", "round", "person")
    for row in sheet.rows[1:]:
        while row and not row[-1]:
            row.pop()


@habit("one quoted cell a line", "csv")
def _(sheet: Csv) -> None:
    """A file that has no line but such as stand in a PO, too."""
    sheet.text(1, 1, "nur zwei Spalten", "placed|refused")
    sheet.says = "--sheet|placed"
    sheet.delete(*(set(columns_of(sheet.rows[0])) - {"source", "your text"}))
    sheet.form, sheet.encoding = {"quoting": 1}, "utf-8"


@habit("a Western encoding", "csv xliff po")
def _(sheet: Any) -> None:
    sheet.text(1, 1, "Käse für Öl", "placed|refused" if sheet.kind == "po" else "placed")
    sheet.encoding = "windows-1252" if sheet.kind == "xliff" else "cp1252"
    if sheet.kind == "po":
        sheet.file.encoding = "iso-8859-1"
        sheet.file.header = ""
        sheet.file.metadata["Content-Type"] = "text/plain; charset=ISO-8859-1"


@habit("letters destroyed, in a workbook", "xlsx", "hi")
def _(sheet: Xlsx) -> None:
    sheet.text(1, 1, "नया पकवान", "refused")
    for row in sheet.rows:
        row[:] = [
            cell.encode("cp1252", "replace").decode("cp1252") if isinstance(cell, str) else cell
            for cell in row
        ]


@habit("UTF-8 read as Western and saved again, in German", "csv")
def _(sheet: Csv) -> None:
    sheet.text(1, 1, "Käse für Öl")
    sheet.typed[0] = replace(sheet.typed[0], text="KÃ¤se fÃ¼r Ã–l", fate="placed|case|refused")
    sheet.says = "damaged|encoding|UTF-8"
    sheet.change = lambda text: text.encode().decode("cp1252", "replace")


@habit("a zip of a Mac")
def _(sheet: Edited) -> None:
    fill(sheet)
    if sheet.kind not in OFFICE:
        sheet.sent.append(zipped(sheet.send()))
        del sheet.sent[0]


@habit("the file renamed")
def _(sheet: Edited) -> None:
    fill(sheet)
    names = {"xlsx": "Kopie von Blatt (2).XLSX", "csv": "memes.txt", "xliff": "neu.xml",
             "po": "memes_de.pot"}  # fmt: skip
    sheet.send(names.get(sheet.kind, ""))


@habit("sent twice")
def _(sheet: Edited) -> None:
    fill(sheet)
    shutil.copy(first := sheet.send(), again := first.with_stem("again"))
    sheet.sent.append(again)
    sheet.options.append(())


@habit("her own dispute, corrected and sent again")
def _(sheet: Edited) -> None:
    sheet.write(1, 1, "your text", "so gemeint")
    sheet.write(1, 1, "status", "hopeless")
    sheet.write(2, 1, "your text", "a // b // c")
    sheet.send()
    sheet.write(1, 1, "status", "corrected")
    if sheet.kind == "po":
        cast(Po, sheet).entry(1, 1).tcomment = "Status: corrected"
    elif sheet.kind == "xliff":
        cast(Xliff, sheet).unit(1, 1).findall(f"{XLIFF}note")[-1].text = "Status: corrected"
        *_, last, _ = cast(Xliff, sheet).unit(1, 1).findall(f"{XLIFF}note")
        last.getparent().remove(last)
    sheet.note(1, 1, "so gemeint", "settled")
    sheet.text(2, 1, "a // b", "settled")
    sheet.send()


@habit("filled in twice with other text")
def _(sheet: Edited) -> None:
    sheet.text(1, 1, "zuerst so", "stored")
    sheet.text(2, 1, "bleibt so")
    sheet.send()
    sheet.text(1, 1, "dann anders")
    sheet.text(3, 1, "noch einer")
    sheet.send()


@habit("sent after a later one")
def _(sheet: Edited) -> None:
    sheet.text(1, 1, "frueher", "stored|named")
    sheet.send()
    sheet.text(1, 1, "spaeter", "stored")
    sheet.text(2, 1, "noch einer")
    sheet.send()
    sheet.sent.reverse()


@habit("exported again and filled in", "csv")
def _(sheet: Csv) -> None:
    sheet.text(1, 1, "aus dem ersten")
    sheet.send()

    def again(command: Callable[..., Outcome]) -> Path:
        only = ",".join(sheet.id(number) for number in range(1, MEMES + 1))
        to = ("--to", "asha", "--format", "csv", "--no-pictures", "--only", only)
        command("correct", "export", "--langs", "de", *to, "--out", sheet.path)
        sheet.open()
        sheet.text(2, 1, "aus dem zweiten")
        return sheet.send()

    sheet.made = again


@habit("a sheet of one filled in by two")
def _(sheet: Edited) -> None:
    sheet.text(1, 1, "von Asha", "stored")
    sheet.send()
    sheet.text(1, 1, "von Ben", "stored|named|refused")
    sheet.send("", "--person", "ben")


@habit("obsolete entries of an earlier sheet", "po")
def _(sheet: Po) -> None:
    sheet.text(1, 1, "gilt")
    for number in range(3):
        key = f"0123456789ab|old{number}|1|5b49c0c95f1c|1163c48426ab"
        old = polib.POEntry(msgctxt=key, msgid=f"old {number}", msgstr="alt", obsolete=True)
        sheet.file.append(old)
    sheet.says = r"\b3\b"


@habit("an entry that a tool took for obsolete, and nothing replaced", "po")
def _(sheet: Po) -> None:
    fill(sheet)
    sheet.entry(2, 1).obsolete = True


@habit("a fuzzy entry with another text", "po")
def _(sheet: Po) -> None:
    sheet.text(1, 1, "geändert, noch fuzzy", "placed|case|named")
    sheet.entry(1, 1).flags = ["fuzzy"]


@habit("msgmerge", "po")
def _(sheet: Po) -> None:
    fill(sheet)
    path = sheet.send()
    template = path.with_suffix(".pot")
    shutil.copy(sheet.path, template)
    program("msgmerge", "--quiet", "--update", "--backup=none", path, template)


@habit("xliff2po, untouched and filled in", "xliff")
def _(sheet: Xliff) -> None:
    sheet.note(1, 1, "", "nothing")
    sheet.says = '"unanswered": 6'
    made = sheet.send().with_suffix(".po")
    program("xliff2po", "--progress=none", sheet.sent.pop(), made)
    sheet.sent.append(made)
    file = polib.pofile(str(made))
    sheet.note(2, 1, "im PO getippt", "placed|case|named")
    entry = next(entry for entry in file if entry.msgid == sheet.source(2, 1))
    entry.msgstr, entry.flags = "im PO getippt", []
    file.save(str(filled := made.with_stem("filled")))
    sheet.sent.append(filled)
    sheet.options.append(())


@habit("po2xliff", "po")
def _(sheet: Po) -> None:
    sheet.text(1, 1, "im PO getippt", "placed|case|named|refused")
    made = sheet.send().with_suffix(".xlf")
    program("po2xliff", "--progress=none", sheet.sent.pop(), made)
    sheet.sent.append(made)


@habit("saved by Translate Toolkit", "xliff po")
def _(sheet: Edited) -> None:
    fill(sheet)
    path = sheet.send()
    store = factory.getobject(str(path))
    unit = next(unit for unit in store.units if unit.source == sheet.source(5, 1))
    sheet.note(5, 1, "mit dem Toolkit", "placed")
    unit.target = "mit dem Toolkit"
    unit.markfuzzy(False)
    store.savefile(str(path))


@habit("po2csv", "po")
def _(sheet: Po) -> None:
    sheet.text(1, 1, "im CSV getippt", "placed|case|named|refused")
    made = sheet.send().with_suffix(".csv")
    program("po2csv", "--progress=none", sheet.sent.pop(), made)
    sheet.sent.append(made)


def states(sheet: Xliff, state: str, text: str | None) -> None:
    for unit in sheet.units():
        target = unit.find(f"{XLIFF}target")
        target.set("state", state)
        if text is not None:
            target.text = text or unit.findtext(f"{XLIFF}source")


@habit("untranslated units with the source copied in", "xliff")
def _(sheet: Xliff) -> None:
    states(sheet, "needs-translation", "")
    sheet.text(1, 1, "wirklich übersetzt")
    sheet.unit(1, 2).find(f"{XLIFF}target").text = sheet.machine(1, 2)
    sheet.note(2, 1, "", "nothing")
    sheet.says = '"unanswered": 5'


@habit("new units with the source copied in", "xliff")
def _(sheet: Xliff) -> None:
    states(sheet, "new", "")
    sheet.note(1, 1, "", "nothing")


@habit("alt-trans and the attributes of notes dropped", "xliff")
def _(sheet: Xliff) -> None:
    for element in list(sheet.root.iter(f"{XLIFF}alt-trans")):
        element.getparent().remove(element)
    for element in sheet.root.iter(f"{XLIFF}note"):
        element.attrib.clear()
    sheet.text(1, 1, "neu übersetzt")
    sheet.comment(2, 1, "ihr Kommentar")


@habit("states, alt-trans and notes dropped", "xliff")
def _(sheet: Xliff) -> None:
    for element in list(sheet.root.iter(f"{XLIFF}alt-trans", f"{XLIFF}note")):
        element.getparent().remove(element)
    sheet.text(1, 1, "neu übersetzt")
    sheet.text(2, 2, "auch neu")
    for element in sheet.root.iter(f"{XLIFF}target", f"{XLIFF}trans-unit"):
        element.attrib.pop("state", None)
        element.attrib.pop("approved", None)
    sheet.says = '"unanswered": 4'


@habit("comments of programs dropped", "po")
def _(sheet: Po) -> None:
    fill(sheet)
    for entry in sheet.file:
        entry.comment = ""
    path = sheet.send()
    program("msgcat", "--width=40", "--sort-output", "--output-file", path, path)


@habit("alt-trans dropped, units signed off", "xliff")
def _(sheet: Xliff) -> None:
    states(sheet, "signed-off", None)
    for element in list(sheet.root.iter(f"{XLIFF}alt-trans")):
        element.getparent().remove(element)
    for number in range(1, MEMES + 1):
        sheet.note(number, 1, "", "kept")


@habit("everything on one line", "xliff")
def _(sheet: Xliff) -> None:
    fill(sheet)
    sheet.status(5, 1, "Richitg", "case")
    for element in sheet.root.iter():
        if element.tail and not element.tail.strip():
            element.tail = ""
    path = sheet.send()
    path.write_text(path.read_text("utf-8").replace("\n", " "), "utf-8")


@habit("targets emptied", "xliff po")
def _(sheet: Any) -> None:
    sheet.note(1, 1, "", "nothing")
    if sheet.kind == "po":
        sheet.entry(1, 1).msgstr = ""
    else:
        sheet.unit(1, 1).find(f"{XLIFF}target").text = ""


CELLS: dict[str, tuple[str, list[str]]] = {
    "numbers typed as text": ("csv xliff po", [
        "1.1 text 50% placed", "2.1 text 007 placed", "3.1 text +1 placed",
        "4.1 text $100 placed", "5.1 text 2.000.000 placed", "6.1 text 1/2 placed",
    ]),
    "an equals sign typed as text": ("csv xliff po", ["1.1 text =nur_Spaß placed"]),
    "a formula by accident": ("xlsx", ["1.1 text =nur_Spaß case|named"]),
    "a formula by accident, in LibreOffice": ("ods", ["1.1 text =1+1 case|named"]),
    "- for a part that is empty": (ALL, [
        "1.1 text - =_//_unten", "1.2 text unten =_//_unten", "2.2 text - =MACHINE_//",
    ]),
    "the status “empty part”": (TABLES, ["1.2 status empty_part =MACHINE_//"]),
    "skip, or leave it to somebody else": (ALL, [
        "1.1 status skip skipped", "2.1 status Überspringen skipped",
        "3.1 status leave_it_to_somebody_else skipped",
    ]),
    "status in another language": (ALL, [
        "1.1 text neuer_Text placed", "1.1 status مصحح", "2.1 status __CORRECTO kept",
        "3.1 status nicht_übersetzbar_:_WORTSPIEL case",
    ]),
    "status misspelt": (ALL, [
        "1.1 status Richitg case|named", "3.1 status x case|named",
        "2.1 text mit_Tippfehler case|named", "2.1 status korigiert case|named",
    ]),
    "text and status contradict each other": (ALL, [
        "1.1 text aber_mit_Text case|comment", "1.1 status wordplay",
        "2.1 text anders_als_richtig placed|case", "2.1 status correct",
        "3.1 status corrected case", "4.1 text skip case",
        "5.1 status wordplay case", "5.2 status culture case",
    ]),
    "whole caption in one cell": (ALL, [
        "1.1 text oben_//_unten =oben_//_unten", "2.2 text oben／／unten =oben_//_unten",
        "3.1 text eins_//_zwei_//_drei case",
        "4.1 text alles_//_hier case", "4.2 text und_noch_mehr case",
    ]),
    "text equal to the source, confirmed": (ALL, [
        "1.1 text SOURCE placed|case", "2.1 text SOURCE placed|case",
        "2.1 status corrected",
    ]),
    "text equal to the one to be corrected": (ALL, ["1.1 text MACHINE kept"]),
    "quotes, emoji, mixed directions, NBSP and ZWJ": (ALL, [
        "1.1 text „Anführung“_–_‚innen‘_… placed", "2.1 text 👩🏽\u200d💻_🇩🇪_❤️ placed",
        "3.1 text heute_שלום_2.0_مرحبا placed", "4.1 text 34\u00a0%_um_3\u202fUhr placed",
        "5.1 text क्\u200dष_न\u200cहीं placed", '6.1 text er:_"ja",_<b>nein</b>_&_\\n placed',
    ]),
    "comments only": (ALL, [f"{n}.{1 + n % 2} comment Kommentar_{n} comment" for n in range(1, 7)]),
    "an answer of question marks only": (ALL, [
        "1.1 text ?????_?? case|named", "2.1 text wirklich???_ja! placed",
    ]),
}  # fmt: skip
"""Habits that are a few cells: meme and part, column, what is typed (_ is a space), its fate.

SOURCE and MACHINE stand for the source and for the text to be corrected."""


def type_cells(sheet: Edited, cells: list[str]) -> None:
    for cell in cells:
        place, column, text, *fates = cell.split(" ")
        number, part = map(int, place.split("."))
        texts = {"SOURCE": sheet.source(number, part), "MACHINE": sheet.machine(number, part)}
        text = texts.get(text, text).replace("_", " ")
        for fate in fates:
            fate = fate.replace("MACHINE", sheet.machine(number, 1)).replace("_", " ")
            sheet.note(number, part, text if column != "status" else "", fate)
        sheet.write(number, part, {"text": "your text"}.get(column, column), text)


SAVED: dict[str, tuple[str, str, list[str], dict[str, Any]]] = {
    "semicolons": ("csv", "de", [*FILLED, "5.1 text eins,_zwei;_drei placed"],
        {"form": {"delimiter": ";"}}),
    "tabs, without a byte order mark": ("csv", "de", FILLED,
        {"form": {"delimiter": "\t"}, "encoding": "utf-8"}),
    "lines end as on an old Mac": ("csv", "de", FILLED, {"form": {"lineterminator": "\r"}}),
    "every cell quoted": ("csv", "de", FILLED, {"form": {"quoting": 1}, "encoding": "utf-8"}),
    "UTF-16": ("csv xliff", "de", FILLED, {"encoding": "utf-16"}),
    "a Western encoding, with quotes and the euro": ("csv", "de",
        ["1.1 text „für_5_€“_–_süß placed"], {"encoding": "cp1252"}),
    "an Arabic encoding": ("csv", "ar", ["1.1 text طبق_جديد placed"],
        {"encoding": "cp1256", "says": "1256"}),
    "letters destroyed": ("csv", "hi", ["1.1 text नया_पकवान refused", "2.1 text एक_और refused"],
        {"encoding": "cp1252", "errors": "replace"}),
    "UTF-8 read as Western and saved again": ("csv", "ar", ["1.1 text طبق_جديد refused"],
        {"change": lambda text: text.encode().decode("cp1252", "replace")}),
}  # fmt: skip
"""Habits of saving: the language, cells that are filled in, attributes of the edited sheet."""


def save_so(sheet: Edited, cells: list[str], attributes: dict[str, Any]) -> None:
    type_cells(sheet, cells)
    for name, value in attributes.items():
        setattr(sheet, name, value)


HABITS |= {
    name: (kinds, "de", functools.partial(type_cells, cells=cells))
    for name, (kinds, cells) in CELLS.items()
} | {
    name: (kinds, language, functools.partial(save_so, cells=cells, attributes=attributes))
    for name, (kinds, language, cells, attributes) in SAVED.items()
}


FAST = {
    ("ods", name)
    for name in ("merged cells", "note on a cell", "struck-through text", "numbers typed")
}
"""What LibreOffice converts in `make test`, too: each kind of file is a start of it."""


def kinds_of(name: str, kinds: str) -> list[str]:
    """Return the formats of a habit: what is a workbook, LibreOffice saves in all its ways."""
    saved = ["saved"] if name in ("half filled in", "sorted rows", "numbers typed") else []
    return [*kinds.split(), *(["office", *saved] if "ods" in kinds else [])]


def cases() -> Iterator[Any]:
    for name, (kinds, _, _) in HABITS.items():
        for number, kind in enumerate(kinds_of(name, kinds)):
            # make test has a habit in its first kind of sheet, make test-all in each.
            is_slow = (number or kind in OFFICE) and (kind, name) not in FAST
            marks = [pytest.mark.slow] if is_slow else []
            yield pytest.param(name, kind, id=f"{name}: {kind}", marks=marks)


class Team:
    """A workspace, its sheets, and what became of each habit's."""

    def __init__(self, folder: Path, wanted: set[tuple[str, str]]) -> None:
        self.folder, self.wanted = folder, wanted
        self.sheets: dict[tuple[str, str], Edited] = {}
        self.results: dict[str, dict[str, Any]] = {}
        self.make(folder / "set")
        for name, kind in sorted(wanted):
            self.edit(name, kind)
        self.convert()

    def make(self, study: Path) -> None:
        """Make the workspace and its sheets; the memes of each format have their own."""
        rows = [
            {
                "meme_id": f"{letter}{n}", "template": "robot-chef",
                "en": f"Dish {letter}{n} // again {letter}{n}",
                "de": f"Gericht {letter}{n} // wieder {letter}{n}",
                "hi": f"पकवान {letter}{n} // फिर {letter}{n}",
                "ar": f"طبق {letter}{n} // مرة {letter}{n}",
            }
            for letter in NAMES.values() for n in range(1, MEMES + 1)
        ]  # fmt: skip
        study.mkdir()
        write_table(study / "captions.csv", rows)
        memeloc(study, "init", ".", "--langs", "de,hi,ar")
        memeloc(study, "import", "captions.csv")
        for kind, language in {(kind, HABITS[name][1]) for name, kind in self.wanted}:
            only = ",".join(f"{NAMES[kind]}{n}" for n in range(1, MEMES + 1))
            form = "xlsx" if kind in OFFICE else kind
            to = ("--to", "asha", "--format", form, "--no-pictures", "--only", only)
            out = ("--out", sheet_name(kind, language))
            memeloc(study, "correct", "export", "--langs", language, *to, *out)

    def edit(self, name: str, kind: str) -> None:
        _, language, edit = HABITS[name]
        folder = self.folder / re.sub(r"\W+", "-", name) / kind
        folder.mkdir(parents=True)
        path = Path(shutil.copy(self.folder / "set" / sheet_name(kind, language), folder))
        sheet = self.sheets[name, kind] = EDITORS[kind](kind, path, language)
        edit(sheet)
        if not sheet.sent:
            sheet.send()

    def convert(self) -> None:
        """Have LibreOffice save each workbook as its kind."""
        for kind, form in OFFICE.items():
            out = self.folder / kind
            out.mkdir()
            sent = [(sheet, n) for sheet in self.sheets.values() for n in range(len(sheet.sent))]
            made = {}
            for sheet, place in sent:
                if sheet.kind == kind:
                    copy = shutil.copy(sheet.sent[place], out / f"{len(made)}.xlsx")
                    made[Path(copy)] = sheet, place
            if made:
                convert(made, form, out / "saved")
            for path, (sheet, place) in made.items():
                sheet.sent[place] = out / "saved" / f"{path.stem}.{form.split(':')[0]}"

    def result(self, name: str, command: Callable[..., Outcome]) -> dict[str, Any]:
        """Return what became of a habit's sheets, of all formats in one workspace."""
        if name not in self.results:
            study = self.folder / re.sub(r"\W+", "-", name) / "study"
            shutil.copytree(self.folder / "set", study)
            with chdir(study):
                self.results[name] = self.imported(name, command)
        return self.results[name]

    def imported(self, name: str, command: Callable[..., Outcome]) -> dict[str, Any]:
        sheets = [sheet for (each, _), sheet in self.sheets.items() if each == name]
        reports: dict[str, str] = {sheet.kind: "" for sheet in sheets}
        for turn in range(max(len(sheet.sent) + bool(sheet.made) for sheet in sheets)):
            for sheet in sheets:
                if sheet.made and turn == len(sheet.sent):
                    sheet.made(command)
            sent = [sheet for sheet in sheets if turn < len(sheet.sent)]
            options = next(iter(sheet.options[turn] for sheet in sent))
            files = [sheet.sent[turn] for sheet in sent]
            done = command("correct", "import", *files, *options, "--json")
            for sheet, entry in zip(sent, json.loads(done.out)["files"], strict=True):
                reports[sheet.kind] += json.dumps(entry, ensure_ascii=False) + "\n"
        tables = {}
        for table in ("captions", "corrections", "cases"):
            assert command("export", table, "--to", f"{table}.jsonl").status == 0
            lines = Path(f"{table}.jsonl").read_text("utf-8").splitlines()
            tables[table] = [json.loads(line) for line in lines]
        return {"reports": reports, **tables}


def sheet_name(kind: str, language: str) -> str:
    suffix = "xlsx" if kind in OFFICE else {"xliff": "xlf"}.get(kind, kind)
    return f"{kind}-{language}.{suffix}"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Team:
    wanted = {
        (item.callspec.params["name"], item.callspec.params["kind"])
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.originalname == test_nothing_passes_in_silence.__name__
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        return Team(tmp_path_factory.mktemp("habits"), wanted)


def became(typed: Any, sheet: Edited, result: dict[str, Any]) -> set[str]:
    """Return what became of a text.

    placed      it stands in the caption
    = CAPTION   the caption is this
    kept        the caption stands as it was, and the answer says that it is right
    case        it waits to be settled, or the case says it
    comment     it is kept as a comment
    settled     it stands in the caption, and nothing is to be settled
    skipped     the answer is kept, and nothing is to be settled
    stored      it is an answer, whatever became of that
    named       the import says it, or its row
    refused     the file was not taken
    nothing     nobody has answered this caption
    """
    of = {
        table: [row for row in result[table] if row["meme_id"] == typed.meme_id]
        for table in ("captions", "corrections", "cases")
    }
    of["cases"] = [row for row in of["cases"] if row["open"]]
    caption = str(of["captions"][0][sheet.language])
    machine = (
        f"{sheet.machine(int(typed.meme_id[1:]), 1)} // {sheet.machine(int(typed.meme_id[1:]), 2)}"
    )
    report = result["reports"][sheet.kind]
    waits = [row for row in of["corrections"] if row["outcome"] in ("case", "stray")]
    said = [f"{row['typed']} {row['text']} {row['message']}" for row in waits]
    stored = [f"{row['typed']} {row['text']}" for row in of["corrections"]]
    answered = any(row["status"] == "correct" for row in of["corrections"])
    found = {
        "placed": bool(typed.text) and typed.text in caption and caption != machine,
        f"={caption.strip()}": True,
        "kept": caption == machine and answered and not of["cases"],
        "case": bool(of["cases"]) and any(typed.text in text for text in said),
        "comment": any(typed.text in row["comment"] for row in of["corrections"] if typed.text),
        "settled": typed.text in caption and not of["cases"],
        "skipped": bool(of["corrections"]) and not of["cases"] and caption == machine,
        "stored": any(typed.text in text for text in stored),
        "named": bool(typed.text and json.dumps(typed.text)[1:-1] in report)
        or bool(re.search(rf'rows? {typed.row}\b|"row": {typed.row}\b', report)),
        "refused": '"error"' in "".join(report.splitlines()[-1:])
        and not any(typed.text in text for text in stored),
        "nothing": not of["corrections"],
    }
    return {name for name, is_so in found.items() if is_so}


@pytest.mark.parametrize(("name", "kind"), [*cases()])
def test_nothing_passes_in_silence(
    team: Team, command: Callable[..., Outcome], name: str, kind: str
) -> None:
    sheet = team.sheets[name, kind]
    result = team.result(name, command)
    wrong = {}
    for typed in sheet.typed:
        wanted = {fate.strip() for fate in typed.fate.split("|")}
        if typed.fate.startswith("="):
            wanted = {f"={typed.fate[1:].strip()}"}
        found = became(typed, sheet, result)
        if not wanted & found or ("placed" in found and not wanted & {"placed", "stored", "settled"}
                                   and not typed.fate.startswith("=") and typed.text):  # fmt: skip
            wrong[f"{typed.meme_id} {typed.text!r} wanted {typed.fate}"] = sorted(found)
    report = result["reports"][kind]
    assert not wrong, f"{wrong}\n{report}"
    answered = {row["meme_id"] for row in result["corrections"]}
    touched = {typed.meme_id for typed in sheet.typed if typed.fate != "nothing"}
    assert {meme for meme in answered if meme[0] == NAMES[kind]} <= touched, report
    rows = {int(row) for row in re.findall(r'(?:rows?|"row":) (\d+)', report)}
    assert not rows & sheet.quiet, report
    assert re.search(sheet.says, report)
