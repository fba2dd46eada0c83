"""Sites of the memegenerator kind. In: a list or a template's page. Out: templates and captions.

After multi3hate, section 3.1: people upload pictures and other people write captions at their top
and bottom. A list names templates; a template's page shows its captions, a page after another,
with votes. What a site calls its elements stands in data/sites.toml.
"""

from __future__ import annotations

import hashlib
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
from memeloc.items import FoundCaption, FoundTemplate, Origin, Refusal

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
        picture = yield from fetch_picture(fetcher, self.name, address, document.url)
        terms = document.address("terms")
        yield FoundTemplate(
            origin=Origin(self.name, key, link.url, terms, document.page.fetched),
            name=line_of(document.text("name"), 500) or link.name or key.rpartition("/")[2],
            picture=picture,
            details=without_empty({"page_language": document.language, "picture": address}),
        )
        seen: set[str] = set()
        for page in self.pages_from(fetcher, document, seen):
            if isinstance(page, Refusal):
                yield page
                return
            yield from self._captions_of(page, key, seen)
            if self.captions and len(seen) >= self.captions:
                return
            if page is document and not seen:
                sentence = "the template has no captions where they are looked for"
                yield Refusal(self.name, page.url, "no captions", sentence)
            elif not _captions(page):
                wall = self.unknown(page, page.url)
                if wall.reason in ("login wall", "robot check"):
                    yield wall
                    return

    def _captions_of(
        self, document: Document, key: str, seen: set[str]
    ) -> Iterator[FoundCaption | Refusal]:
        for node in _captions(document):
            caption = self._caption(document, node, key)
            if caption.origin.key in seen:
                continue
            seen.add(caption.origin.key)
            if any(caption.parts):
                yield caption
            else:
                yield Refusal(self.name, caption.origin.url, "no text", "the caption is empty")
            if self.captions and len(seen) >= self.captions:
                return

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
        return FoundCaption(
            origin=Origin(self.name, own, url or document.url, "", document.page.fetched),
            template=key,
            parts=parts,
            language=language if _TAG.fullmatch(language) else "",
            votes=votes_of(document.text("votes", node)),
            created=line_of(document.text("created", node), 40),
            details=without_empty({"page_language": document.language}),
        )


def _has_text(document: Document, node: LexborNode) -> bool:
    return bool(document.nodes("text_top", node) or document.nodes("text_bottom", node))


def _captions(document: Document) -> list[LexborNode]:
    return [node for node in document.nodes("card") if _has_text(document, node)]


def votes_of(text: str) -> int | None:
    """The number of votes that a page shows; None when it shows none.

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
