"""Sheets as gettext PO. In: a form and its rows, or a file that was filled in. Out: the other.

One entry a row: its key is the context, so that equal sources stay apart; the source is the msgid,
the text that is asked about the msgstr, marked fuzzy. Answering is translating the entry or taking
the mark away; a status or comment is a translator's comment, `status: wordplay`. A row without
source has no entry, for PO keeps the empty msgid for its header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.sheets.form import Alternative, Cells, Filled, SheetColumn, SheetForm, cell_text
from memeloc.sheets.markdown import paragraphs
from memeloc.sheets.units import OURS, filled_unit, note_lines, split_facts, unit_columns
from memeloc.tables import drawable

_LINE = re.compile(rb'\s*(#.*|(msgctxt|msgid|msgstr|msgid_plural|msgstr\[\d\]) ".*|".*")?')
_BRACES = "python-brace-format"
"""Has gettext's tools mark the placeholders of a text, and report a lost one."""
_FACT = "X-Memeloc-"


def write(path: Path, form: SheetForm, rows: Sequence[Cells]) -> None:
    """Write a sheet, one entry a row that has a source."""
    import polib

    key, source, text = unit_columns(form.columns)[:3]
    catalogue = polib.POFile(wrapwidth=0)
    catalogue.header = drawable("\n".join(line for _, line in paragraphs(form.guide)))
    for row in rows:
        original = drawable(cell_text(row.get(source)))
        if not original.strip():
            continue
        shown = drawable(cell_text(row.get(text)))
        asked = " ".join(shown.split())
        notes = [*note_lines(form, row, memory=True), f"{OURS}{text}: {asked}"]
        is_protected = form.braces and "{" in original
        entry = polib.POEntry(
            msgctxt=cell_text(row.get(key)),
            msgid=original,
            msgstr=_with_ends_of(original, shown),
            comment="\n".join(notes),
            flags=["fuzzy", _BRACES] if is_protected else ["fuzzy"],
            previous_msgid=_previous(row, original),
        )
        catalogue.append(entry)
    catalogue.metadata = {
        "Project-Id-Version": f"memeloc {form.title}",
        "Last-Translator": form.facts.get("person") or "unnamed",
        "Language-Team": form.language.name if form.language else "",
        "Language": form.language.tag if form.language else "",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        **{f"{_FACT}{name.title()}": fact for name, fact in form.facts.items()},
    }
    catalogue.save(str(path))


def _previous(row: Cells, source: str) -> str | None:
    """Return another source that a text was written for: editors show what has changed since."""
    for cell in row.values():
        for line in cell if isinstance(cell, list | tuple) else ():
            if isinstance(line, Alternative) and line.source:
                return drawable(line.source) if line.source != source else None
    return None


def knows(head: bytes) -> bool:
    """Return whether a file that begins so is PO; a fully quoted CSV has lines as PO has."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    lines = start.splitlines()
    whole = lines[:-1] if len(head) == 4096 else lines
    return start.startswith((b"#", b"msg")) and all(map(_LINE.fullmatch, whole))


def read(path: Path, columns: Sequence[SheetColumn]) -> Filled:
    """Read a sheet that came back; entries that a tool took for obsolete are counted.

    Raises:
        InputError: it is no PO file in UTF-8.
    """
    import polib

    try:
        catalogue = polib.pofile(str(path), encoding="utf-8", wrapwidth=0)
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise InputError(f"is not a PO file in UTF-8: {error}", file=path) from error
    metadata = {name.lower(): value for name, value in catalogue.metadata.items()}
    facts = {
        name.removeprefix(_FACT.lower()): value
        for name, value in metadata.items()
        if name.startswith(_FACT.lower())
    }
    facts = {"language": metadata.get("language", "")} | facts
    facts |= split_facts([catalogue.header])
    rows = [
        filled_unit(
            columns,
            entry.linenum,
            (entry.msgctxt or "", entry.msgid, entry.msgstr),
            [entry.tcomment],
            not entry.fuzzy,
        )
        for entry in catalogue
        if not entry.obsolete
    ]
    obsolete = sum(entry.obsolete for entry in catalogue)
    note = f"{counted(obsolete, 'obsolete entry', 'obsolete entries')} passed over." * bool(
        obsolete
    )
    return Filled(path, file_sha256(path), facts, tuple(rows), note=note)


def _with_ends_of(source: str, text: str) -> str:
    """Return the text with line feeds where the source begins or ends in one, as msgfmt wants."""
    if not text:
        return text
    before = "\n" if source.startswith("\n") else ""
    after = "\n" if source.endswith("\n") else ""
    return before + text.strip("\n") + after
