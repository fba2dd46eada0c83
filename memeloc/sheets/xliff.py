"""Sheets as XLIFF 1.2, for translation tools. In: a form and its rows, or a file. Out: the other.

One trans-unit a row, those that stand together in a group. The text that is asked about stands in
the target with the state needs-review-translation; other texts of it are alternatives, those of a
translation memory with their match-quality. A note of the translator may hold a line such as
`status: wordplay`; the rest of it is a comment. (OASIS XLIFF 1.2, sections 2.2 to 2.4.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from lxml import etree

from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.placeholders import PLACEHOLDER, placeholders
from memeloc.sheets.form import Alternative, Cells, Filled, SheetColumn, SheetForm, cell_text
from memeloc.sheets.markdown import paragraphs
from memeloc.sheets.units import OURS, filled_unit, note_lines, split_facts, unit_columns
from memeloc.tables import clean_text, drawable

_SPACE = "urn:oasis:names:tc:xliff:document:1.2"
_NAMES: Any = {None: _SPACE}
_XML = "{http://www.w3.org/XML/1998/namespace}"
_US = "memeloc"
_DONE = {"translated", "signed-off", "final", "needs-review-adaptation", "needs-review-l10n"}
_UNDONE = {"new", "needs-translation", "needs-review-translation", "needs-adaptation", "needs-l10n"}
"""States of XLIFF 1.2, 2.3: those that come after a translation, and those that still ask for one.
Weblate writes `translated`, Crowdin and memoQ `translated` and `final`, OmegaT leaves them."""
_HEADER_OF_PO = "x-gettext-domain-header"


def write(path: Path, form: SheetForm, rows: Sequence[Cells]) -> None:
    """Write a sheet, group by group, so that no large one is held in memory."""
    source, target = _tags(form)
    facts = {
        "original": f"memeloc-{form.title}",
        "source-language": source,
        "target-language": target,
        "datatype": "plaintext",
        "tool-id": _US,
    }
    with etree.xmlfile(str(path), encoding="UTF-8") as out:
        out.write_declaration()
        with (
            out.element(_tag("xliff"), {"version": "1.2"}, nsmap=_NAMES),
            out.element(_tag("file"), facts),
        ):
            out.write(_header(form), pretty_print=True)
            with out.element(_tag("body")):
                for name, group in groupby(rows, lambda row: row.get(form.together)):
                    out.write(_group(form, str(name or ""), list(group)), pretty_print=True)


def _tags(form: SheetForm) -> tuple[str, str]:
    """Return the tags of both languages; `und` of one that the form leaves open."""
    return form.source.tag if form.source else "und", form.language.tag if form.language else "und"


def _header(form: SheetForm) -> etree._Element:
    header = etree.Element(_tag("header"), nsmap=_NAMES)
    _add(header, "tool", {"tool-id": _US, "tool-name": _US})
    for name, fact in form.facts.items():
        _add(header, "note", {"from": _US}, f"{OURS}{name}: {fact}")
    guide = "\n".join(text for _, text in paragraphs(form.guide))
    _add(header, "note", {"from": "guide"}, guide)
    return header


def _group(form: SheetForm, name: str, rows: Sequence[Cells]) -> etree._Element:
    group = etree.Element(_tag("group"), {"id": name, "resname": name}, nsmap=_NAMES)
    key, source, text = unit_columns(form.columns)[:3]
    add = _add_protected if form.braces else _add
    for row in rows:
        original = cell_text(row.get(source))
        facts = {"id": cell_text(row.get(key)), "approved": "no", _XML + "space": "preserve"}
        for column in form.of_kind("room"):
            if room := row.get(column.name):
                facts |= {"maxwidth": str(room), "size-unit": "char"}
        if not original.strip():
            facts["translate"] = "no"
        unit = _add(group, "trans-unit", facts)
        own, language = ({_XML + "lang": tag} for tag in _tags(form))
        add(unit, "source", own, original)
        state = {"state": "needs-review-translation", **language}
        add(unit, "target", state, cell_text(row.get(text)))
        for note in note_lines(form, row, memory=False):
            _add(unit, "note", {"from": _US}, note)
        for other in _alternatives(row):
            quality = {"match-quality": f"{other.percent}%"} if other.percent else {}
            alternative = _add(unit, "alt-trans", {**quality, "origin": other.origin})
            if other.source:
                _add(alternative, "source", own, other.source)
            _add(alternative, "target", language, other.text)
    return group


def _alternatives(row: Cells) -> Iterator[Alternative]:
    for cell in row.values():
        if isinstance(cell, list | tuple):
            yield from (line for line in cell if isinstance(line, Alternative) and line.text)


def knows(head: bytes) -> bool:
    """Return whether a file that begins so is XML that soon says xliff."""
    encoding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    start = head.decode(encoding, "ignore").lstrip("\ufeff \r\n\t")
    return start.startswith("<") and "xliff" in start


def read(path: Path, columns: Sequence[SheetColumn]) -> Filled:
    """Read a sheet that came back, of any version of XLIFF 1.

    Raises:
        InputError: it is broken, or declares a document type, from which entities could come.
    """
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
        facts = split_facts(map(_text, file.iterfind("{*}header/{*}note"))) | facts
    units = [unit for unit in root.iter("{*}trans-unit") if unit.get("restype") != _HEADER_OF_PO]
    lines = [unit.sourceline if isinstance(unit.sourceline, int) else 0 for unit in units]
    # Where a tool has written all on one line, their order tells units apart.
    numbers = lines if len(set(lines)) == len(lines) else range(1, len(lines) + 1)
    rows = []
    for number, unit in zip(numbers, units, strict=True):
        target = unit.find("{*}target")
        state = "" if target is None else target.get("state", "")
        answered = True if state in _DONE else False if state in _UNDONE else None
        if unit.get("approved") == "yes":
            answered = True
        if unit.get("translate") == "no":
            answered = False
        notes = [_text(note) for note in unit.iterfind("{*}note") if note.get("from") != _US]
        texts = (unit.get("id", ""), _text(unit.find("{*}source")), _text(target))
        rows.append(filled_unit(columns, number, texts, notes, answered))
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
    between = PLACEHOLDER.split(drawable(text))
    if len(between) == 1 or not any(piece.strip() for piece in between):
        return _add(parent, name, facts, text)
    element = _add(parent, name, facts, between[0])
    numbers = {name: number for number, name in enumerate(placeholders(drawable(text)), 1)}
    times: Counter[str] = Counter()
    for name, after in zip(PLACEHOLDER.findall(drawable(text)), between[1:], strict=True):
        times[name] += 1
        again = f"-{times[name]}" if times[name] > 1 else ""
        inline = _add(element, "ph", {"id": f"{numbers[name]}{again}", "equiv-text": name}, name)
        inline.tail = after
    return element
