"""Sites with lists. In: a list's address. Out: what its links lead to, and refusals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sized
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memeloc.collect.page_values import refused
from memeloc.collect.pages import Document, key_of, same_host
from memeloc.errors import InputError, MemelocError
from memeloc.items import Found, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, FetchRefused, Page

MOST_PAGES = 200  # pages of one list that are read, unless a setting says otherwise

MOST_UNKNOWN = 3
"""When so many of a list's first pages are not as expected, the rest is not asked for."""


class Link(NamedTuple):
    """A page that a list links to, and what the list shows of it."""

    url: str
    name: str = ""
    picture: str = ""


class SiteSource(ABC):
    """A source that reads a list, page after page, and what it links to, each once.

    Its options are `address`, of a list's first page or of a single one of what such a list links
    to, and numbers: `limit` of links that are followed, `pages` of a list, and its own, 0 for all.
    """

    name: str
    shows: str
    """What it expects of a page, for refusals."""
    address: str
    limit: int
    pages: int

    def __post_init__(self) -> None:
        numbers = [value for value in vars(self).values() if isinstance(value, int)]
        if min(numbers) < 0 or self.pages < 1:
            raise InputError("limits are 0 or more, pages is 1 or more")

    @abstractmethod
    def parse(self, page: Page) -> Document: ...

    @abstractmethod
    def is_item(self, document: Document) -> bool:
        """Return whether a page is one of those that a list links to."""

    @abstractmethod
    def links(self, document: Document) -> Mapping[str, Link]:
        """The links of a list's page by their keys."""

    @abstractmethod
    def item(self, fetcher: Fetcher, link: Link, document: Document) -> Iterator[Found | Refusal]:
        """What stands on a page that a list links to."""

    def collect(self, fetcher: Fetcher) -> Iterator[Found | Refusal]:
        """Yield what each link of the list leads to; what fails is a refusal."""
        first = self.read(fetcher, self.address)
        if isinstance(first, Document) and self.is_item(first):
            yield from self.item(fetcher, Link(self.address), first)
            return
        unknown = 0
        linked = self.linked(fetcher, self.address, first, self.limit, self.links)
        for count, (link, document) in enumerate(linked, 1):
            if isinstance(document, Refusal):
                results: Iterator[Found | Refusal] = iter([document])
            else:
                results = self.item(fetcher, link, document)
            reasons = set()
            for result in results:
                reasons.add(result.reason if isinstance(result, Refusal) else "")
                yield result
            unknown += reasons <= {"unknown layout"}
            if unknown == count == MOST_UNKNOWN:
                sentence = (
                    f"none of the first {MOST_UNKNOWN} pages that it links to is as expected, so "
                    "the rest was not asked for; write down the site's selectors and give them "
                    "with --selectors"
                )
                yield Refusal(self.name, self.address, "unknown layout", sentence)
                return

    def linked(
        self,
        fetcher: Fetcher,
        address: str,
        first: Document | Refusal,
        limit: int,
        links: Callable[[Document], Mapping[str, Link]],
    ) -> Iterator[tuple[Link, Document | Refusal]]:
        """Yield the pages that a list links to, each once; a refusal of the list is the last.

        Args:
            address, first: of the list's first page, and that page.
            limit: of links that are followed; 0 is all.
            links: those of a page of the list, by their keys.
        """
        seen: set[str] = set()
        for document in self.pages_from(fetcher, first, seen):
            if isinstance(document, Refusal):
                yield Link(""), document
                return
            found = links(document)
            if not found and not seen:
                yield Link(""), self.unknown(document, address)
                return
            new = [key for key in found if key not in seen]
            new = new[: limit - len(seen)] if limit else new
            pages = fetcher.get_all(found[key].url for key in new)
            for key, page in zip(new, pages, strict=False):
                seen.add(key)
                yield found[key], self.document(found[key].url, page)
            if limit and len(seen) >= limit:
                return

    def pages_from(
        self, fetcher: Fetcher, first: Document | Refusal, seen: Sized
    ) -> Iterator[Document | Refusal]:
        return pages_of(self.name, first, partial(self.read, fetcher), self.pages, seen)

    def read(self, fetcher: Fetcher, url: str) -> Document | Refusal:
        (page,) = fetcher.get_all([url])
        return self.document(url, page)

    def document(self, url: str, page: Page | FetchRefused) -> Document | Refusal:
        """A page that was asked for, or why it is not read."""
        try:
            return (
                refused(self.name, url, page)
                if isinstance(page, MemelocError)
                else self.parse(page)
            )
        except MemelocError as error:
            return refused(self.name, url, error)

    def unknown(self, document: Document, url: str) -> Refusal:
        """The refusal of a page with nothing that is expected; `url` was asked for."""
        sentence = (
            f"shows neither {self.shows} where they are looked for; if the site has changed, write "
            "down its selectors and give them with --selectors"
        )
        return document.refusal(self.name, url, sentence)


def pages_of(
    source: str,
    first: Document | Refusal,
    read: Callable[[str], Document | Refusal],
    most: int,
    seen: Sized,
) -> Iterator[Document | Refusal]:
    """The pages of a list; a refusal is the last of them.

    Args:
        source: its name.
        first: the list's first page.
        read: reads another one.
        most: pages that are read at most.
        seen: what the pages show: it grows while a page is looked at, or the list would not end.
    """
    document = first
    keys: set[str] = set()
    while True:
        before = len(seen)
        yield document
        if isinstance(document, Refusal):
            return
        keys.add(key_of(document.url))
        following = document.next_address()
        if not following or (len(seen) > before and key_of(following) in keys):
            return
        reason = ""
        if len(seen) == before:
            reason = "endless pages"
            sentence = (
                "shows nothing that earlier pages did not, and yet names a next page; reading ended"
            )
        elif not same_host(following, document.url):
            reason = "another host"
            sentence = f"names a next page on another host ({following[:200]}); reading ended"
        elif len(keys) >= most:
            reason = "page limit"
            sentence = f"goes on after {most} pages, which is the limit; --pages raises it"
        document = Refusal(source, document.url, reason, sentence) if reason else read(following)
