"""Sheets as gettext PO. In: a sheet, or a file that was filled in. Out: the other.

One entry a part: its key is the context, so that equal sources stay apart; the source is the msgid,
the text to be corrected the msgstr, marked fuzzy. Correcting is translating the entry and taking
the mark away; a status or comment is a translator's comment, `status: wordplay`. A part without
source has no entry, for PO keeps the empty msgid for its header; X-Memeloc-Empty there names it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.correct.beside import match_lines, note_lines, part_of
from memeloc.correct.model import Row, Sheet, SheetAnswers, SheetItem
from memeloc.correct.rows import gather, key_of, parts_of, split_key, split_note
from memeloc.errors import InputError
from memeloc.sheets.markdown import paragraphs
from memeloc.tables import clean_text, drawable

if TYPE_CHECKING:
    import polib

_LINE = re.compile(rb'\s*(#.*|(msgctxt|msgid|msgstr|msgid_plural|msgstr\[\d\]) ".*|".*)?')
_MACHINE = "to be corrected: "
_BRACES = "python-brace-format"
"""Has gettext's tools mark the placeholders of a survey's text, and report a lost one."""
_LINE_FEED = "\u2424"
"""Stands for a line feed within a comment line."""


class Po:
    """The PO format of sheets."""

    name = "po"
    suffix = ".po"
    has_pictures = False

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet, one entry a part."""
        import polib

        catalogue = polib.POFile(wrapwidth=0)
        guide = "\n".join(text for _, text in paragraphs(sheet.guide))
        catalogue.header = drawable(guide)
        empty: list[str] = []
        for item, number, part in parts_of(sheet):
            key = key_of(sheet, item, number)
            if not part.source.strip():
                empty.append(key)
                continue
            notes = [f"meme {item.meme_id}, {part.name}"]
            if part.capacity:
                notes.append(f"room: {part.capacity} characters")
            if item.picture:
                notes.append(f"picture: {item.picture_name}")
            machine = drawable(part.machine)
            notes += note_lines(sheet, item, number)
            notes += [*match_lines(item, number), _MACHINE + machine]
            braces = sheet.kind == "survey" and "{" in part.source
            entry = polib.POEntry(
                msgctxt=key,
                msgid=drawable(part.source),
                msgstr=_with_ends_of(drawable(part.source), machine),
                comment="\n".join(drawable(note).replace("\n", _LINE_FEED) for note in notes),
                flags=["fuzzy", _BRACES] if braces else ["fuzzy"],
                previous_msgid=_previous(item, number),
            )
            catalogue.append(entry)
        catalogue.metadata = {
            "Project-Id-Version": f"memeloc sheet {sheet.id}",
            "PO-Revision-Date": sheet.created.strftime("%Y-%m-%d %H:%M%z"),
            "Last-Translator": sheet.person or "unnamed",
            "Language-Team": sheet.language.name,
            "Language": sheet.language.tag,
            "MIME-Version": "1.0",
            "Content-Type": "text/plain; charset=UTF-8",
            "Content-Transfer-Encoding": "8bit",
            "X-Memeloc-Sheet": sheet.id,
            "X-Memeloc-Round": str(sheet.round),
            "X-Memeloc-Person": sheet.person,
            "X-Memeloc-Created": sheet.created.isoformat(),
            "X-Memeloc-Empty": " ".join(empty),
        }
        catalogue.save(str(path))

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it begins as a PO file does."""
        lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
        whole = lines[:-1] if len(head) == 4096 else lines
        return bool(whole) and all(_LINE.fullmatch(line) for line in whole)

    def read(self, path: Path) -> SheetAnswers:
        """See `SheetFormat.read`."""
        import polib

        try:
            catalogue = polib.pofile(str(path), encoding="utf-8", wrapwidth=0)
        except (OSError, ValueError, UnicodeDecodeError) as error:
            raise InputError(f"is not a PO file in UTF-8: {error}", file=path) from error
        metadata = catalogue.metadata
        facts = {
            "language": metadata.get("Language", ""),
            "round": metadata.get("X-Memeloc-Round", ""),
            "person": metadata.get("X-Memeloc-Person", ""),
        }
        present = {entry.msgctxt for entry in catalogue if not entry.obsolete}
        # What a tool took for obsolete counts where nothing else has its context.
        entries = (each for each in catalogue if not each.obsolete or each.msgctxt not in present)
        rows = [_row(entry) for entry in entries]
        for text in metadata.get("X-Memeloc-Empty", "").split():
            if key := split_key(text):
                rows.append(Row(0, *key, "", "", ""))
        return gather(path, rows, facts)


def _previous(item: SheetItem, number: int) -> str | None:
    """What the source was before, or that of the best match, where it differs: editors show what
    has changed since."""
    source = part_of(item.before or (item.matches[0].source if item.matches else ()), number)
    return drawable(source) if source not in ("", item.parts[number - 1].source) else None


def _row(entry: polib.POEntry) -> Row:
    key = split_key(entry.msgctxt or "") or ("", "", 0, "")
    machine = _machine(entry.comment)
    text = clean_text(entry.msgstr)
    status, comment = split_note(entry.tcomment)
    if machine is not None and text == clean_text(machine):
        text = ""
        if not entry.fuzzy and not status:
            status = "correct"
    source = clean_text(entry.msgid)
    return Row(entry.linenum, *key, text, status, comment, machine or "", source)


def _machine(comment: str) -> str | None:
    """The text to be corrected, the last of an entry's comments; some tools wrap its lines."""
    lines = comment.split("\n")
    for index, line in enumerate(lines):
        if line.startswith(_MACHINE):
            whole = " ".join(lines[index:])
            return whole.removeprefix(_MACHINE).replace(_LINE_FEED, "\n")
    return None


def _with_ends_of(source: str, text: str) -> str:
    """The text with line feeds where the source begins or ends in one: msgfmt insists on it."""
    if not text:
        return text
    before = "\n" if source.startswith("\n") else ""
    after = "\n" if source.endswith("\n") else ""
    return before + text.strip("\n") + after
