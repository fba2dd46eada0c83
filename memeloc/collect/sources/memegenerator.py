"""Sites of the memegenerator kind. In: a list or a template's page. Out: templates and captions.

After multi3hate, section 3.1: people upload pictures and other people write captions at their top
and bottom. A list names templates; a template's page shows its captions, a page after another,
with votes. What a site calls its elements stands in data/sites.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborNode

from memeloc.collect.page_values import fetch_picture, line_of, without_empty
from memeloc.collect.pages import (
    MOST_PAGES,
    Document,
    Link,
    SiteSource,
    key_of,
    same_host,
    selectors_of,
)
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal, hash_of

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, Page

_VOTES = re.compile(
    r"([-\u2212+]?)\s*(\d{1,3}(?:[ ,.\u00a0\u202f]\d{3})+|\d{1,12})(?:[.,](\d))?\s*([km]?)\b", re.I
)
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_INSTANCE = re.compile(r"/instances?/(\d{1,18})(?:/|$)")


@dataclass
class MemegeneratorSource(SiteSource):
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
    shows = "templates nor captions"

    address: str = "https://memegenerator.net/memes/popular/alltime"
    _: KW_ONLY
    limit: int = 0
    captions: int = 0
    pages: int = MOST_PAGES
    selectors: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._selectors = selectors_of(self.name, self.selectors)

    def parse(self, page: Page) -> Document:
        return Document(page, self._selectors)

    def is_item(self, document: Document) -> bool:
        return bool(_captions(document))

    def links(self, document: Document) -> dict[str, Link]:
        links: dict[str, Link] = {}
        for node in document.nodes("card"):
            url = document.address("card_link", node)
            if url and same_host(url, document.url) and not _has_text(document, node):
                name = line_of(document.text("card_name", node), 500)
                link = Link(url, name, document.picture("card_picture", node))
                links.setdefault(key_of(url), link)
        return links

    def item(
        self, fetcher: Fetcher, link: Link, document: Document
    ) -> Iterator[FoundTemplate | FoundCaption | Refusal]:
        if not _captions(document) and not document.picture("picture"):
            yield self.unknown(document, link.url)
            return
        canonical = document.address("canonical")
        if not link.name and same_host(canonical, document.url):
            # Started at a page of the template, which may be any of its pages.
            link = Link(canonical)
        key = key_of(link.url)
        address = document.picture("picture") or link.picture or document.picture("picture_last")
        yield FoundTemplate(
            Origin(self.name, key, link.url, document.address("terms"), document.page.fetched),
            line_of(document.text("name"), 500) or link.name or key.rpartition("/")[2],
            (yield from fetch_picture(fetcher, self.name, address, document.url)),
            details=without_empty({"page_language": document.language, "picture": address}),
        )
        seen: set[str] = set()
        for page in self.pages_from(fetcher, document, seen):
            if isinstance(page, Refusal):
                yield page
                return
            nodes = _captions(page)
            for caption in (self._caption(page, node, key) for node in nodes):
                if self.captions and len(seen) >= self.captions:
                    return
                if caption.origin.key in seen:
                    continue
                seen.add(caption.origin.key)
                empty = Refusal(self.name, caption.origin.url, "no text", "the caption is empty")
                yield caption if any(caption.parts) else empty
            if page is document and not seen:
                sentence = "the template has no captions where they are looked for"
                yield Refusal(self.name, page.url, "no captions", sentence)
            elif not nodes:
                wall = self.unknown(page, page.url)
                if wall.reason in ("login wall", "robot check"):
                    yield wall
                    return

    def _caption(self, document: Document, node: LexborNode, key: str) -> FoundCaption:
        parts = (document.text("text_top", node)[:5000], document.text("text_bottom", node)[:5000])
        url = document.address("card_link", node)
        caption_key = f"{key}#{hash_of(*parts)[:16]}"
        if number := _INSTANCE.search(url):
            caption_key = f"{key}#{number[1]}"
        elif url and same_host(url, document.url) and key_of(url) != key:
            caption_key = key_of(url)
        language = document.text("language", node)
        return FoundCaption(
            Origin(self.name, caption_key, url or document.url, "", document.page.fetched),
            key,
            parts,
            language if _TAG.fullmatch(language) else "",
            votes_of(document.text("votes", node)),
            line_of(document.text("created", node), 40),
            without_empty({"page_language": document.language}),
        )


def _has_text(document: Document, node: LexborNode) -> bool:
    return bool(document.nodes("text_top", node) or document.nodes("text_bottom", node))


def _captions(document: Document) -> list[LexborNode]:
    return [node for node in document.nodes("card") if _has_text(document, node)]


def votes_of(text: str) -> int | None:
    """Return the number of votes that a page shows; None when it shows none.

    >>> votes_of("1,234 votes"), votes_of("-3"), votes_of("1.2k"), votes_of("new")
    (1234, -3, 1200, None)
    """
    match = _VOTES.search(text[:100])
    if match is None:
        return None
    sign, digits, tenths, unit = match.groups()
    factor = {"k": 1000, "m": 1_000_000}.get(unit.lower(), 1)
    number = int(re.sub(r"\D", "", digits)) * factor
    if factor > 1:
        number += int(tenths or 0) * factor // 10
    return -number if sign in ("-", "\u2212") else number
