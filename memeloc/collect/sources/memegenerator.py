"""Sites of the memegenerator kind. In: a list or a template's page. Out: templates and captions.

After multi3hate, section 3.1: people upload pictures and other people write captions at their top
and bottom. A list names templates; a template's page shows its captions, a page after another,
with votes. What a site calls its elements stands in data/sites.toml.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborNode

from memeloc.collect.page_values import line_of, refused
from memeloc.collect.pages import Document, key_of, same_host
from memeloc.collect.paging import MOST_PAGES, Paging, walk_list
from memeloc.collect.selectors import selectors_of
from memeloc.errors import InputError, MemelocError
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

ADDRESS = "https://memegenerator.net/memes/popular/alltime"

_VOTES = re.compile(
    r"([-\u2212+]?)\s*(\d{1,3}(?:[ ,.\u00a0\u202f]\d{3})+|\d{1,12})(?:[.,](\d))?\s*([km]?)\b", re.I
)
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_INSTANCE = re.compile(r"/instances?/(\d{1,18})(?:/|$)")


@dataclass(frozen=True, slots=True)
class _Card:
    """A template as a list shows it."""

    url: str
    name: str = ""
    picture: str = ""


class MemegeneratorSource:
    """Templates of a site where users caption them, and their captions.

    Args:
        address: of a list of templates, or of one template.
        limit: at most this many templates; 0 is all.
        captions: at most this many captions a template; 0 is all.
        pages: at most this many pages of the list, and of each template.
        selectors: a TOML file with selectors for a site that calls its elements otherwise.
    """

    name = "memegenerator"
    summary = "sites of the memegenerator kind: templates, and captions of users with votes"

    def __init__(
        self,
        address: str = ADDRESS,
        *,
        limit: int = 0,
        captions: int = 0,
        pages: int = MOST_PAGES,
        selectors: Path | None = None,
    ) -> None:
        if min(limit, captions) < 0 or pages < 1:
            raise InputError("limit and captions are 0 or more, pages is 1 or more")
        self.address = address
        self.limit = limit
        self.captions = captions
        self.pages = pages
        self.selectors = selectors_of(self.name, selectors)

    def collect(self, fetcher: Fetcher) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """Yield each template and then its captions; what fails is a refusal.

        Raises:
            InputError: the file of selectors cannot be used.
        """
        yield from walk_list(
            Paging(self.name, self.pages),
            self.address,
            read=lambda url: self._read(fetcher, url),
            open_one=lambda page: (
                self._template(fetcher, _Card(self.address), page)
                if self._caption_nodes(page)
                else None
            ),
            links=lambda page: {key_of(card.url): card for card in self._cards(page)},
            follow=lambda card: self._template(fetcher, card),
            unknown=self._unknown,
            limit=self.limit,
        )

    def _read(self, fetcher: Fetcher, url: str) -> Document | Refusal:
        try:
            return Document(fetcher.get(url), self.selectors)
        except MemelocError as error:
            return refused(self.name, url, error)

    def _unknown(self, document: Document, url: str) -> Refusal:
        sentence = (
            "shows neither templates nor captions where they are looked for; if the site has "
            "changed, write down its selectors and give them with --selectors"
        )
        return document.refusal(self.name, url, sentence)

    def _cards(self, document: Document) -> Iterator[_Card]:
        """The templates of a list, each once."""
        seen = set()
        for node in document.nodes("card"):
            url = document.address("card_link", node)
            if not url or key_of(url) in seen or not same_host(url, document.url):
                continue
            if document.nodes("text_top", node) or document.nodes("text_bottom", node):
                continue
            seen.add(key_of(url))
            name = line_of(document.text("card_name", node), 500)
            yield _Card(url, name, document.picture("card_picture", node))

    def _caption_nodes(self, document: Document) -> list[LexborNode]:
        return [
            node
            for node in document.nodes("card")
            if document.nodes("text_top", node) or document.nodes("text_bottom", node)
        ]

    def _template(
        self, fetcher: Fetcher, card: _Card, document: Document | Refusal | None = None
    ) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        """A template with all pages of its captions."""
        document = document or self._read(fetcher, card.url)
        if isinstance(document, Refusal):
            yield document
            return
        if not self._caption_nodes(document) and not document.picture("picture"):
            yield self._unknown(document, card.url)
            return
        canonical = document.address("canonical")
        if not card.name and same_host(canonical, document.url):
            # Started at a page of the template, which may be any of its pages.
            card = _Card(canonical)
        key = key_of(card.url)
        yield from self._picture(fetcher, card, document, key)
        yield from self._captions(fetcher, key, document)

    def _picture(
        self, fetcher: Fetcher, card: _Card, document: Document, key: str
    ) -> Iterator[FoundTemplate | Refusal]:
        address = document.picture("picture") or card.picture or document.picture("picture_last")
        picture = None
        if address:
            try:
                picture = fetcher.get(address, accept="picture").body
            except MemelocError as error:
                yield refused(self.name, address, error)
        else:
            sentence = "the template's page shows no picture; the template comes in without one"
            yield Refusal(self.name, document.url, "no picture", sentence)
        details = {"page_language": document.language, "picture": address}
        terms = document.address("terms")
        yield FoundTemplate(
            origin=Origin(self.name, key, card.url, terms, document.page.fetched),
            name=line_of(document.text("name"), 500) or card.name or key.rpartition("/")[2],
            picture=picture,
            details={name: value for name, value in details.items() if value},
        )

    def _captions(
        self, fetcher: Fetcher, key: str, document: Document
    ) -> Iterator[FoundCaption | Refusal]:
        """The captions of a template, from its first page on."""
        paging = Paging(self.name, self.pages)
        seen: set[str] = set()
        while True:
            new = 0
            for node in self._caption_nodes(document):
                found = self._caption(document, node, key)
                if found.origin.key in seen:
                    continue
                seen.add(found.origin.key)
                new += 1
                if any(found.parts):
                    yield found
                else:
                    yield Refusal(self.name, found.origin.url, "no text", "the caption is empty")
                if self.captions and len(seen) >= self.captions:
                    return
            if not seen:
                sentence = "the template has no captions where they are looked for"
                yield Refusal(self.name, document.url, "no captions", sentence)
            following = paging.after(document, new)
            if isinstance(following, Refusal):
                yield following
            if not isinstance(following, str):
                return
            further = self._read(fetcher, following)
            if isinstance(further, Refusal):
                yield further
                return
            if not self._caption_nodes(further):
                wall = self._unknown(further, following)
                if wall.reason in ("login wall", "robot check"):
                    yield wall
                    return
            document = further

    def _caption(self, document: Document, node: LexborNode, key: str) -> FoundCaption:
        parts = (document.text("text_top", node)[:5000], document.text("text_bottom", node)[:5000])
        url = document.address("card_link", node)
        number = _INSTANCE.search(url)
        if number is not None:
            own = f"{key}#{number[1]}"
        elif url and same_host(url, document.url) and key_of(url) != key:
            own = key_of(url)
        else:
            digest = hashlib.sha256("\0".join(parts).encode("utf-8", "replace"))
            own = f"{key}#{digest.hexdigest()[:16]}"
        language = document.text("language", node)
        details: dict[str, Any] = {}
        if document.language:
            details["page_language"] = document.language
        return FoundCaption(
            origin=Origin(self.name, own, url or document.url, "", document.page.fetched),
            template=key,
            parts=parts,
            language=language if _TAG.fullmatch(language) else "",
            votes=votes_of(document.text("votes", node)),
            created=line_of(document.text("created", node), 40),
            details=details,
        )


def votes_of(text: str) -> int | None:
    """The number of votes that a page shows; None when it shows none.

    >>> votes_of("1,234 votes"), votes_of("-3"), votes_of("1.2k"), votes_of("new")
    (1234, -3, 1200, None)
    """
    found = _VOTES.search(text[:100])
    if found is None:
        return None
    number = int(re.sub(r"\D", "", found[2]))
    factor = {"k": 1000, "m": 1_000_000}.get(found[4].lower(), 1)
    if factor > 1:
        number = number * factor + int(found[3] or 0) * factor // 10
    return -number if found[1] in ("-", "\u2212") else number
