"""Sheets as people edit them, in each format. In: a file. Out: files, and what was typed.

What was typed is written down apart from the file, each text with what should become of it.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import polib
from lxml import etree

from tests.worlds import columns_of

XLIFF = "{urn:oasis:names:tc:xliff:document:1.2}"
OFFICE = {"ods": "ods", "office": "xlsx", "saved": "csv:Text - txt - csv (StarCalc):59,34,1"}
"""Kinds of files that LibreOffice makes of a workbook, the last one with semicolons, in cp1252."""
NAMES = {"xlsx": "x", "csv": "c", "xliff": "l", "po": "p", "ods": "o", "office": "f", "saved": "s"}
"""What the ids of memes on a sheet of each kind begin with."""


@dataclass(frozen=True)
class Typed:
    """A text that a person typed, and what may become of it, see `test_habits.became`."""

    text: str
    meme_id: str
    fate: str
    row: int


@dataclass
class Edited:
    """A sheet that a person edits.

    Attributes:
        kind: the format that it is sent in.
        path: of the file as memeloc wrote it.
        typed: all that she typed.
        sent: the files that she sends, in order.
        options: of the import of each.
        quiet: rows that nothing is said of.
        says: what the import says, as a regular expression.
        made: makes the last file when the others have been imported; it is given `command`.
    """

    kind: str
    path: Path
    language: str = "de"
    typed: list[Typed] = field(default_factory=list)
    sent: list[Path] = field(default_factory=list)
    options: list[tuple[str, ...]] = field(default_factory=list)
    quiet: set[int] = field(default_factory=set)
    says: str = ""
    made: Callable[..., Path] | None = None

    def __post_init__(self) -> None:
        self.open()

    def id(self, number: int) -> str:
        return f"{NAMES[self.kind]}{number}"

    def source(self, number: int, part: int) -> str:
        return f"{('Dish', 'again')[part - 1]} {self.id(number)}"

    def machine(self, number: int, part: int) -> str:
        texts = {"de": ("Gericht", "wieder"), "hi": ("पकवान", "फिर"), "ar": ("طبق", "مرة")}
        return f"{texts[self.language][part - 1]} {self.id(number)}"

    def note(self, number: int, part: int, text: str, fate: str) -> None:
        """Write down what is typed without typing it."""
        row = self.row(number, part)
        self.typed.append(Typed(text, self.id(number), fate, row))

    def text(self, number: int, part: int, text: str, fate: str = "placed") -> None:
        """Type a text for a part of a meme."""
        self.note(number, part, text, fate)
        self.write(number, part, "your text", text)

    def comment(self, number: int, part: int, text: str) -> None:
        self.note(number, part, text, "comment")
        self.write(number, part, "comment", text)

    def status(self, number: int, part: int, word: str, fate: str) -> None:
        """Pick a status; an empty text stands for it."""
        self.note(number, part, word if "named" in fate or "case" in fate else "", fate)
        self.write(number, part, "status", word)

    def send(self, name: str = "", *options: str) -> Path:
        """Save it as a file of its own, which is imported with options."""
        path = self.path.with_name(name or f"{self.path.stem}-{len(self.sent)}{self.path.suffix}")
        self.save(path)
        self.sent.append(path)
        self.options.append(options)
        return path

    def open(self) -> None:
        raise NotImplementedError

    def row(self, number: int, part: int) -> int:
        return 0

    def write(self, number: int, part: int, column: str, text: str) -> None:
        raise NotImplementedError

    def shuffle(self) -> None:
        raise NotImplementedError

    def save(self, path: Path) -> None:
        raise NotImplementedError


class Table(Edited):
    """A sheet that is a table; `rows` are its cells, the first one's the headings."""

    rows: list[list[Any]]

    def column(self, name: str) -> int:
        return columns_of(self.rows[0]).index(name)

    def index(self, number: int, part: int) -> int:
        meme, parts = self.column("meme_id"), self.column("part")
        about = (self.id(number), str(part))
        return next(i for i, row in enumerate(self.rows) if (row[meme], str(row[parts])) == about)

    def row(self, number: int, part: int) -> int:
        return self.index(number, part) + 1

    def write(self, number: int, part: int, column: str, text: Any) -> None:
        self.rows[self.index(number, part)][self.column(column)] = text

    def delete(self, *columns: str) -> None:
        for name in columns:
            if name in columns_of(self.rows[0]):
                place = self.column(name)
                for row in self.rows:
                    del row[place]

    def shuffle(self) -> None:
        text = self.column("your text")
        self.rows[1:] = sorted(self.rows[1:], key=lambda row: (str(row[text] or ""), str(row[0])))


class Csv(Table):
    """A CSV; `form` is how csv.writer writes it, `change` what else is done to its text."""

    def open(self) -> None:
        with self.path.open(encoding="utf-8-sig", newline="") as stream:
            self.rows = list(csv.reader(stream))
        self.form: dict[str, Any] = {}
        self.encoding, self.errors = "utf-8-sig", "strict"
        self.change: Callable[[str], str] = lambda text: text

    def save(self, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, **self.form).writerows(self.rows)
        text = self.change(path.read_bytes().decode())
        path.write_bytes(text.encode(self.encoding, self.errors))


