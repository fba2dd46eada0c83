"""Lists that go over several pages. In: a list's address. Out: what its links lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from memeloc.collect.pages import Document, key_of, same_host
from memeloc.items import Refusal

Link = TypeVar("Link")
Result = TypeVar("Result")

MOST_PAGES = 200
"""Pages of one list that are read, unless a setting says otherwise."""

MOST_UNKNOWN = 3
"""When so many of a list's first pages are not as expected, the rest is not asked for."""


@dataclass(slots=True)
class Paging:
    """Where a list goes on, and where it has to end.

    Attributes:
        source: its name, for refusals.
        most: pages that are read at most.
        read: the keys of those that were.
    """

    source: str
    most: int = MOST_PAGES
    read: set[str] = field(default_factory=set)

    def after(self, document: Document, new: int) -> str | Refusal | None:
        """The address of the next page; None at the end, a refusal when pages would not end.

        Args:
            document: the page that was read.
            new: how many things it showed that no page before it did.
        """
        self.read.add(key_of(document.url))
        following = document.next_address()
        if not following:
            return None
        if new == 0:
            sentence = (
                "shows nothing that earlier pages did not, and yet names a next page; reading ended"
            )
            return Refusal(self.source, document.url, "endless pages", sentence)
        if key_of(following) in self.read:
            return None
        if not same_host(following, document.url):
            sentence = f"names a next page on another host ({following[:200]}); reading ended"
            return Refusal(self.source, document.url, "another host", sentence)
        if len(self.read) >= self.most:
            sentence = f"goes on after {self.most} pages, which is the limit; --pages raises it"
            return Refusal(self.source, document.url, "page limit", sentence)
        return following


def walk_list(
    paging: Paging,
    address: str,
    *,
    read: Callable[[str], Document | Refusal],
    open_one: Callable[[Document], Iterator[Result] | None],
    links: Callable[[Document], Mapping[str, Link]],
    follow: Callable[[Link], Iterator[Result]],
    unknown: Callable[[Document, str], Refusal],
    limit: int = 0,
) -> Iterator[Result | Refusal]:
    """All that the links of a list lead to, page after page, each once.

    Args:
        paging: the list's.
        address: of the list's first page, or of a single one of what such a list links to.
        read: reads a page.
        open_one: what stands on such a single page; None for a list.
        links: of a page of the list, by their keys.
        follow: what a link leads to.
        unknown: the refusal of a page that is neither.
        limit: links that are followed at most; 0 is all.
    """
    seen: set[str] = set()
    strange = 0
    following: str | Refusal | None = address
    while isinstance(following, str):
        url = following
        document = read(url)
        if isinstance(document, Refusal):
            yield document
            return
        single = None if seen else open_one(document)
        if single is not None:
            yield from single
            return
        there = links(document)
        if not there and not seen:
            yield unknown(document, url)
            return
        new = {key: link for key, link in there.items() if key not in seen}
        for key, link in new.items():
            seen.add(key)
            reasons = set()
            for result in follow(link):
                reasons.add(result.reason if isinstance(result, Refusal) else "")
                yield result
            strange = strange + 1 if reasons <= {"unknown layout"} else 0
            if strange == len(seen) == MOST_UNKNOWN:
                sentence = (
                    f"none of the first {MOST_UNKNOWN} pages that it links to is as expected, so "
                    "the rest was not asked for; write down the site's selectors and give them "
                    "with --selectors"
                )
                yield Refusal(paging.source, url, "unknown layout", sentence)
                return
            if limit and len(seen) >= limit:
                return
        following = paging.after(document, len(new))
    if following is not None:
        yield following
