"""Entries of encyclopaedias. In: a page. Out: its name, sections, facts, pictures and year."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from memeloc.collect.page_values import line_of
from memeloc.collect.pages import Document, joined, lines_in, shown
from memeloc.collect.years import year_of_data, year_of_text
from memeloc.items import Year

_HEADINGS = Path(__file__).parents[1] / "data" / "headings.toml"
_LEVELS = ("h1", "h2", "h3", "h4")
_MAX_SECTIONS = 200
_MAX_PICTURES = 2000


class Section(NamedTuple):
    """A part of an entry; `heading` is empty before the first one."""

    heading: str
    kind: str
    """About, origin, spread, meaning, examples, leave_out, or empty."""
    text: str
    """Lines, one a paragraph."""


class Example(NamedTuple):
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
        return _text(self.sections, kind)

    @property
    def description(self) -> str:
        """What the meme is: the section that says so, or what stands before the first heading."""
        return self.text("about") or _text(each for each in self.sections if not each.heading)

    def text_for_year(self) -> str:
        """All that a reader needs to tell the year: name, description, origin and the rest."""
        rest = [each.text for each in self.sections if each.kind in ("spread", "meaning", "")]
        parts = [self.name, self.description, self.text("origin"), *rest]
        return "\n".join(dict.fromkeys(part for part in parts if part))


def _text(sections: Iterable[Section], kind: str = "") -> str:
    return "\n".join(each.text for each in sections if each.kind == kind and each.text)


def is_entry(document: Document) -> bool:
    """Whether a page is an entry by its selectors."""
    if document.nodes("body"):
        return True
    return bool(document.nodes("entry") and document.nodes("facts"))


def read_entry(document: Document) -> Entry:
    """Read an entry; what a page lacks is empty."""
    left_out = document.inside("leave_out")
    sections: list[Section] = []
    pictures: list[tuple[str, Example]] = []
    for body in document.nodes("body")[:20]:
        _walk(document, body, left_out, sections, pictures)
    own = [_example(document, node, "") for node in document.nodes("examples")]
    picture = document.picture("picture") or document.picture("picture_last")
    facts = _facts(document)
    year = year_of_data(document.structured, document.tree, facts)
    texts = [_text(sections, kind) for kind in ("origin", "about", "", "spread", "meaning")]
    return Entry(
        name=line_of(document.text("name"), 500),
        picture=picture,
        sections=tuple(sections[:_MAX_SECTIONS]),
        facts=facts,
        tags=_unique(document.texts("tags")),
        categories=_unique(document.texts("categories")),
        published=line_of(document.text("published"), 60),
        examples=_chosen(own, pictures, picture),
        year=year or year_of_text(texts, document.language),
    )


def _chosen(
    own: list[Example], pictures: list[tuple[str, Example]], picture: str
) -> tuple[Example, ...]:
    """Pictures of usage, each once, without the entry's own picture."""
    marked = [example for kind, example in pictures if kind == "examples"]
    others = [example for kind, example in pictures if kind != "examples"]
    sections: dict[str, str] = {}
    for example in marked + others:
        sections.setdefault(example.url, example.section)
    chosen: dict[str, Example] = {}
    for example in own + marked or others:
        if example.url not in ("", picture):
            section = sections.get(example.url, example.section)
            chosen.setdefault(example.url, example._replace(section=section))
    return tuple(chosen.values())[:_MAX_PICTURES]


def _walk(
    document: Document,
    body: LexborNode,
    left_out: set[int],
    sections: list[Section],
    pictures: list[tuple[str, Example]],
) -> None:
    """Cut a body at its headings, and note under what kind of heading its pictures stand."""
    heading, kind = "", ""
    parts: list[str] = []
    inside_heading: set[int] = set()

    def close() -> None:
        text = joined("".join(parts))
        if text or heading:
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
            inside_heading = {each.mem_id for each in node.traverse(include_text=True)}
        elif node.tag == "img" and kind != "leave_out":
            pictures.append((kind, _example(document, node, heading)))
        parts.extend(shown(node))
    close()


def _example(document: Document, node: LexborNode, section: str) -> Example:
    alt = line_of(node.attributes.get("alt") or node.attributes.get("title"), 500)
    return Example(document.picture_of(node), alt, section)


def _facts(document: Document) -> dict[str, str]:
    """The rows of tables and definition lists."""
    facts: dict[str, str] = {}
    for table in document.nodes("facts")[:20]:
        label = ""
        for node in table.css("dt, dd, th, td")[:500]:
            text = line_of(lines_in(node), 500)
            if node.tag in ("dt", "th") or not label:
                label = text.rstrip(" :")
            elif text:
                facts.setdefault(label, text)
                label = ""
    return facts


def _unique(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line_of(text, 200) for text in texts if text))[:100]


def kind_of(heading: str) -> str:
    """What a section is about, by its heading; empty when the words are not known.

    >>> kind_of("Происхождение мема")
    'origin'
    """
    plain = " ".join(heading.casefold().split()).lstrip("0123456789. ")
    kinds = {word: kind for word, kind in _kinds().items() if plain.startswith(word)}
    return kinds[max(kinds, key=len)] if kinds else ""


@cache
def _kinds() -> dict[str, str]:
    table = tomllib.loads(_HEADINGS.read_text(encoding="utf-8"))
    return {word.casefold(): kind for kind, words in table.items() for word in words}