class Xlsx(Table):
    """A workbook of openpyxl; `cells` are done to the page after the cells are written."""

    def open(self) -> None:
        self.book = openpyxl.load_workbook(self.path)
        self.page = self.book["Captions"]
        self.rows = [[cell.value for cell in row] for row in self.page.iter_rows()]
        self.last: list[Callable[[], None]] = []

    def cell(self, number: int, part: int, column: str = "your text") -> Any:
        return self.page.cell(self.row(number, part), self.column(column) + 1)

    def later(self, change: Callable[[], None]) -> None:
        """Change the page when its cells are written."""
        self.last.append(change)

    def save(self, path: Path) -> None:
        height, width = self.page.max_row, self.page.max_column
        for number in range(1, max(height, len(self.rows)) + 1):
            row = self.rows[number - 1] if number <= len(self.rows) else []
            for column in range(1, max(width, len(row)) + 1):
                value = row[column - 1] if column <= len(row) else None
                self.page.cell(number, column).value = value
        for change in self.last:
            change()
        self.book.save(path)


class Xliff(Edited):
    """An XLIFF; `root` is its element."""

    def open(self) -> None:
        self.root = etree.parse(str(self.path)).getroot()
        self.encoding = "UTF-8"

    def units(self) -> list[Any]:
        return list(self.root.iter(f"{XLIFF}trans-unit"))

    def unit(self, number: int, part: int) -> Any:
        about = f"|{self.id(number)}|{part}|"
        return next(unit for unit in self.units() if about in unit.get("id"))

    def row(self, number: int, part: int) -> int:
        return int(self.unit(number, part).sourceline)

    def write(self, number: int, part: int, column: str, text: str) -> None:
        unit = self.unit(number, part)
        target = unit.find(f"{XLIFF}target")
        if column == "your text":
            target.text = text
            target.set("state", "translated")
        elif text in ("correct", "Richtig"):
            target.set("state", "final")
        else:
            note = etree.SubElement(unit, f"{XLIFF}note", {"from": "asha"})
            note.text = f"Status: {text}" if column == "status" else text

    def shuffle(self) -> None:
        body = next(self.root.iter(f"{XLIFF}body"))
        body[:] = reversed(body)

    def save(self, path: Path) -> None:
        self.root.getroottree().write(str(path), encoding=self.encoding, xml_declaration=True)


class Po(Edited):
    """A PO of polib."""

    def open(self) -> None:
        self.file = polib.pofile(str(self.path), wrapwidth=0)

    def entry(self, number: int, part: int) -> Any:
        about = f"|{self.id(number)}|{part}|"
        return next(entry for entry in self.file if about in (entry.msgctxt or ""))

    def row(self, number: int, part: int) -> int:
        return int(self.entry(number, part).linenum)

    def write(self, number: int, part: int, column: str, text: str) -> None:
        entry = self.entry(number, part)
        if column == "your text":
            entry.msgstr, entry.flags = text, []
        elif text in ("correct", "Richtig"):
            entry.flags = []
        else:
            line = f"Status: {text}" if column == "status" else text
            entry.tcomment = "\n".join(filter(None, (entry.tcomment, line)))

    def shuffle(self) -> None:
        self.file.reverse()

    def save(self, path: Path) -> None:
        self.file.save(str(path))


EDITORS: dict[str, type[Edited]] = {"xlsx": Xlsx, "csv": Csv, "xliff": Xliff, "po": Po}
EDITORS |= dict.fromkeys(OFFICE, Xlsx)


def zipped(path: Path, *others: tuple[str, bytes]) -> Path:
    """Put a file into an archive, as a Mac does, with other members."""
    archive = path.with_name(f"{path.name}.zip")
    with zipfile.ZipFile(archive, "w") as opened:
        opened.write(path, f"sheet/{path.name}")
        opened.writestr(f"__MACOSX/sheet/._{path.name}", b"\0\5\x16\7Mac OS X")
        for name, content in others:
            opened.writestr(name, content)
    path.unlink()
    return archive


def convert(files: Iterable[Path], kind: str, out: Path) -> None:
    """Have LibreOffice open files and save them as another kind, all in one run of it."""
    office = shutil.which("soffice")
    assert office, "install Debian's package libreoffice-calc"
    profile = f"-env:UserInstallation=file://{out}/profile"
    subprocess.run(
        [office, profile, "--headless", "--convert-to", kind, "--outdir", out, *files],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip


def program(*arguments: object) -> str:
    """Run a program of Translate Toolkit or gettext; return what it prints."""
    name, *rest = map(str, arguments)
    found = shutil.which(name) or shutil.which(name, path=Path(sys.executable).parent)
    assert found, f"{name} is missing: install gettext and memeloc[test]"
    done = subprocess.run([found, *rest], check=True, capture_output=True, timeout=300, text=True)
    return done.stdout
