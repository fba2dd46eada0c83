"""Lists that go over several pages. In: a page's links, whether it was new. Out: the next page."""

from __future__ import annotations

from dataclasses import dataclass, field

from memeloc.collect.pages import Document, key_of, same_host
from memeloc.items import Refusal

MOST_PAGES = 200
"""Pages of one list that are read, unless a setting says otherwise."""

MOST_UNKNOWN = 3
"""When so many of a list's first pages are not as expected, the rest is not asked for."""


def layout_changed(source: str, url: str) -> Refusal:
    """Why a list is left when its first pages are not as expected."""
    sentence = (
        f"none of the first {MOST_UNKNOWN} pages that it links to is as expected, so the rest was "
        "not asked for; write down the site's selectors and give them with --selectors"
    )
    return Refusal(source, url, "unknown layout", sentence)


def unknown_layout(found: object) -> bool:
    """Whether something found is the refusal of a page that was not as expected."""
    return isinstance(found, Refusal) and found.reason == "unknown layout"


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
