"""Encyclopaedias of memes. In: a list of entries, or an entry. Out: templates and their examples.

After charmemes, section 4.1: an entry describes a meme and its origin, and shows how it is used.
Its picture becomes a template; each example of its usage a finished meme of that template, and so
does each picture of a gallery, whose pages are lists too. Two kinds of site are known:
`know-your-meme` and `memepedia` (an article with a gallery, in Russian).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborNode

from memeloc.collect.page_values import fetch_picture, line_of, refused, without_empty
from memeloc.collect.pages import (
    MOST_PAGES,
    Document,
    Link,
    SiteSource,
    joined,
    key_of,
    lines_in,
    same_host,
    selectors_of,
    shown,
)
from memeloc.collect.years import year_of_data
from memeloc.errors import InputError, MemelocError
from memeloc.items import FoundPicture, FoundTemplate, Origin, Refusal, Year

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, FetchRefused, Page

SITES = ("know-your-meme", "memepedia")  # the kinds of site, in the order in which they are tried
_LONGEST_DETAIL = 20_000  # characters

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
    kind: str


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
    if document.nodes("body"):
        return True
    return bool(document.nodes("entry") and document.nodes("facts"))


def read_entry(document: Document) -> Entry:
    """Read an entry; what a page lacks is empty."""
    left_out = document.inside("leave_out")
    sections: list[Section] = []
    examples = [_example(document, node, "", "examples") for node in document.nodes("examples")]
    for body in document.nodes("body")[:20]:
        _walk(document, body, left_out, sections, examples)
    picture = document.picture("picture") or document.picture("picture_last")
    facts = _facts(document)
    return Entry(
        name=line_of(document.text("name"), 500),
        picture=picture,
        sections=tuple(sections[:_MAX_SECTIONS]),
        facts=facts,
        tags=_unique(document.texts("tags")),
        categories=_unique(document.texts("categories")),
        published=line_of(document.text("published"), 60),
        examples=_chosen(examples, picture),
        year=year_of_data(document.structured, document.tree, facts),
    )


def _chosen(examples: Sequence[Example], picture: str) -> tuple[Example, ...]:
    """Pictures of usage, each once, without the entry's own picture."""
    marked = [example for example in examples if example.kind == "examples"]
    sections: dict[str, str] = {}
    for example in (*marked, *examples):
        if example.section:
            sections.setdefault(example.url, example.section)
    chosen = {
        example.url: example._replace(section=sections.get(example.url, ""))
        for example in reversed(marked or examples)
        if example.url not in ("", picture)
    }
    return tuple(reversed(chosen.values()))[:_MAX_PICTURES]


