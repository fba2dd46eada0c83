"""Form of a sheet, and of what came back in it. In: columns and facts as data. Out: frozen records.

A form knows nothing of what it asks about. Who asks makes a form and rows of cells by the columns'
names; who takes answers gets rows of texts by the same names, whatever a spreadsheet or a
translation tool has done to the file.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.errors import InputError
from memeloc.model import Locale
from memeloc.tables import drawable

TYPED = frozenset({"answer", "status", "note"})
"""Kinds of columns that a person fills in; the cells of all others are locked."""
CHECK = "check"
"""The hidden column by which text that was typed into locked cells is found."""
_CHECKED = frozenset({"", "hint"})
"""Kinds whose cells it is about; of the texts that are asked about, who asks keeps a copy."""
_NUMBER = re.compile(r"[\d\s.,:/+Ee-]*")

_OWN_LINE = re.compile(r"\s*(#|[-*] |\d+\. |>|\|)")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|?\s*$")
_EMPHASIS = re.compile(r"\*\*(.+?)\*\*|(?<!\*)\*(?![\s*])(.+?)(?<!\s)\*(?![\w*])")
_CODE = re.compile(r"`+ ?(.+?) ?`+")


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet.

    Attributes:
        name: by which cells are given and read.
        kind: `key` (hidden; says what the row is about), `fact` (hidden; the same in all rows, see
            `SheetForm.facts`), `source` (text in the source language), `text` (text in the
            sheet's), `picture`, `answer`, `status` and `note` (to be filled in), `hint` (what a
            program guessed), `count` (the length of the answer), `room` (how long it may be), or
            empty for anything else that is read only.
        width: in characters.
        choices: offered in a list; where they are listed on a worksheet, other text may be typed.
        hidden: whether only programs read it; keys and facts always are.
        heading: what people read above it in a workbook; empty is its name.
        also: other headings by which it is found, in any case.
        optional: whether it is left out where no row has anything in it.
    """

    name: str
    kind: str = ""
    width: int = 16
    choices: tuple[str, ...] = ()
    hidden: bool = False
    heading: str = ""
    also: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class SheetForm:
    """A kind of sheet, as data.

    Attributes:
        title: of the worksheet.
        columns: in order.
        asked: what the person is asked, beside the cells of answers.
        how: lines of the page that says how to fill it in; the first stands out.
        guide: what follows there, as Markdown.
        facts: what the columns of the kind `fact` have in each row.
        language: of the text that is asked about and typed; None where it can be any.
        source: the language of the columns of the kind `source`.
        listed: a second worksheet; the choices of a column stand in its second column.
        together: the column by which rows that follow one another are about one thing, and stand
            together beside its picture; empty where each row stands by itself.
        side: pixels of a picture's larger side.
        braces: whether placeholders in braces have to be kept.
    """

    title: str
    columns: tuple[SheetColumn, ...]
    asked: str = ""
    how: tuple[str, ...] = ()
    guide: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    language: Locale | None = None
    source: Locale | None = None
    listed: Listed | None = None
    together: str = ""
    side: int = 230
    braces: bool = False

    def of_kind(self, *kinds: str) -> list[SheetColumn]:
        """Return the columns of some kinds, in order."""
        return [column for column in self.columns if column.kind in kinds]


class Listed(NamedTuple):
    """A second worksheet, for people to look something up."""

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class SheetPicture(NamedTuple):
    """The cell of a picture: its file, its path in an archive, and what it shows."""

    file: Path
    name: str
    description: str = ""


class Alternative(NamedTuple):
    """Another text of what a row is about, which translation tools show beside theirs.

    Attributes:
        line: as it reads in a cell or note.
        text: itself.
        origin: who wrote it, or the memory that it is from.
        source: what it translates, where that differs.
        percent: how similar the sources are; 0 where nothing was compared.
    """

    line: str
    text: str
    origin: str
    source: str = ""
    percent: int = 0


Cells = Mapping[str, Any]
"""A row that is written, by column: a text, a number, a picture (or its path), or lines, of which
some are an `Alternative`. What is to be filled in may be left out."""


