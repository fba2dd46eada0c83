"""Sheets as projects of OmegaT. In: a sheet. Out: an archive to unpack and open there.

OmegaT (3.6 in Debian 12, and later) takes the target of an XLIFF unit for its source. So the
project's XLIFF has the source there, and the text to be corrected stands in the project's memory,
bound to its unit: the source is shown as source, the machine's text as its translation. Matches are
a memory in `tm`, and the terms of the glossary stand in `glossary`, where OmegaT looks for both.
What OmegaT makes of it, `target/*.xlf`, is read as any XLIFF. Of a whole project in an archive the
memory is read, where OmegaT keeps all that was typed, and the notes, which are nowhere else.
(OmegaT 3.6's manual, appendices on project files and on alternative translations.)
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from lxml import etree
from lxml.builder import E

from memeloc.correct.model import Sheet, SheetAnswers
from memeloc.correct.packing import PROJECT, add_pictures
from memeloc.correct.rows import key_of, parts_of
from memeloc.correct.sheet_xliff import XLIFF, Xliff, parse_xml, write_xliff
from memeloc.errors import InputError
from memeloc.glossary import shown
from memeloc.sheets.markdown import paragraphs
from memeloc.tables import drawable
from memeloc.tables.archives import ZIP, names_in, read_member

_DEFAULT = "__DEFAULT__"
_FOLDERS = ("source", "target", "tm", "glossary", "dictionary")
_MEMORY = "omegat/project_save.tmx"
_SENT = re.compile(r"(^|/)source/[^/]+\.xlf$")
_FILTER = "org.omegat.filters3.xml.xliff.XLIFFFilter"
_Unit = tuple[str, str, Mapping[str, str]]
"""A text, its translation, and the properties of the unit, such as the `id` that it is for."""
_EPOCH = (2020, 1, 1, 0, 0, 0)


class OmegaT:
    """A sheet as a project of OmegaT, in an archive."""

    name = "omegat"
    suffix = "-omegat.zip"
    has_pictures = True

    def write(self, sheet: Sheet, path: Path) -> None:
        """Write the project with its pictures."""
        project = f"memeloc-{sheet.language.tag}-{sheet.id}"
        name = f"{sheet.language.tag}-r{sheet.round}.xlf"
        guide = "\n\n".join(text for _, text in paragraphs(sheet.guide))
        with TemporaryDirectory(prefix="memeloc-") as folder, zipfile.ZipFile(path, "w") as archive:
            xliff = Path(folder) / name
            write_xliff(sheet, xliff, source_as_target=True)
            archive.write(xliff, f"{project}/source/{name}", zipfile.ZIP_DEFLATED)
            for empty in _FOLDERS[1:]:
                archive.writestr(zipfile.ZipInfo(f"{project}/{empty}/", _EPOCH), b"")
            for file, content in {
                "omegat.project": _xml(_project(sheet)),
                "omegat/filters.xml": _xml(_filters()),
                _MEMORY: _xml(_memory(sheet, name)),
                "guide.txt": guide.encode(),
                "tm/memory.tmx": _xml(_tmx(sheet, _matches(sheet))),
                "glossary/memeloc.utf8": _glossary(sheet).encode(),
            }.items():
                archive.writestr(f"{project}/{file}", content, zipfile.ZIP_DEFLATED)
            add_pictures(archive, sheet, f"{project}/")

    def knows(self, path: Path, head: bytes) -> bool:
        """Whether it is an archive of a project."""
        return head.startswith(ZIP) and any(name.endswith(PROJECT) for name in names_in(path))

    def read(self, path: Path) -> SheetAnswers:
        """See `SheetFormat.read`."""
        sheets = [name for name in names_in(path) if _SENT.search(name)]
        if len(sheets) != 1:
            raise InputError(
                f"is a project of OmegaT with {len(sheets)} sheets in its folder source, not one",
                file=path,
            )
        memory = sheets[0][: sheets[0].rindex("source/")] + _MEMORY
        with TemporaryDirectory(prefix="memeloc-") as folder:
            file = Path(folder) / "sheet.xlf"
            file.write_bytes(read_member(path, sheets[0]))
            tree = parse_xml(file)
            translations = _translations(read_member(path, memory), file)
            for unit in tree.iter(f"{XLIFF}trans-unit"):
                _translate(unit, translations)
            tree.getroottree().write(str(file), encoding="UTF-8", xml_declaration=True)
            return Xliff().read(file)


@dataclass(frozen=True, slots=True)
class _Translation:
    text: str
    note: str


def _translations(memory: bytes, path: Path) -> Mapping[str, _Translation]:
    """What the project's memory has for each unit by its id, and else by its source."""
    path = path.with_name("memory.tmx")
    path.write_bytes(memory)
    translations = {}
    for unit in parse_xml(path, has_doctype=True).iter("tu"):
        texts = [(variant.findtext("seg") or "").strip() for variant in unit.iter("tuv")]
        if len(texts) != 2:
            continue
        ids = [prop.text or "" for prop in unit.iter("prop") if prop.get("type") == "id"]
        notes = "\n".join(note.text or "" for note in unit.iter("note"))
        translations[ids[0] if ids else texts[0]] = _Translation(texts[1], notes)
    return translations