def _walk(
    document: Document,
    body: LexborNode,
    left_out: set[int],
    sections: list[Section],
    examples: list[Example],
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
            examples.append(_example(document, node, heading, kind))
        parts.extend(shown(node))
    close()


def _example(document: Document, node: LexborNode, section: str, kind: str) -> Example:
    alt = line_of(node.attributes.get("alt") or node.attributes.get("title"), 500)
    return Example(document.picture_of(node), alt, section, kind)


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


def is_photo(document: Document) -> bool:
    return bool(document.picture("photo")) and not is_entry(document)


def _links(document: Document, key: str) -> dict[str, Link]:
    addresses = document.addresses(key)
    return {key_of(url): Link(url) for url in addresses if same_host(url, document.url)}


def _photos(document: Document) -> dict[str, Link]:
    return _links(document, "gallery")


@dataclass
class EncyclopaediaSource(SiteSource):
    """Entries of an encyclopaedia of memes, with their year and examples of usage.

    Args:
        address: of a list of entries, of one entry, or of a gallery (/photos).
        site: know-your-meme or memepedia; empty is found out by the page.
        limit: at most this many entries; 0 is all.
        examples: at most this many examples an entry; 0 is all.
        gallery: at most this many pictures of each entry's gallery; 0 reads no galleries.
        pages: at most this many pages of the list.
        selectors: a TOML file with selectors for a site that calls its elements otherwise.
        year_by_model: reads the year from an entry's text, where its data do not tell it.
    """

    name = "encyclopaedia"
    summary = "encyclopaedias of memes (Know Your Meme, Memepedia): entries, years, examples"
    shows = "an entry nor a list of entries"

    address: str
    _: KW_ONLY
    site: str = ""
    limit: int = 0
    examples: int = 0
    gallery: int = 0
    pages: int = MOST_PAGES
    selectors: Path | None = None
    year_by_model: Callable[[str], Year | None] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.site and self.site not in SITES:
            raise InputError(f"there is no site {self.site[:60]!r}; there are {', '.join(SITES)}")
        sites = (self.site,) if self.site else SITES
        self._selectors = [selectors_of(site, self.selectors) for site in sites]
        self._years: dict[str, Year | None] = {}

    def parse(self, page: Page) -> Document:
        """Return the page by the selectors of the first kind of site that it looks like."""
        documents = [Document(page, selectors) for selectors in self._selectors]
        entries = [document for document in documents if is_entry(document)]
        photos = [document for document in documents if is_photo(document)]
        lists = [document for document in documents if self.links(document)]
        return (entries or photos or lists or documents)[0]

    def is_item(self, document: Document) -> bool:
        return is_entry(document) or is_photo(document)

    def links(self, document: Document) -> dict[str, Link]:
        return _photos(document) or _links(document, "entry_link")

    def item(
        self, fetcher: Fetcher, link: Link, document: Document
    ) -> Iterator[FoundTemplate | FoundPicture | Refusal]:
        if is_photo(document):
            address = document.address("photo_entry")
            year = self._year_at(fetcher, address)
            yield self._photo(fetcher, document, key_of(address), year)
            return
        entry = read_entry(document) if is_entry(document) else None
        if entry is None or not entry.name:
            yield self.unknown(document, link.url)
            return
        if not entry.sections:
            sentence = "the entry has no text where it is looked for; it comes in without one"
            yield Refusal(self.name, document.url, "no text", sentence)
        year = entry.year
        if year is None and self.year_by_model is not None:
            try:
                year = self.year_by_model(entry.text_for_year())
            except MemelocError as error:
                sentence = f"the model could not be asked for the year: {error}"
                yield Refusal(self.name, document.url, "year not read", sentence)
        canonical = document.address("canonical")
        address = canonical if same_host(canonical, document.url) else document.url
        terms = document.address("terms")
        origin = Origin(self.name, key_of(address), address, terms, document.page.fetched)
        self._years[origin.key] = year
        picture = yield from fetch_picture(fetcher, self.name, entry.picture, document.url)
        details = {
            "origin": entry.text("origin")[:_LONGEST_DETAIL],
            "spread": entry.text("spread")[:_LONGEST_DETAIL],
            "meaning": entry.text("meaning")[:_LONGEST_DETAIL],
            "facts": entry.facts,
            "categories": list(entry.categories),
            "published": entry.published,
            "page_language": document.language,
            "picture": entry.picture,
        }
        yield FoundTemplate(
            origin=origin,
            name=entry.name,
            picture=picture,
            description=entry.description[:_LONGEST_DETAIL],
            keywords=entry.tags,
            year=year,
            details=without_empty(details),
        )
        examples = entry.examples[: self.examples or None]
        pages = fetcher.get_all((example.url for example in examples), accept="picture")
        for example, page in zip(examples, pages, strict=True):
            yield self._example(page, example, entry, origin, year)
        if self.gallery and (gallery := document.address("gallery_link")):
            yield from self._gallery(fetcher, gallery, origin.key, year)

    def _year_at(self, fetcher: Fetcher, address: str) -> Year | None:
        """The year of the entry at an address, which is read once; None when it has none."""
        key = key_of(address)
        if address and key not in self._years:
            document = self.read(fetcher, address)
            entry = read_entry(document) if isinstance(document, Document) else None
            self._years[key] = entry.year if entry else None
        return self._years.get(key)

    def _gallery(
        self, fetcher: Fetcher, address: str, template: str, year: Year | None
    ) -> Iterator[FoundPicture | Refusal]:
        first = self.read(fetcher, address)
        for link, document in self.linked(fetcher, address, first, self.gallery, _photos):
            if isinstance(document, Refusal):
                yield document
            elif is_photo(document):
                yield self._photo(fetcher, document, template, year)
            else:
                yield self.unknown(document, link.url)

    def _photo(
        self, fetcher: Fetcher, document: Document, template: str, year: Year | None
    ) -> FoundPicture | Refusal:
        address = document.picture("photo")
        try:
            page = fetcher.get(address, accept="picture")
        except MemelocError as error:
            return refused(self.name, address, error)
        terms = document.address("terms")
        name = line_of(document.text("photo_name"), 500)
        return FoundPicture(
            Origin(self.name, key_of(document.url), document.url, terms, page.fetched),
            picture=page.body,
            name=name,
            template=template,
            created=line_of(document.text("photo_created"), 60),
            year=year,
            details=without_empty({"section": "gallery", "picture": address}),
        )

    def _example(
        self,
        page: Page | FetchRefused,
        example: Example,
        entry: Entry,
        origin: Origin,
        year: Year | None,
    ) -> FoundPicture | Refusal:
        if isinstance(page, MemelocError):
            return refused(self.name, example.url, page)
        key = f"{origin.key}#{key_of(example.url)}"
        details = {"alt": example.alt, "section": example.section, "picture": example.url}
        return FoundPicture(
            origin=replace(origin, key=key, fetched=page.fetched),
            picture=page.body,
            name=line_of(entry.name, 500),
            template=origin.key,
            year=year,
            details=without_empty(details),
        )
