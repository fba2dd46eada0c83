"""Sheets as units of translation tools, in XLIFF 1.2 and PO. In: a form and its rows, or a file.
Out: the other.

A unit has a key, a source and the text that is asked about; all else that stands in a row is notes
of ours, each of which begins with `memeloc: `, so that it is known whatever a converter makes of
it. What a translator notes may hold a line such as `status: wordplay`; the rest of it is a comment.

XLIFF has a trans-unit a row, those that stand together in a group; the text is the target with the
state needs-review-translation, other texts of it are alternatives, those of a translation memory
with their match-quality (OASIS XLIFF 1.2, sections 2.2 to 2.4). PO has an entry a row: its key is
the context, so that equal sources stay apart; the text is marked fuzzy, and answering is
translating the entry or taking the mark away. PO keeps the empty msgid for its header, so a row
without source has no entry.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from lxml import etree

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.placeholders import PLACEHOLDER, placeholders
from memeloc.sheets.form import (
    Alternative,
    Cells,
    Filled,
    FilledRow,
    SheetColumn,
    SheetForm,
    cell_lines,
    cell_text,
    paragraphs,
)
from memeloc.tables import clean_text, drawable

_OURS = "memeloc: "
_US = "memeloc"
_STATUS = re.compile(r"\s*status\s*:\s*(.+)", re.IGNORECASE)
_IN_THE_UNIT = ("key", "fact", "source", "answer", "status", "note", "count")

_SPACE = "urn:oasis:names:tc:xliff:document:1.2"
_NAMES: Any = {None: _SPACE}
_XML = "{http://www.w3.org/XML/1998/namespace}"
_DONE = {"translated", "signed-off", "final", "needs-review-adaptation", "needs-review-l10n"}
_UNDONE = {"new", "needs-translation", "needs-review-translation", "needs-adaptation", "needs-l10n"}
"""States of XLIFF 1.2, 2.3: those that come after a translation, and those that still ask for one.
Weblate writes `translated`, Crowdin and memoQ `translated` and `final`, OmegaT leaves them."""
_HEADER_OF_PO = "x-gettext-domain-header"
_PO_LINE = re.compile(rb'\s*(#.*|(msgctxt|msgid|msgstr|msgid_plural|msgstr\[\d\]) ".*|".*")?')
_BRACES = "python-brace-format"
"""Has gettext's tools mark the placeholders of a text, and report a lost one."""
_FACT = "X-Memeloc-"


def reader_of(head: bytes) -> Any:
    """Return the function that reads a file that begins so, None where it is neither format: XML
    that soon says xliff, or lines as PO has them, as a fully quoted CSV has, too."""
    encoding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    start = head.decode(encoding, "ignore").lstrip("\ufeff \r\n\t")
    if start.startswith("<") and "xliff" in start:
        return read_xliff
    plain = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    lines = plain.splitlines()[: -1 if len(head) == 4096 else None]
    is_po = plain.startswith((b"#", b"msg")) and all(map(_PO_LINE.fullmatch, lines))
    return read_po if is_po else None


def _unit_columns(columns: Sequence[SheetColumn]) -> list[str]:
    """Return the first columns of the kinds key, source, text, answer, status and note."""
    kinds = ("key", "source", "text", "answer", "status", "note")
    return [next((each.name for each in columns if each.kind == kind), "") for kind in kinds]


def _note_lines(form: SheetForm, row: Cells, *, memory: bool) -> Iterator[str]:
    """Yield the notes of a row, one line each; those of a translation memory only if asked for."""
    shown = _unit_columns(form.columns)[2]
    for column in form.columns:
        if column.kind in _IN_THE_UNIT or column.hidden or column.name in (shown, ""):
            continue
        cell = row.get(column.name)
        if not memory and isinstance(cell, list | tuple):
            cell = [line for line in cell if not (isinstance(line, Alternative) and line.source)]
        for line in cell_lines(cell):
            if line.strip():
                yield f"{_OURS}{column.heading or column.name}: {' '.join(drawable(line).split())}"


def _alternatives(row: Cells) -> Iterator[Alternative]:
    for cell in row.values():
        for line in cell if isinstance(cell, list | tuple) else ():
            if isinstance(line, Alternative) and line.text:
                yield line


def _split_facts(notes: Iterable[str]) -> dict[str, str]:
    """Return the facts in the notes of a file."""
    lines = (line for note in notes for line in note.splitlines() if line.startswith(_OURS))
    pairs = (line.removeprefix(_OURS).partition(":") for line in lines)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _filled_unit(
    columns: Sequence[SheetColumn],
    number: int,
    texts: tuple[str, str, str],
    notes: Iterable[str],
    answered: bool | None,
) -> FilledRow:
    """Return a unit as a row: its key, source and text, and what was noted.

    The text is given as the answer. Whether it is one only who sent the sheet can tell: tools have
    put the source or a memory's match there.
    """
    key, source, _, answer, status, comment = _unit_columns(columns)
    picked, rest = "", []
    for line in "\n".join(notes).splitlines():
        match = _STATUS.match(line)
        if match and not picked:
            picked = clean_text(match[1])
        elif line.strip() and not line.startswith(_OURS):
            rest.append(line.strip())
    cells = {key: texts[0], source: texts[1], answer: clean_text(texts[2])}
    cells |= {status: picked, comment: "\n".join(rest)}
    is_touched = bool(answered is not False or picked or rest)
    return FilledRow(number, cells, answered=answered, is_touched=is_touched, is_unit=True)


