"""Sheets as XLIFF 1.2, for translation tools. In: a sheet, or one filled in. Out: the other.

One trans-unit a part, grouped by meme. The text to be corrected stands in the target with the state
needs-review-translation, and once more as an alternative of the origin `memeloc`, so that reading
can tell a text that was looked at from one that was not touched. What the translation memory has is
an alternative each, with its match-quality. A part is correct when its state is translated,
signed-off or final, or it is approved; a note of the translator may hold a line such as
`status: wordplay`, and the rest of it is a comment. (OASIS XLIFF 1.2, sections 2.2 to 2.4.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lxml import etree

from memeloc.correct.beside import note_lines, part_of
from memeloc.correct.model import Row, Sheet, SheetAnswers, SheetItem
from memeloc.correct.rows import gather, key_of, split_key, split_note
from memeloc.correct.statuses import read_status
from memeloc.errors import InputError
from memeloc.placeholders import PLACEHOLDER, placeholders
from memeloc.sheets.markdown import paragraphs
from memeloc.tables import clean_text, drawable

_SPACE = "urn:oasis:names:tc:xliff:document:1.2"
XLIFF = f"{{{_SPACE}}}"
"""Before the name of an element in lxml."""
_NAMES: Any = {None: _SPACE}
_XML = "{http://www.w3.org/XML/1998/namespace}"
_US = "memeloc"
_DONE = {"translated", "signed-off", "final"}


class Xliff:
    """The XLIFF format of sheets."""

    name = "xliff"
    suffix = ".xlf"
    has_pictures = False

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write a sheet, one trans-unit a part."""
        write_xliff(sheet, path)

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is XML that soon says xliff."""
        start = head.decode(
            "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "ignore"
        )
        start = start.lstrip("\ufeff \r\n\t")
        return start.startswith("<") and "xliff" in start

    def read(self, path: Path) -> SheetAnswers:
        """See `SheetFormat.read`."""
        root = parse_xml(path)
        facts: dict[str, str] = {}
        for file in root.iter(_tag("file")):
            facts.setdefault("language", file.get("target-language", ""))
            for note in file.findall(f"{_tag('header')}/{_tag('note')}"):
                name, _, value = _text(note).partition(":")
                facts.setdefault(name.strip(), value.strip())
        units = list(root.iter(_tag("trans-unit")))
        untouched = _untouched_sources(units) if facts.get("targets") == "source" else frozenset()
        lines = [unit.sourceline if isinstance(unit.sourceline, int) else 0 for unit in units]
        # Where a tool has written all on one line, their order tells units apart.
        numbers = lines if len(set(lines)) == len(lines) else range(1, len(lines) + 1)
        rows = (
            _row(unit, number, unit in untouched)
            for unit, number in zip(units, numbers, strict=True)
        )
        return gather(path, rows, facts)


def parse_xml(path: Path, *, has_doctype: bool = False) -> etree._Element:
    """The root of a file of XML, of which no entity is expanded and nothing is fetched.

    Raises:
        InputError: it is broken, or declares a document type where none is expected.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.parse(str(path), parser).getroot()
    except (etree.XMLSyntaxError, OSError) as error:
        raise InputError(f"is broken XML: {error}", file=path) from error
    if root.getroottree().docinfo.internalDTD is not None and not has_doctype:
        raise InputError(
            "declares a document type, which no translation tool does; it is not read", file=path
        )
    return root


def write_xliff(sheet: Sheet, path: Path, *, source_as_target: bool = False) -> None:
    """Write a sheet as XLIFF, meme by meme, so that no large one is held in memory.

    With `source_as_target` the source stands in the targets, too: OmegaT takes for the source what
    it is to write over.
    """
    facts = {
        "original": f"memeloc-{sheet.id}",
        "source-language": sheet.source_language.tag,
        "target-language": sheet.language.tag,
        "datatype": "plaintext",
        "date": sheet.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "tool-id": _US,
    }
    with etree.xmlfile(str(path), encoding="UTF-8") as out:
        out.write_declaration()
        with (
            out.element(_tag("xliff"), {"version": "1.2"}, nsmap=_NAMES),
            out.element(_tag("file"), facts),
        ):
            out.write(_header(sheet, source_as_target), pretty_print=True)
            with out.element(_tag("body")):
                for item in sheet.items:
                    out.write(_group(sheet, item, source_as_target), pretty_print=True)


def _header(sheet: Sheet, source_as_target: bool) -> etree._Element:
    header = etree.Element(_tag("header"), nsmap=_NAMES)
    _add(header, "tool", {"tool-id": _US, "tool-name": _US})
    facts = [f"round: {sheet.round}", f"person: {sheet.person}"]
    for fact in facts + ["targets: source"] * source_as_target:
        _add(header, "note", {"from": _US}, fact)
    guide = "\n".join(text for _, text in paragraphs(sheet.guide))
    _add(header, "note", {"from": "guide"}, guide)
    return header