def cell_lines(cell: Any) -> list[str]:
    """Return a cell's lines, without characters that no file can hold."""
    if isinstance(cell, SheetPicture | Path):
        return [cell.name]
    lines = cell if isinstance(cell, list | tuple) else [cell]
    texts = (line.line if isinstance(line, Alternative) else line for line in lines)
    return [drawable(str(text)) for text in texts if text not in ("", None)]


def cell_text(cell: Any) -> str:
    """Return a cell as one text."""
    return "\n".join(cell_lines(cell))


def picture_of(cell: Any) -> SheetPicture | None:
    """Return the picture of a cell, if there is a file of it."""
    if isinstance(cell, str | Path) and cell:
        cell = SheetPicture(Path(cell), Path(cell).name)
    return cell if isinstance(cell, SheetPicture) and cell.file.is_file() else None


def check_of(columns: Sequence[SheetColumn], texts: Mapping[str, str]) -> str:
    """Return the check of a row: what is in its locked cells, two letters a column."""
    checked = (each.name for each in columns if each.kind in _CHECKED and not each.hidden)
    return " ".join(f"{name}:{_mark(texts.get(name, ''))}" for name in checked)


def changed_columns(check: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the locked columns in which a person typed, by the row's check.

    A cell that is empty was merged or cleared; a number may be what a spreadsheet made of it.
    """
    for mark in check.split():
        name, _, was = mark.rpartition(":")
        text = texts.get(name, "")
        if not _NUMBER.fullmatch(text) and was != _mark(text):
            yield name


def _mark(text: str) -> str:
    """Return a mark of a text's letters, which stay whatever programs do to spaces and lines."""
    letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).casefold()
    digest = hashlib.sha256(letters.encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:2] if letters else "-"


def paragraphs(markdown: str) -> Iterator[tuple[bool, str]]:
    """Yield each paragraph of a guide without its markup, and whether it is a heading.

    Guides have headings, lists, quotations, emphasis, code, tables and wrapped lines.

    >>> list(paragraphs("# How\\n\\nRead it\\n**aloud**.\\n- pick `skip`"))
    [(True, 'How'), (False, 'Read it aloud.'), (False, '• pick skip')]
    """
    held: list[str] = []
    for line in [*markdown.splitlines(), ""]:
        if held and (not line.strip() or _OWN_LINE.match(line)):
            text, held = " ".join(held), []
            heading = text.startswith("#")
            text = text.lstrip("#> ") if heading or text.startswith(">") else text
            text = re.sub(r"^[-*] ", "• ", text)
            if text.startswith("|"):
                text = ": ".join(cell.strip() for cell in text.strip("|").split("|"))
            text = _EMPHASIS.sub(lambda match: match[1] or match[2], text)
            yield heading, _CODE.sub(r"\1", text)
        if line.strip() and not (_RULE.match(line) and "-" in line):
            held.append(line.strip())


@dataclass(frozen=True, slots=True)
class FilledRow:
    """A row that came back; `row[name]` is a cell as its program shows it, empty where none is.

    Attributes:
        number: as the file's program counts.
        wrong: why what was typed cannot be used, as a sentence that names the column; or empty.
        answered: whether the row's state says that a person did it; None where it says nothing.
        comments: what was typed elsewhere: notes on cells, text in locked cells.
        is_touched: whether a person typed anything in it, or may have, in a unit.
        is_unit: whether it is a translation tool's unit, whose text may be what was sent.
    """

    number: int
    cells: Mapping[str, str]
    wrong: str = ""
    answered: bool | None = None
    comments: tuple[str, ...] = ()
    is_touched: bool = False
    is_unit: bool = False

    def __getitem__(self, name: str) -> str:
        return self.cells.get(name, "")

    def __contains__(self, name: object) -> bool:
        return name in self.cells


@dataclass(frozen=True, slots=True)
class Filled:
    """A sheet that came back.

    Attributes:
        facts: what most of its rows say in the columns of that kind.
        rows: all that are not blank, in the file's order.
        problems: what could not be read, with rows.
        note: what was odd about the file, such as another encoding; or empty.
    """

    file: Path
    sha256: str
    facts: Mapping[str, str]
    rows: tuple[FilledRow, ...]
    problems: tuple[InputError, ...] = ()
    note: str = ""