def write_xliff(path: Path, form: SheetForm, rows: Sequence[Cells]) -> None:
    """Write a sheet, group by group, so that no large one is held in memory.

    The tag of a language that the form leaves open is `und`.
    """
    source, target = (each.tag if each else "und" for each in (form.source, form.language))
    facts = {
        "original": f"memeloc-{form.title}",
        "source-language": source,
        "target-language": target,
        "datatype": "plaintext",
        "tool-id": _US,
    }
    header = etree.Element(_tag("header"), nsmap=_NAMES)
    _add(header, "tool", {"tool-id": _US, "tool-name": _US})
    for name, fact in form.facts.items():
        _add(header, "note", {"from": _US}, f"{_OURS}{name}: {fact}")
    _add(header, "note", {"from": "guide"}, "\n".join(text for _, text in paragraphs(form.guide)))
    with etree.xmlfile(str(path), encoding="UTF-8") as out:
        out.write_declaration()
        with (
            out.element(_tag("xliff"), {"version": "1.2"}, nsmap=_NAMES),
            out.element(_tag("file"), facts),
        ):
            out.write(header, pretty_print=True)
            with out.element(_tag("body")):
                for name, group in groupby(rows, lambda row: str(row.get(form.together) or "")):
                    names = {"id": name, "resname": name}
                    element = etree.Element(_tag("group"), names, nsmap=_NAMES)
                    for row in group:
                        _add_unit(element, form, row, (source, target))
                    out.write(element, pretty_print=True)


def _add_unit(group: etree._Element, form: SheetForm, row: Cells, tags: tuple[str, str]) -> None:
    key, source, text = _unit_columns(form.columns)[:3]
    original = cell_text(row.get(source))
    facts = {"id": cell_text(row.get(key)), "approved": "no", _XML + "space": "preserve"}
    for column in form.of_kind("room"):
        if room := row.get(column.name):
            facts |= {"maxwidth": str(room), "size-unit": "char"}
    if not original.strip():
        facts["translate"] = "no"
    unit = _add(group, "trans-unit", facts)
    add = _add_protected if form.braces else _add
    source_language, language = ({_XML + "lang": tag} for tag in tags)
    add(unit, "source", source_language, original)
    state = {"state": "needs-review-translation", **language}
    add(unit, "target", state, cell_text(row.get(text)))
    for note in _note_lines(form, row, memory=False):
        _add(unit, "note", {"from": _US}, note)
    for other in _alternatives(row):
        quality = {"match-quality": f"{other.percent}%"} if other.percent else {}
        alternative = _add(unit, "alt-trans", {**quality, "origin": other.origin})
        if other.source:
            _add(alternative, "source", source_language, other.source)
        _add(alternative, "target", language, other.text)


def _tag(name: str) -> str:
    return f"{{{_SPACE}}}{name}"


def _add(
    parent: etree._Element, name: str, facts: dict[str, str] | None = None, text: str = ""
) -> etree._Element:
    element = etree.SubElement(parent, _tag(name), facts or {})
    if text:
        element.text = drawable(text)
    return element


def _add_protected(
    parent: etree._Element, name: str, facts: dict[str, str], text: str
) -> etree._Element:
    """Add an element whose placeholders are elements, which tools keep from changes.

    (XLIFF 1.2, section 2.4.2: `ph`, with what it stands for as its text and as `equiv-text`.)
    """
    text = drawable(text)
    between = PLACEHOLDER.split(text)
    if len(between) == 1 or not any(piece.strip() for piece in between):
        return _add(parent, name, facts, text)
    element = _add(parent, name, facts, between[0])
    numbers = {name: number for number, name in enumerate(placeholders(text), 1)}
    times: Counter[str] = Counter()
    for name, after in zip(PLACEHOLDER.findall(text), between[1:], strict=True):
        times[name] += 1
        again = f"-{times[name]}" if times[name] > 1 else ""
        inline = _add(element, "ph", {"id": f"{numbers[name]}{again}", "equiv-text": name}, name)
        inline.tail = after
    return element


