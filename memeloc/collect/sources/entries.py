"""Entries of encyclopaedias. In: a page. Out: its name, sections, facts, pictures and year."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from selectolax.lexbor import LexborNode

from memeloc.collect.page_values import line_of
from memeloc.collect.pages import Document, joined, lines_in, shown
from memeloc.collect.years import year_of_data, year_of_text
from memeloc.items import Year

_HEADINGS = Path(__file__).parents[1] / "data" / "headings.toml"
_LEVELS = ("h1", "h2", "h3", "h4")
_MAX_SECTIONS = 200
_MAX_PICTURES = 2000


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an entry.

    Attributes:
        heading: as written; empty before the first one.
        kind: about, origin, spread, meaning, examples, leave_out, or empty.
        text: lines, one a paragraph.
    """

    heading: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A picture in an entry: its address, what the page says of it, and where it stands."""

    url: str
    alt: str
    section: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What an encyclopaedia's page says of a meme.

    Attributes:
        facts: its table, by label.
        published: when the page was written, as stated there.
        examples: pictures of its usage; of all its text where no part is marked as examples.
    """

    name: str
    picture: str
    sections: tuple[Section, ...]
    facts: dict[str, str]
    tags: tuple[str, ...]
    categories: tuple[str, ...]
    published: str
    examples: tuple[Example, ...]
    year: Year | None

    def text(self, kind: str) -> str:
        """The text of all sections of a kind."""
        return "\n".join(one.text for one in self.sections if one.kind == kind and one.text)

    @property
    def description(self) -> str:
        """What the meme is: the section that says so, or what stands before the first heading."""
        opening = "\n".join(one.text for one in self.sections if not one.heading and one.text)
        return self.text("about") or opening

    def text_for_year(self) -> str:
        """All that a reader needs to tell the year: name, description, origin and the rest."""
        rest = [one.text for one in self.sections if one.kind in ("spread", "meaning", "")]
        parts = [self.name, self.description, self.text("origin"), *rest]
        return "\n".join(dict.fromkeys(part for part in parts if part))


def is_entry(document: Document) -> bool:
    """Whether a page is an entry by its selectors."""
    if document.nodes("body"):
        return True
    return bool(document.nodes("entry") and document.nodes("facts"))


def read_entry(document: Document) -> Entry:
    """Read an entry; what a page lacks is empty."""
    left_out = document.inside("leave_out")
    sections: list[Section] = []
    marked: list[Example] = []
    others: list[Example] = []
    for body in document.nodes("body")[:20]:
        _walk(document, body, left_out, sections, marked, others)
    own = [_example(document, node, "") for node in document.nodes("examples")]
    picture = document.picture("picture") or document.picture("picture_last")
    facts = _facts(document)
    texts = _texts_for_year(sections)
    year = year_of_data(document.structured, document.tree, facts)
    return Entry(
        name=line_of(document.text("name"), 500),
        picture=picture,
        sections=tuple(sections),
        facts=facts,
        tags=_unique(document.texts("tags")),
        categories=_unique(document.texts("categories")),
        published=line_of(document.text("published"), 60),
        examples=_chosen(own, marked, others, picture),
        year=year or year_of_text(texts, document.language),
    )


def _chosen(
    own: list[Example], marked: list[Example], others: list[Example], picture: str
) -> tuple[Example, ...]:
    """Pictures of usage, each once, without the entry's own picture."""
    found: dict[str, Example] = {}
    sections: dict[str, str] = {}
    for one in (*marked, *others):
        sections.setdefault(one.url, one.section)
    for one in own + marked or others:
        if one.url and one.url != picture:
            section = sections.get(one.url, one.section)
            found.setdefault(one.url, Example(one.url, one.alt, section))
    return tuple(found.values())[:_MAX_PICTURES]


def _texts_for_year(sections: list[Section]) -> list[str]:
    order = ("origin", "about", "", "spread", "meaning")
    by_kind = {
        kind: "\n".join(one.text for one in sections if one.kind == kind and one.text)
        for kind in order
    }
    return [by_kind[kind] for kind in order]


def _walk(
    document: Document,
    body: LexborNode,
    left_out: set[int],
    sections: list[Section],
    marked: list[Example],
    others: list[Example],
) -> None:
    """Cut a body at its headings, and sort its pictures by what they stand under."""
    heading, kind = "", ""
    parts: list[str] = []
    inside_heading: set[int] = set()

    def close() -> None:
        text = joined("".join(parts))
        if (text or heading) and len(sections) < _MAX_SECTIONS:
            sections.append(Section(heading, kind, text))
        parts.clear()

    for node in body.traverse(include_text=True):
        if node.mem_id in left_out or node.mem_id in inside_heading:
            continue
        if node.tag in _LEVELS:
            close()
            heading = line_of(lines_in(node), 300)
            level = kind_of(heading)
            # A heading below another one that says nothing itself belongs to it.
            kind = level if level or node.tag in ("h1", "h2") else kind
            inside_heading = {one.mem_id for one in node.traverse(include_text=True)}
        elif node.tag == "img" and kind != "leave_out":
            example = _example(document, node, heading)
            (marked if kind == "examples" else others).append(example)
        parts.extend(shown(node))
    close()


def _example(document: Document, node: LexborNode, section: str) -> Example:
    alt = line_of(node.attributes.get("alt") or node.attributes.get("title"), 500)
    return Example(document.picture_of(node), alt, section)


def _facts(document: Document) -> dict[str, str]:
    """The rows of tables and definition lists."""
    found: dict[str, str] = {}
    for table in document.nodes("facts")[:20]:
        label = ""
        for node in table.css("dt, dd, th, td")[:500]:
            text = line_of(lines_in(node), 500)
            if node.tag in ("dt", "th") or not label:
                label = text.rstrip(" :")
            elif text:
                found.setdefault(label, text)
                label = ""
    return found


def _unique(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line_of(text, 200) for text in texts if text))[:100]


def kind_of(heading: str) -> str:
    """What a section is about, by its heading; empty when the words are not known.

    >>> kind_of("Происхождение мема")
    'origin'
    """
    plain = " ".join(heading.casefold().split()).lstrip("0123456789. ")
    best = ""
    found = ""
    for kind, words in _kinds().items():
        for word in words:
            if plain.startswith(word) and len(word) > len(best):
                best, found = word, kind
    return found


@cache
def _kinds() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads(_HEADINGS.read_text(encoding="utf-8"))
    return {kind: tuple(word.casefold() for word in words) for kind, words in table.items()}