def _group(sheet: Sheet, item: SheetItem, source_as_target: bool) -> etree._Element:
    facts = {"id": item.meme_id, "resname": item.meme_id}
    group = etree.Element(_tag("group"), facts, nsmap=_NAMES)
    context = _add(group, "context-group", {"purpose": "information", "name": "meme"})
    _add(context, "context", {"context-type": "x-template"}, item.template)
    if item.picture:
        _add(context, "context", {"context-type": "x-picture"}, item.picture_name)
    for number, part in enumerate(item.parts, 1):
        facts = {
            "id": key_of(sheet, item, number),
            "resname": f"{item.meme_id}/{part.name}",
            "approved": "no",
            _XML + "space": "preserve",
        }
        notes = note_lines(sheet, item, number)
        if part.capacity:
            facts |= {"maxwidth": str(part.capacity), "size-unit": "char"}
            notes.insert(0, f"room: {part.capacity} characters")
        if item.picture:
            notes.append(f"picture: {item.picture_name}")
        if not part.source.strip():
            facts["translate"] = "no"
        unit = _add(group, "trans-unit", facts)
        add = _add_protected if sheet.kind == "survey" and not source_as_target else _add
        language = {_XML + "lang": sheet.language.tag}
        shown = part.source if source_as_target and part.source.strip() else part.machine
        add(unit, "source", {_XML + "lang": sheet.source_language.tag}, part.source)
        add(unit, "target", {"state": "needs-review-translation"} | language, shown)
        for note in notes:
            _add(unit, "note", {"from": _US}, note)
        before = _add(unit, "alt-trans", {"origin": _US})
        add(before, "target", language, part.machine)
        _add_steps(unit, sheet, item, number)
        _add_matches(unit, sheet, item, number)
    return group


def _add_steps(unit: etree._Element, sheet: Sheet, item: SheetItem, number: int) -> None:
    """Add the other texts of a part, as alternatives: earlier ones, and a machine's suggestion."""
    machine = item.parts[number - 1].machine
    texts = {part_of(step.parts, number): step.who for step in item.history}
    texts |= {part_of(item.suggestion, number): "suggestion"}
    for text, origin in texts.items():
        if text and text != machine:
            earlier = _add(unit, "alt-trans", {"origin": origin})
            _add(earlier, "target", {_XML + "lang": sheet.language.tag}, text)


def _add_matches(unit: etree._Element, sheet: Sheet, item: SheetItem, number: int) -> None:
    """Add the matches of a part, as alternatives that tools show beside their own memory's."""
    for match in item.matches:
        if text := match.text[number - 1]:
            facts = {"match-quality": f"{match.percent}%", "origin": f"memory: {match.origin}"}
            alternative = _add(unit, "alt-trans", facts)
            language = {_XML + "lang": sheet.source_language.tag}
            _add(alternative, "source", language, match.source[number - 1])
            _add(alternative, "target", {_XML + "lang": sheet.language.tag}, text)


def _untouched_sources(units: Sequence[etree._Element]) -> frozenset[etree._Element]:
    """Units of a file for OmegaT whose target is the source, because nobody has worked on them.

    In the project that was sent every unit has the machine's text, and a source that stands there
    was put there. A file that was opened without that project has sources wherever nobody typed.
    """
    texts = [
        (unit, _text(unit.find(_tag("source"))), _text(unit.find(_tag("target"))), _machine(unit))
        for unit in units
        if unit.get("translate") != "no"
    ]
    sources = frozenset(
        unit for unit, source, target, machine in texts if source == target != machine
    )
    left = sum(target == machine for _, _, target, machine in texts)
    if left < len(sources):
        return sources
    return frozenset(unit for unit, _, _, machine in texts if unit in sources and not machine)


def _machine(unit: etree._Element) -> str:
    return _text(unit.find(f"{_tag('alt-trans')}[@origin='{_US}']/{_tag('target')}"))


def _row(unit: etree._Element, number: int, untouched: bool) -> Row:
    key = split_key(unit.get("id", "")) or ("", "", 0, "")
    target = unit.find(_tag("target"))
    has_machine = unit.find(f"{_tag('alt-trans')}[@origin='{_US}']") is not None
    text, machine = "" if untouched else _text(target), _machine(unit)
    notes = [_text(note) for note in unit.findall(_tag("note")) if note.get("from", "") != _US]
    status, comment = split_note("\n".join(notes))
    if text.lower().startswith("status") and not comment and not status:
        # OmegaT's notes stay in its project, so a status is typed in place of the text.
        named, rest = split_note(text)
        if read_status(named):
            text, status, comment = "", named, rest
    state = "" if target is None else target.get("state", "")
    if has_machine and text == machine:
        text = ""
        done = state in _DONE or unit.get("approved") == "yes"
        if done and not status and unit.get("translate") != "no":
            status = "correct"
    source = _text(unit.find(_tag("source")))
    return Row(number, *key, text, status, comment, machine, source)


def _text(element: etree._Element | None) -> str:
    """The text of a source or target; inline elements of a tool are taken as their text."""
    if element is None:
        return ""
    held = set()
    for inline in element.iter(_tag("ph"), _tag("x")):
        if not inline.text and not len(inline):
            inline.text = inline.get("equiv-text", "")
        held.add(inline.text or "")
    if held and held <= set(placeholders(element.text or "")):
        # Translate Toolkit writes a whole new text before the elements that it leaves there.
        return clean_text(element.text or "")
    return clean_text("".join(map(str, element.itertext())))


def _tag(name: str) -> str:
    return XLIFF + name


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
    """An element whose placeholders are elements of their own, which tools keep from changes.

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