def read_xliff(path: Path, columns: Sequence[SheetColumn]) -> Filled:
    """Read a sheet that came back, of any version of XLIFF 1. Raise InputError if it is broken, or
    declares a document type, from which entities could come."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.parse(str(path), parser).getroot()
    except (etree.XMLSyntaxError, OSError) as error:
        raise InputError(f"is broken XML: {error}", file=path) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise InputError(
            "declares a document type, which no translation tool does; it is not read", file=path
        )
    facts: dict[str, str] = {}
    for file in root.iter("{*}file"):
        facts.setdefault("language", file.get("target-language", ""))
        facts = _split_facts(map(_text, file.iterfind("{*}header/{*}note"))) | facts
    units = [unit for unit in root.iter("{*}trans-unit") if unit.get("restype") != _HEADER_OF_PO]
    lines = [unit.sourceline if isinstance(unit.sourceline, int) else 0 for unit in units]
    # Where a tool has written all on one line, their order tells units apart.
    numbers = lines if len(set(lines)) == len(lines) else range(1, len(lines) + 1)
    rows = []
    for number, unit in zip(numbers, units, strict=True):
        target = unit.find("{*}target")
        state = "" if target is None else target.get("state", "")
        answered = True if state in _DONE else False if state in _UNDONE else None
        answered = True if unit.get("approved") == "yes" else answered
        answered = False if unit.get("translate") == "no" else answered
        notes = [_text(note) for note in unit.iterfind("{*}note") if note.get("from") != _US]
        texts = (unit.get("id", ""), _text(unit.find("{*}source")), _text(target))
        rows.append(_filled_unit(columns, number, texts, notes, answered))
    return Filled(path, file_sha256(path), facts, tuple(rows))


def _text(element: etree._Element | None) -> str:
    """Return the text of an element; inline elements of a tool are taken as their text."""
    if element is None:
        return ""
    held = set()
    for inline in element.iter("{*}ph", "{*}x"):
        if not inline.text and not len(inline):
            inline.text = inline.get("equiv-text", "")
        held.add(inline.text or "")
    if held and held <= set(placeholders(element.text or "")):
        # Translate Toolkit writes a whole new text before the elements that it leaves there.
        return clean_text(element.text or "")
    return clean_text("".join(map(str, element.itertext())))


def write_po(path: Path, form: SheetForm, rows: Sequence[Cells]) -> None:
    """Write a sheet, one entry a row that has a source."""
    import polib

    key, source, text = _unit_columns(form.columns)[:3]
    catalogue = polib.POFile(wrapwidth=0)
    catalogue.header = drawable("\n".join(line for _, line in paragraphs(form.guide)))
    for row in rows:
        original, asked = cell_text(row.get(source)), cell_text(row.get(text))
        if not original.strip():
            continue
        notes = [*_note_lines(form, row, memory=True), f"{_OURS}{text}: {' '.join(asked.split())}"]
        if asked:  # msgfmt wants line feeds where the source begins or ends in one
            before, after = "\n" * original.startswith("\n"), "\n" * original.endswith("\n")
            asked = before + asked.strip("\n") + after
        # Of another source that a text was written for, editors show what has changed since.
        previous = next((each.source for each in _alternatives(row) if each.source), None)
        entry = polib.POEntry(
            msgctxt=cell_text(row.get(key)),
            msgid=original,
            msgstr=asked,
            comment="\n".join(notes),
            flags=["fuzzy", *[_BRACES] * (form.braces and "{" in original)],
            previous_msgid=drawable(previous) if previous and previous != original else None,
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


def read_po(path: Path, columns: Sequence[SheetColumn]) -> Filled:
    """Read a sheet that came back. Entries that a tool took for obsolete are read where nothing has
    taken their place; those of another sheet are counted. Raise InputError if it is no PO file in
    UTF-8."""
    import polib

    try:
        catalogue = polib.pofile(str(path), encoding="utf-8", wrapwidth=0)
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise InputError(f"is not a PO file in UTF-8: {error}", file=path) from error
    metadata = {name.lower(): value for name, value in catalogue.metadata.items()}
    facts = {"language": metadata.get("language", "")}
    for name, value in metadata.items():
        if name.startswith(_FACT.lower()):
            facts[name.removeprefix(_FACT.lower())] = value
    contexts = {entry.msgctxt or "" for entry in catalogue if not entry.obsolete}
    sheets = {context.partition("|")[0] for context in contexts}  # as keys begin, see `correct`
    entries = [
        entry
        for entry in catalogue
        if not entry.obsolete
        or (
            entry.msgctxt not in contexts
            and (not sheets or (entry.msgctxt or "").partition("|")[0] in sheets)
        )
    ]
    rows = []
    for entry in entries:
        texts = (entry.msgctxt or "", entry.msgid, entry.msgstr)
        answered = not entry.fuzzy
        rows.append(_filled_unit(columns, entry.linenum, texts, [entry.tcomment], answered))
    passed_over = len(catalogue) - len(entries)
    obsolete = counted(passed_over, "obsolete entry", "obsolete entries")
    note = f"{obsolete} passed over." if passed_over else ""
    facts |= _split_facts([catalogue.header])
    return Filled(path, file_sha256(path), facts, tuple(rows), note=note)
