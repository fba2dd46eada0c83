"""Translation memories as files. In: TMX of any CAT tool. Out: units; and units as TMX 1.4.

TMX 1.4b (LISA, 2005). The parts of a caption are one segment, joined by ` // `. Foreign files may
hold inline elements (their native codes are left out, highlighted text is kept), several languages
a unit, `lang` without its namespace, and a source language of `*all*`.
Files are untrusted: no entity is expanded, nothing is fetched, a file that declares entities
is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.locales import Registry, default
from memeloc.model import SEPARATOR, Caption
from memeloc.tables import drawable
from memeloc.translate.memory import MemoryUnit

if TYPE_CHECKING:
    from lxml.etree import _Element

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_CODES = frozenset(("bpt", "ept", "ph", "it", "ut"))
_DATE = "%Y%m%dT%H%M%SZ"


def write_tmx(units: Iterable[MemoryUnit], path: Path, *, source_language: str = "*all*") -> int:
    """Write units as TMX 1.4; return how many. Characters that XML cannot hold are left out.

    An old file is replaced. `source_language` is the header's; each unit says its own.
    """
    from lxml import etree

    from memeloc.version import __version__

    header = {
        "creationtool": "memeloc",
        "creationtoolversion": __version__,
        "creationdate": datetime.now(UTC).strftime(_DATE),
        "segtype": "block",
        "o-tmf": "memeloc",
        "adminlang": "en",
        "srclang": source_language,
        "datatype": "plaintext",
    }
    count = 0
    with replacing(path) as temporary, etree.xmlfile(str(temporary), encoding="utf-8") as xml:
        xml.write_declaration()
        with xml.element("tmx", {"version": "1.4"}):
            xml.write(etree.Element("header", header))
            with xml.element("body"):
                for unit in map(MemoryUnit.without_empty_parts, units):
                    count += 1
                    texts = (unit.source_language, unit.source), (unit.language, unit.target)
                    element = etree.Element("tu", {"srclang": unit.source_language})
                    if unit.origin:
                        origin = etree.SubElement(element, "prop", {"type": "x-origin"})
                        origin.text = drawable(unit.origin)
                    for language, parts in texts:
                        variant = etree.SubElement(element, "tuv", {_XML_LANG: language})
                        etree.SubElement(variant, "seg").text = drawable(SEPARATOR.join(parts))
                    xml.write(element, pretty_print=True)
    return count


def read_tmx(
    path: Path,
    *,
    source_language: str | None = None,
    locales: Registry | None = None,
    skipped: Counter[str] | None = None,
) -> Iterator[MemoryUnit]:
    """Yield the units of a TMX file of any size, one for each language of a <tu> but its source.

    `source_language` is the tag of the language to translate from; None takes what the file says.
    `skipped` gets how many were passed over, by reason.

    Raises:
        InputError: the file cannot be read, is not TMX, or declares entities; with its line.
    """
    from lxml import etree

    registry = locales or default()
    reasons = Counter[str]() if skipped is None else skipped
    wanted = registry.get(source_language).tag if source_language else None
    header_language = "*all*"
    try:
        events = etree.iterparse(
            str(path),
            events=("start", "end"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        _, root = next(events)
        dtd: Any = root.getroottree().docinfo.internalDTD
        if dtd is not None and next(iter(dtd.entities()), None) is not None:
            raise InputError("declares XML entities, which a TMX file does not need", file=path)
        if (name := etree.QName(root).localname) != "tmx":
            raise InputError(f"is not TMX: its root is <{name}>, not <tmx>", file=path)
        for event, element in events:
            name = etree.QName(element).localname
            if event == "end" and name == "header":
                header_language = element.get("srclang") or "*all*"
            elif event == "end" and name == "tu":
                own = element.get("srclang") or header_language
                yield from _units(element, wanted, own, registry, reasons, path.name)
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise InputError(f"is not well-formed XML: {error.msg}", file=path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error


def _units(
    element: _Element,
    wanted: str | None,
    own: str,
    registry: Registry,
    reasons: Counter[str],
    origin: str,
) -> Iterator[MemoryUnit]:
    """Yield the units of one <tu>; `own` is its source language, and of `*all*` its first one."""
    texts: dict[str, str] = {}
    for variant in element.iterchildren("{*}tuv"):
        code = variant.get(_XML_LANG) or variant.get("lang") or ""
        segment = variant.find("{*}seg")
        if code not in registry:
            reasons[f"the language {code or '(none)'} is not known"] += 1
        elif segment is not None and (text := _text(segment).strip()):
            texts.setdefault(registry.get(code).tag, text)
    stated = registry.get(own).tag if own in registry else next(iter(texts), None)
    source = wanted or stated
    if source is None or source not in texts:
        reasons["it has no text in the source language"] += 1
        return
    parts = tuple(filter(None, Caption.parse(texts.pop(source)).parts))
    for language, text in texts.items():
        target = tuple(filter(None, Caption.parse(text, len(parts)).parts))
        unit = MemoryUnit(source, language, parts, target, origin)
        if len(unit.source) == len(unit.target):
            yield unit
        else:
            reasons["its languages have not the same number of parts"] += 1


def _text(element: _Element) -> str:
    """Return the text of a segment: native codes are left out, and what follows them is kept."""
    from lxml import etree

    pieces = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and etree.QName(child).localname not in _CODES:
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)
