"""Encyclopaedias of memes. In: a list of entries, or an entry. Out: templates and their examples.

After charmemes, section 4.1: an entry describes a meme and its origin, and shows how it is used.
Its picture becomes a template; each example of its usage a finished meme of that template. Two
kinds of site are known: `know-your-meme` and `memepedia` (an article with a gallery, in Russian).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.collect.page_values import line_of, refused
from memeloc.collect.pages import Document, key_of, same_host
from memeloc.collect.paging import MOST_PAGES, Paging, walk_list
from memeloc.collect.selectors import selectors_of
from memeloc.collect.sources.entries import Entry, Example, is_entry, read_entry
from memeloc.errors import InputError, MemelocError
from memeloc.items import FoundPicture, FoundTemplate, Origin, Refusal, Year

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

SITES = ("know-your-meme", "memepedia")
"""The kinds of site, in the order in which they are tried."""

_LONGEST_TEXT = 6000  # characters of an entry that a model is given


class EncyclopaediaSource:
    """Entries of an encyclopaedia of memes, with their year and examples of usage.

    Args:
        address: of a list of entries, or of one entry.
        site: know-your-meme or memepedia; empty is found out by the page.
        limit: at most this many entries; 0 is all.
        examples: at most this many examples an entry; 0 is all.
        pages: at most this many pages of the list.
        selectors: a TOML file with selectors for a site that calls its elements otherwise.
        year_by_model: reads the year from an entry's text, where neither data nor rules tell it.
    """

    name = "encyclopaedia"
    summary = "encyclopaedias of memes (Know Your Meme, Memepedia): entries, years, examples"

    def __init__(
        self,
        address: str,
        *,
        site: str = "",
        limit: int = 0,
        examples: int = 0,
        pages: int = MOST_PAGES,
        selectors: Path | None = None,
        year_by_model: Callable[[str], Year | None] | None = None,
    ) -> None:
        if site and site not in SITES:
            raise InputError(f"there is no site {site[:60]!r}; there are {', '.join(SITES)}")
        if min(limit, examples) < 0 or pages < 1:
            raise InputError("limit and examples are 0 or more, pages is 1 or more")
        self.address = address
        self.limit = limit
        self.examples = examples
        self.pages = pages
        self.year_by_model = year_by_model
        self.selectors = {one: selectors_of(one, selectors) for one in ((site,) if site else SITES)}

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | FoundPicture | Refusal]:
        """Yield each entry's template and then its examples; what fails is a refusal."""
        yield from walk_list(
            Paging(self.name, self.pages),
            self.address,
            read=lambda url: self._read(fetcher, url),
            open_one=lambda page: (
                self._entry(fetcher, page, self.address) if is_entry(page) else None
            ),
            links=self._links,
            follow=lambda link: self._linked(fetcher, link),
            unknown=self._unknown,
            limit=self.limit,
        )

    @staticmethod
    def _links(document: Document) -> dict[str, str]:
        links: dict[str, str] = {}
        for link in document.addresses("entry_link"):
            if same_host(link, document.url):
                links.setdefault(key_of(link), link)
        return links

    def _linked(
        self, fetcher: Fetcher, link: str
    ) -> Iterator[FoundTemplate | FoundPicture | Refusal]:
        document = self._read(fetcher, link)
        if isinstance(document, Refusal):
            yield document
        else:
            yield from self._entry(fetcher, document, link)

    def _read(self, fetcher: Fetcher, url: str) -> Document | Refusal:
        """A page, by the selectors of the first kind of site that it looks like."""
        try:
            page = fetcher.get(url)
            documents = [Document(page, selectors) for selectors in self.selectors.values()]
        except MemelocError as error:
            return refused(self.name, url, error)
        for document in documents:
            if is_entry(document):
                return document
        for document in documents:
            if document.nodes("entry_link"):
                return document
        return documents[0]

    def _unknown(self, document: Document, url: str) -> Refusal:
        sentence = (
            "shows neither an entry nor a list of entries where they are looked for; if the site "
            "has changed, write down its selectors and give them with --selectors"
        )
        return document.refusal(self.name, url, sentence)

    def _entry(
        self, fetcher: Fetcher, document: Document, url: str
    ) -> Iterator[FoundTemplate | FoundPicture | Refusal]:
        if not is_entry(document):
            yield self._unknown(document, url)
            return
        entry = read_entry(document)
        if not entry.name:
            yield self._unknown(document, url)
            return
        canonical = document.address("canonical")
        address = canonical if same_host(canonical, document.url) else document.url
        key = key_of(address)
        if not entry.sections:
            sentence = "the entry has no text where it is looked for; it comes in without one"
            yield Refusal(self.name, document.url, "no text", sentence)
        year = entry.year
        if year is None and self.year_by_model is not None:
            try:
                year = self.year_by_model(entry.text_for_year()[:_LONGEST_TEXT])
            except MemelocError as error:
                sentence = f"the model could not be asked for the year: {error}"
                yield Refusal(self.name, document.url, "year not read", sentence)
        origin = Origin(self.name, key, address, document.address("terms"), document.page.fetched)
        yield from self._template(fetcher, document, entry, origin, year)
        shown = entry.examples[: self.examples or None]
        for example in shown:
            yield self._example(fetcher, example, entry, origin, year)

    def _template(
        self,
        fetcher: Fetcher,
        document: Document,
        entry: Entry,
        origin: Origin,
        year: Year | None,
    ) -> Iterator[FoundTemplate | Refusal]:
        picture = None
        if entry.picture:
            try:
                picture = fetcher.get(entry.picture, accept="picture").body
            except MemelocError as error:
                yield refused(self.name, entry.picture, error)
        else:
            sentence = "the entry shows no picture; its template comes in without one"
            yield Refusal(self.name, document.url, "no picture", sentence)
        details: dict[str, Any] = {
            "origin": entry.text("origin")[:20_000],
            "spread": entry.text("spread")[:20_000],
            "meaning": entry.text("meaning")[:20_000],
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
            description=entry.description[:20_000],
            keywords=entry.tags,
            year=year,
            details={name: value for name, value in details.items() if value},
        )

    def _example(
        self,
        fetcher: Fetcher,
        example: Example,
        entry: Entry,
        origin: Origin,
        year: Year | None,
    ) -> FoundPicture | Refusal:
        try:
            page = fetcher.get(example.url, accept="picture")
        except MemelocError as error:
            return refused(self.name, example.url, error)
        details = {"alt": example.alt, "section": example.section, "picture": example.url}
        return FoundPicture(
            origin=Origin(
                self.name,
                f"{origin.key}#{key_of(example.url)}",
                origin.url,
                origin.terms,
                page.fetched,
            ),
            picture=page.body,
            name=line_of(entry.name, 500),
            template=origin.key,
            year=year,
            details={name: value for name, value in details.items() if value},
        )