def _translate(unit: etree._Element, translations: Mapping[str, _Translation]) -> None:
    """Put what the memory has into a unit; one without any keeps its source as its target."""
    target = unit.find(f"{XLIFF}target")
    source = (unit.findtext(f"{XLIFF}source") or "").strip()
    translation = translations.get(unit.get("id", "")) or translations.get(source)
    if target is None or translation is None or unit.get("translate") == "no":
        return
    if translation.text:
        target.text = translation.text
    if translation.note:
        etree.SubElement(unit, f"{XLIFF}note").text = translation.note


def _project(sheet: Sheet) -> etree._Element:
    folders = (E(f"{name}_dir", _DEFAULT) for name in _FOLDERS)
    root: etree._Element = E.omegat(
        E.project(
            *folders,
            E.glossary_file(_DEFAULT),
            E.source_lang(_tag(sheet.source_language.tag)),
            E.target_lang(_tag(sheet.language.tag)),
            E.sentence_seg("false"),
            E.support_default_translations("true"),
            E.remove_tags("false"),
            version="1.0",
        )
    )
    return root


def _filters() -> etree._Element:
    """That a translation belongs to its unit: the same text may be translated in two ways."""
    files = E.files(sourceFilenameMask="*.xlf", targetFilenamePattern="${filename}")
    option = E.option(name="alttransidtype", value="ELEMENT_ID")
    root: etree._Element = E.filters(E.filter(files, option, className=_FILTER, enabled="true"))
    return root


def _memory(sheet: Sheet, name: str) -> etree._Element:
    """The text to be corrected as the translation of each unit."""
    units = [
        (part.source, part.machine, {"file": name, "id": key_of(sheet, item, number)})
        for item, number, part in parts_of(sheet)
        if part.source.strip() and part.machine.strip()
    ]
    return _tmx(sheet, units)


def _matches(sheet: Sheet) -> Iterator[_Unit]:
    """The parts of all matches, each pair of texts once."""
    pairs = (
        pair
        for item in sheet.items
        for match in item.matches
        for pair in zip(match.source, match.text, strict=True)
    )
    return ((*pair, {}) for pair in dict.fromkeys(pairs) if all(pair))


def _glossary(sheet: Sheet) -> str:
    """A line for each form of a term: what it is to be in its first form, and the whole term."""
    terms = dict.fromkeys(term for item in sheet.items for term in item.terms)
    lines = [
        (shown([name]), shown(term.wanted[:1]) or f"(not {shown(term.forbidden)})", str(term))
        for term in terms
        for name in term.names
    ]
    return "".join("\t".join(" ".join(text.split()) for text in line) + "\n" for line in lines)


def _tmx(sheet: Sheet, units: Iterable[_Unit]) -> etree._Element:
    body = E.body()
    source, target = _tag(sheet.source_language.tag), _tag(sheet.language.tag)
    for text, translation, facts in units:
        body.append(
            E.tu(
                *(E.prop(value, type=kind) for kind, value in facts.items()),
                E.tuv(E.seg(drawable(text)), lang=source),
                E.tuv(E.seg(drawable(translation)), lang=target),
            )
        )
    header = {
        "creationtool": "OmegaT",
        "o-tmf": "OmegaT TMX",
        "adminlang": "EN-US",
        "datatype": "plaintext",
        "creationtoolversion": "3.6.0",
        "segtype": "paragraph",
        "srclang": source,
    }
    root: etree._Element = E.tmx(E.header(header), body, version="1.1")
    return root


def _tag(tag: str) -> str:
    """Of a language's tag what OmegaT can read: language, and region or script."""
    return "-".join(tag.split("-")[:2])


def _xml(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=False)
