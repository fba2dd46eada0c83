"""Encyclopaedias of memes. In: a list of entries, or an entry. Out: templates and their examples.

After charmemes, section 4.1: an entry describes a meme and its origin, and shows how it is used.
Its picture becomes a template; each example of its usage a finished meme of that template, and so
does each picture of a gallery, whose pages are lists too. Two kinds of site are known:
`know-your-meme` and `memepedia` (an article with a gallery, in Russian). The year is the one in the
entry's table of facts, else what a model reads in its text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memeloc.collect.page_values import (
    EARLIEST,
    fetch_picture,
    line_of,
    plain_digits,
    refused,
    without_empty,
)
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
from memeloc.errors import InputError, MemelocError
from memeloc.items import FoundPicture, FoundTemplate, Origin, Refusal, Year

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, Page

SITES = ("know-your-meme", "memepedia")  # the kinds of site, in the order in which they are tried
_LONGEST_DETAIL = 20_000  # characters
_MAX_SECTIONS = 200  # far above any entry: it bounds what an untrusted page stores
_MAX_PICTURES = 2000  # likewise, of a gallery
_YEAR = re.compile(r"(?<![\d$€£₽#@])(?:1[89]\d\d|20\d\d)(?![\d%$€£₽]|[.,]\d{3}(?!\d))")


class Section(NamedTuple):
    """A part of an entry, its text a line a paragraph; `heading` is empty before the first one.

    `kind` is about, origin, spread, meaning, examples, leave_out, or empty.
    """

    heading: str
    kind: str
    text: str


class Example(NamedTuple):
    """A picture in an entry: its address, what the page says of it, and where it stands."""

    url: str
    alt: str
    section: str
    kind: str


class Entry(NamedTuple):
    """An encyclopaedia's page of a meme.

    `facts` are its table, by label, and `examples` pictures of its usage; of all its text where no
    part is marked as examples.
    """

    name: str
    picture: str
    sections: tuple[Section, ...]
    facts: dict[str, str]
    examples: tuple[Example, ...]

    def text(self, *kinds: str) -> str:
        return "\n".join(each.text for each in self.sections if each.kind in kinds and each.text)

    @property
    def description(self) -> str:
        """Return what the meme is: the section that says so, or what stands before the first
        heading."""
        before = "\n".join(each.text for each in self.sections if not each.heading and each.text)
        return self.text("about") or before

    def text_for_year(self) -> str:
        """Return all that tells the year: name, description, origin and the rest, each once."""
        rest = [each.text for each in self.sections if each.kind in ("spread", "meaning", "")]
        parts = [self.name, self.description, self.text("origin"), *rest]
        return "\n".join(dict.fromkeys(part for part in parts if part))


def is_entry(document: Document) -> bool:
    if document.nodes("body"):
        return True
    return bool(document.nodes("entry") and document.nodes("facts"))


def is_photo(document: Document) -> bool:
    return bool(document.picture("photo")) and not is_entry(document)


def read_entry(document: Document) -> Entry:
    """Read an entry, cut at its headings; what a page lacks is empty."""
    left_out = document.inside("leave_out")
    sections: list[Section] = []
    pictures = [(node, "", "examples") for node in document.nodes("examples")]
    for body in document.nodes("body")[:20]:
        heading, kind = "", ""
        parts: list[str] = []
        inside_heading: set[int] = set()
        for node in body.traverse(include_text=True):
            if node.mem_id in left_out or node.mem_id in inside_heading:
                continue
            if node.tag in ("h1", "h2", "h3", "h4"):
                sections.append(Section(heading, kind, joined("".join(parts))))
                parts.clear()
                heading = line_of(lines_in(node), 300)
                level = kind_of(heading)
                # A heading below another one that says nothing itself belongs to it.
                kind = level if level or node.tag in ("h1", "h2") else kind
                inside_heading = {each.mem_id for each in node.traverse(include_text=True)}
            elif node.tag == "img" and kind != "leave_out":
                pictures.append((node, heading, kind))
            parts.extend(shown(node))
        sections.append(Section(heading, kind, joined("".join(parts))))
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
    picture = document.picture("picture") or document.picture("picture_last")
    examples = [
        Example(
            document.picture_of(node),
            line_of(node.attributes.get("alt") or node.attributes.get("title"), 500),
            section,
            kind,
        )
        for node, section, kind in pictures
    ]
    return Entry(
        line_of(document.text("name"), 500),
        picture,
        tuple(each for each in sections if each.heading or each.text)[:_MAX_SECTIONS],
        facts,
        _of_usage(examples, picture),
    )


def _of_usage(examples: list[Example], picture: str) -> tuple[Example, ...]:
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


def kind_of(heading: str) -> str:
    """Return what a section is about, by its heading; empty when the words are not known.

    >>> kind_of("Происхождение мема")
    'origin'
    """
    plain = " ".join(heading.casefold().split()).lstrip("0123456789. ")
    kinds = {
        word: kind
        for kind, words in _words("headings").items()
        for word in map(str.casefold, words)
        if plain.startswith(word)
    }
    return kinds[max(kinds, key=len)] if kinds else ""


def year_of(facts: Mapping[str, str], latest: int | None = None) -> Year | None:
    """Return the year in a table of facts, none after the `latest`, by default this year.

    >>> year_of({"Origin year:": "circa 2012"})
    Year(year=2012, by='data', evidence='table Origin year:: circa 2012')
    """
    latest = latest or datetime.now(UTC).year
    plain = {name.casefold().strip(" :"): (name, text) for name, text in reversed([*facts.items()])}
    for label in _words("years")["labels"]:
        name, text = plain.get(label, ("", ""))
        for match in _YEAR.finditer(plain_digits(text)):
            if EARLIEST <= int(match[0]) <= latest:
                return Year(int(match[0]), "data", f"table {name}: {text[:200]}")
    return None


@cache
def _words(name: str) -> dict[str, list[str]]:
    path = Path(__file__).parents[1] / "data" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _links(key: str, document: Document) -> dict[str, Link]:
    addresses = document.addresses(key)
    return {key_of(url): Link(url) for url in addresses if same_host(url, document.url)}


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
        year_by_model: reads the year from an entry's text, where its facts do not tell it.
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
        for fits in (is_entry, is_photo, self.links):
            if matching := [document for document in documents if fits(document)]:
                return matching[0]
        return documents[0]

    def is_item(self, document: Document) -> bool:
        return is_entry(document) or is_photo(document)

    def links(self, document: Document) -> dict[str, Link]:
        return _links("gallery", document) or _links("entry_link", document)

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
        year = year_of(entry.facts)
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
        details = {kind: entry.text(kind)[:_LONGEST_DETAIL] for kind in _TOLD} | {
            "facts": entry.facts,
            "categories": _unique(document.texts("categories")),
            "published": line_of(document.text("published"), 60),
            "page_language": document.language,
            "picture": entry.picture,
        }
        yield FoundTemplate(
            origin,
            entry.name,
            (yield from fetch_picture(fetcher, self.name, entry.picture, document.url)),
            entry.description[:_LONGEST_DETAIL],
            tuple(_unique(document.texts("tags"))),
            year,
            details=without_empty(details),
        )
        examples = entry.examples[: self.examples or None]
        pages = fetcher.get_all((example.url for example in examples), accept="picture")
        for example, page in zip(examples, pages, strict=True):
            if isinstance(page, MemelocError):
                yield refused(self.name, example.url, page)
                continue
            key = f"{origin.key}#{key_of(example.url)}"
            about = {"alt": example.alt, "section": example.section, "picture": example.url}
            yield FoundPicture(
                replace(origin, key=key, fetched=page.fetched),
                page.body,
                entry.name,
                template=origin.key,
                year=year,
                details=without_empty(about),
            )
        if self.gallery and (gallery := document.address("gallery_link")):
            first = self.read(fetcher, gallery)
            photos = self.linked(fetcher, gallery, first, self.gallery, partial(_links, "gallery"))
            for photo, shows in photos:
                if isinstance(shows, Refusal):
                    yield shows
                elif is_photo(shows):
                    yield self._photo(fetcher, shows, origin.key, year)
                else:
                    yield self.unknown(shows, photo.url)

    def _year_at(self, fetcher: Fetcher, address: str) -> Year | None:
        """Return the year of the entry at an address, which is read once; None for none."""
        key = key_of(address)
        if address and key not in self._years:
            document = self.read(fetcher, address)
            facts = read_entry(document).facts if isinstance(document, Document) else {}
            self._years[key] = year_of(facts)
        return self._years.get(key)

    def _photo(
        self, fetcher: Fetcher, document: Document, template: str, year: Year | None
    ) -> FoundPicture | Refusal:
        address = document.picture("photo")
        try:
            page = fetcher.get(address, accept="picture")
        except MemelocError as error:
            return refused(self.name, address, error)
        terms = document.address("terms")
        return FoundPicture(
            Origin(self.name, key_of(document.url), document.url, terms, page.fetched),
            page.body,
            line_of(document.text("photo_name"), 500),
            template=template,
            created=line_of(document.text("photo_created"), 60),
            year=year,
            details=without_empty({"section": "gallery", "picture": address}),
        )


_TOLD = ("origin", "spread", "meaning")


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(line_of(text, 200) for text in texts if text))[:100]
