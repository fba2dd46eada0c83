"""Letters that a file has lost. In: rows that came back, and what they showed. Out: a refusal.

A program that saves a CSV in an old encoding writes ? for each letter that this lacks, and one that
opens UTF-8 in an old encoding shows two or three letters for one. What a person typed in such a
file is lost as well; but only what memeloc wrote itself can be compared with what it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memeloc.errors import InputError
from memeloc.locales.registry import exemplars
from memeloc.sheets.form import TYPED, Filled, FilledRow, SheetColumn
from memeloc.tables import drawable
from memeloc.tables.csv_files import MIXED

Sent = Callable[[FilledRow], Mapping[str, str]]
"""What a row's locked cells showed when the sheet went out, by column; empty where unknown."""

ENCODINGS = (
    "cp1252", "cp1250", "cp1251", "cp1256", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258",
    "cp874", "cp932", "gb18030", "cp949", "big5hkscs", "mac_roman",
)  # fmt: skip
"""In which spreadsheets save CSV that is not in Unicode, the commonest first."""
_HOW = (
    "Nothing of it was taken. Save the sheet again as .xlsx, as “CSV UTF-8” (Excel) or with the "
    "character set Unicode (UTF-8) (LibreOffice)"
)


def plain_text(text: str) -> str:
    """Return a text as it is compared, for programs differ in white space and forms of letters."""
    return " ".join(unicodedata.normalize("NFC", drawable(text)).split())


def rightness(rows: Iterable[FilledRow], columns: Sequence[SheetColumn], sent: Sent) -> float:
    """Return how many texts come back right, and then how usual typed letters are in the language.

    The second decides where what was sent has no letters by which encodings differ.
    """
    right, letters, usual = 0, 1, 0
    answers = [column.name for column in columns if column.kind in TYPED]
    for row in rows:
        right += sum(cell == text for text, cell in _compared(row, sent))
        alphabet = "".join(exemplars(row["language"])) if row["language"] else ""
        for letter in "".join(row[name] for name in answers).lower():
            if letter.isalpha() and not letter.isascii():
                letters, usual = letters + 1, usual + (letter in alphabet)
    return right + usual / letters


def with_letters(filled: Filled, sent: Sent) -> Filled:
    """Return the rows, those wrong whose own texts have lost letters.

    Raises:
        InputError: half of the texts have, or the encoding is none in which any comes back right.
    """
    right, total, examples = 0, 0, list[tuple[str, str]]()
    rows = []
    for row in filled.rows:
        damaged = []
        for text, cell in _compared(row, sent):
            total += 1
            right += text == cell
            if text != cell and (_is_lost(text, cell) or _misread(text, cell)):
                damaged.append((text, cell))
        examples += damaged
        if damaged and row.is_touched:
            row = replace(row, wrong=f"the row has lost its letters: {_shown(damaged[0])}")
        rows.append(row)
    if examples and len(examples) * 2 >= total:
        text, cell = examples[0]
        encoding = _misread(text, cell)
        how = f"it was opened as {encoding} and not as UTF-8" if encoding else "they became ?"
        raise InputError(
            f"has lost its letters, for {how}: {_shown(examples[0])}. {_HOW}", file=filled.file
        )
    if filled.note == MIXED or (filled.note and total and not right):
        raise InputError(
            f"is in no encoding in which what was sent comes back right. {_HOW}", file=filled.file
        )
    return replace(filled, rows=tuple(rows))


def _compared(row: FilledRow, sent: Sent) -> Iterator[tuple[str, str]]:
    """Yield the texts of a row with letters beyond ASCII, as they were sent and as they are."""
    for name, text in sent(row).items():
        if not text.isascii() and row[name]:
            yield plain_text(text), plain_text(row[name])


def _shown(damaged: tuple[str, str]) -> str:
    return f"where the sheet had {damaged[0][:40]!r}, it has {damaged[1][:40]!r}"


def _is_lost(text: str, cell: str) -> bool:
    """Whether a cell is the text with ? for letters, or two where UTF-16 has two units."""
    pattern = "".join(
        re.escape(letter) if letter.isascii() else f"(?:{re.escape(letter)}|[?\ufffd]{{1,2}})"
        for letter in text
    )
    return re.fullmatch(pattern, cell) is not None


def _misread(text: str, cell: str) -> str:
    """Return the encoding in which a text's UTF-8 reads as a cell; empty if there is none."""
    for encoding in ENCODINGS:
        misread = plain_text(text.encode("utf-8", "replace").decode(encoding, "replace"))
        pattern = ".?".join(map(re.escape, misread.split("\ufffd")))
        if misread.strip("\ufffd ") and re.fullmatch(pattern, cell):
            return encoding
    return ""
