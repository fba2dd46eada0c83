"""Pages of sites, and sites with lists. In: addresses, a site's selectors. Out: what pages show.

Beyond `Document`, which refuses pages that no parser should be given, nothing here raises on what a
page holds: pages are untrusted.

Parsers name no class of any site: what a site calls its elements stands in one table,
data/sites.toml, so that a site that changes its layout needs a setting and no new release.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from memeloc.collect.fetching.addresses import FetchRefused
from memeloc.collect.fetching.encodings import too_costly
from memeloc.collect.page_values import (
    joined_address,
    line_of,
    picture_candidates,
    refused,
    split_address,
)
from memeloc.errors import InputError, MemelocError
from memeloc.items import Found, Refusal
from memeloc.settings import read_toml

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher, Page

MOST_PAGES = 200  # pages of one list that are read, unless a setting says otherwise

MOST_UNKNOWN = 3
"""When so many of a list's first pages are not as expected, the rest is not asked for."""

MAX_NODES = 50_000  # elements looked at for one key of a page

_BLOCK_NAMES = """
address article aside blockquote br center dd div dl dt fieldset figcaption figure footer form h1 h2
h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_NOT_TEXT = ["script", "style", "template", "noscript", "iframe", "object", "svg", "select"]
_NUMBERED = re.compile(r"(?:/page/|[?&](?:page|p|paged)=)(\d{1,9})(?=/?$|[&#?])")
_CHECKS = (
    "form#challenge-form, #challenge-running, #cf-challenge, .g-recaptcha, .h-captcha, "
    "iframe[src*=captcha]"
)
_LOGIN_PATH = re.compile(r"/(?:log[-_]?in|sign[-_]?in|auth|session/new|users/sign_in)\b", re.I)

Selectors = Mapping[str, list[tuple[str, str]]]
"""Keys that a site is read by: for each CSS selectors in the order in which they are tried, each
with the attribute of the element that is meant; an empty one is its text."""


def selectors_of(site: str, path: Path | None = None) -> Selectors:
    """Return the selectors of a site. Raise InputError if the file is not there or no TOML, has a
    table or key that there is not, or a selector that is no CSS.

    Args:
        site: a table of data/sites.toml, such as `memegenerator`.
        path: a TOML file with the same tables; what it has replaces the built-in selectors, key by
            key.
    """
    built_in = read_toml(Path(__file__).with_name("data") / "sites.toml")
    changes = read_toml(path) if path is not None else {}
    for name, table in changes.items():
        if name not in built_in:
            raise InputError(f"has no site [{name}]: there are {', '.join(built_in)}", file=path)
        if not isinstance(table, dict):
            raise InputError(f"{name!r} is no table: write [{name}] above its keys", file=path)
        for key in table.keys() - built_in[name].keys():
            sentence = f"[{name}] has no {key!r}; its keys are {', '.join(built_in[name])}"
            raise InputError(sentence, file=path)
    tables = built_in[site] | changes.get(site, {})
    return {key: _parsed(value, f"{site}.{key}", path) for key, value in tables.items()}


def _parsed(value: Any, name: str, path: Path | None) -> list[tuple[str, str]]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} is no list of selectors", file=path)
    selectors = []
    for text in texts:
        css, _, attribute = text.partition(" @")
        try:
            LexborHTMLParser("<p></p>").css(css.strip())
        except (SelectolaxError, UnicodeError):
            raise InputError(f"{name}: {css!r} is no CSS selector", file=path) from None
        selectors.append((css.strip(), attribute.strip().lower()))
    return selectors


class Document:
    """A page that has been parsed, by its site's selectors; FetchRefused if it costs too much."""

    def __init__(self, page: Page, selectors: Selectors) -> None:
        self.page = page
        self.url = page.url
        self.selectors = selectors
        text = page.text.encode("utf-8", "replace").decode("utf-8")
        if sentence := too_costly(text):
            raise FetchRefused(page.url, "too costly to parse", sentence)
        self.tree = LexborHTMLParser(text)
        title = self.tree.css_first("title")
        self._challenge = self.tree.css_first(_CHECKS) is not None or (
            title is not None
            and line_of(title.text()).lower().startswith(("just a moment", "attention re"))
        )
        self.tree.strip_tags([*_NOT_TEXT, "textarea"])

    def _attribute(self, css: str, name: str) -> str | None:
        node = self.tree.css_first(css)
        return node.attributes.get(name) if node is not None else None

    @cached_property
    def base(self) -> str:
        """The address that relative ones are relative to."""
        return joined_address(self.url, self._attribute("base[href]", "href")) or self.url

    @cached_property
    def language(self) -> str:
        """The language that the page is in, as it says; empty when it does not."""
        stated = line_of(self._attribute("html[lang]", "lang"), 40)
        return stated if re.fullmatch(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*", stated) else ""

    def nodes(self, key: str, within: LexborNode | None = None) -> list[LexborNode]:
        """Return the elements of a key: what the first selector that finds anything finds."""
        return self._found(key, within)[0]

    def inside(self, key: str) -> set[int]:
        """Return the nodes inside what any selector of a key finds, by their `mem_id`."""
        inner: set[int] = set()
        for css, _ in self.selectors.get(key, ()):
            for node in self.tree.css(css)[:MAX_NODES]:
                if node.mem_id not in inner:
                    inner.update(each.mem_id for each in node.traverse(include_text=True))
        return inner

    def _found(self, key: str, within: LexborNode | None) -> tuple[list[LexborNode], str]:
        for css, attribute in self.selectors.get(key, ()):
            nodes = (within or self.tree).css(css)[:MAX_NODES]
            if attribute:
                nodes = [node for node in nodes if node.attributes.get(attribute)]
            if nodes:
                return nodes, attribute
        return [], ""

    def texts(self, key: str, within: LexborNode | None = None) -> list[str]:
        """Return the text, or the attribute, of each element of a key; empty ones are left out."""
        nodes, attribute = self._found(key, within)
        if attribute:
            values = [line_of(node.attributes.get(attribute), 4000) for node in nodes]
        else:
            values = [lines_in(node) for node in nodes]
        return [value for value in values if value]

    def text(self, key: str, within: LexborNode | None = None) -> str:
        return next(iter(self.texts(key, within)), "")

    def addresses(self, key: str, within: LexborNode | None = None) -> list[str]:
        """Return the addresses of a key, absolute, each once."""
        addresses = map(self.absolute, self.texts(key, within))
        return list(dict.fromkeys(filter(None, addresses)))

    def address(self, key: str, within: LexborNode | None = None) -> str:
        return next(iter(self.addresses(key, within)), "")

    def picture(self, key: str, within: LexborNode | None = None) -> str:
        """Return the address of a key's first picture: of its element or its attribute."""
        nodes, attribute = self._found(key, within)
        if attribute:
            return self.address(key, within)
        return next(filter(None, map(self.picture_of, nodes)), "")

    def picture_of(self, node: LexborNode) -> str:
        """Return the address of what an `img` shows, or will when it is scrolled to."""
        return next(filter(None, map(self.absolute, picture_candidates(node.attributes))), "")

    def absolute(self, address: str | None) -> str:
        """Return an absolute http(s) address without a fragment; empty for anything else."""
        if (address or "").strip().startswith("#"):
            return ""
        return joined_address(self.base, address).partition("#")[0]

    def next_address(self) -> str:
        """Return where a list goes on: as the site says, or the next number that it links."""
        if stated := self.address("next"):
            return stated
        here = _NUMBERED.search(self.url)
        number = int(here[1]) if here else 1
        for node in self.tree.css("a[href]")[:MAX_NODES]:
            linked = self.absolute(node.attributes.get("href"))
            other = _NUMBERED.search(linked)
            if other is None or int(other[1]) != number + 1 or not same_host(linked, self.url):
                continue
            stem = linked[: other.start()].rstrip("/")
            if here is None or stem == self.url[: here.start()].rstrip("/"):
                return linked
        return ""

    def refusal(self, source: str, asked: str, sentence: str) -> Refusal:
        """Return why a page without anything expected was not taken.

        The sentence is for one of which no cause is seen.
        """
        reason, kind = "unknown layout", self.page.content_type
        was_led, was_asked = (_LOGIN_PATH.search(split_address(u).path) for u in (self.url, asked))
        if self._challenge:
            reason = "robot check"
            sentence = "the site shows a check for robots instead of the page; it is left alone"
        elif self.tree.css_first("input[type=password]") or (was_led and not was_asked):
            reason = "login wall"
            sentence = (
                "the site shows a form to log in instead of the page; only public pages are read"
            )
        elif "html" not in kind.lower() and self.tree.css_first("body *") is None:
            reason = "not a page"
            sentence = f"is {kind.partition(';')[0][:60] or 'text'} and no web page"
        elif self.tree.body is None or not lines_in(self.tree.body):
            reason, sentence = "empty page", "the page is empty"
        return Refusal(source, asked, reason, sentence)


def lines_in(node: LexborNode) -> str:
    """Return the text of an element: spaces as they are shown, a line a paragraph."""
    return joined(
        "".join(part for each in node.traverse(include_text=True) for part in shown(each))
    )


def shown(node: LexborNode) -> Iterator[str]:
    """Yield what a node adds to a text: its words, or the line that a block begins or ends."""
    if node.is_text_node:
        before = node.prev
        if before is not None and before.tag in _BLOCKS:
            yield "\n"
        # In the source a line break is a space.
        yield (node.text_content or "").replace("\n", " ")
    elif node.tag in _BLOCKS:
        yield "\n"


def joined(text: str) -> str:
    """Return lines without needless spaces; empty ones are left out."""
    lines = (line_of(line, 100_000) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def key_of(url: str) -> str:
    """Return what identifies a page wherever its links come from: host, path, and any query.

    >>> key_of("https://Example.org/Cat-Keyboard/#top")
    'example.org/Cat-Keyboard'
    """
    parts = split_address(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"[:4000]


def same_host(first: str, second: str) -> bool:
    """Return whether two addresses are of one site; `www.` makes no difference."""
    hosts = [split_address(url).netloc.lower().removeprefix("www.") for url in (first, second)]
    return hosts[0] == hosts[1] != ""


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
        """Return the links of a list's page by their keys."""

    @abstractmethod
    def item(self, fetcher: Fetcher, link: Link, document: Document) -> Iterator[Found | Refusal]:
        """Yield what stands on a page that a list links to."""

    def collect(self, fetcher: Fetcher) -> Iterator[Found | Refusal]:
        """Yield what each link of the list leads to; what fails is a refusal."""
        first = self.read(fetcher, self.address)
        if isinstance(first, Document) and self.is_item(first):
            yield from self.item(fetcher, Link(self.address), first)
            return
        unknown = 0
        linked = self.linked(fetcher, self.address, first, self.limit, self.links)
        for count, (link, document) in enumerate(linked, 1):
            reasons = set()
            results: Iterable[Found | Refusal] = (
                [document] if isinstance(document, Refusal) else self.item(fetcher, link, document)
            )
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

        `address` and `first` are of its first page, a `limit` of 0 is all, and `links` gives those
        of a page of it by their keys.
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
        self, fetcher: Fetcher, document: Document | Refusal, seen: Sized
    ) -> Iterator[Document | Refusal]:
        """Yield the pages of a list, `pages` at most; a refusal is the last of them.

        `seen` is what they show: it grows while a page is looked at, or the list would not end.
        """
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
            reason = sentence = ""
            if len(seen) == before:
                reason = "endless pages"
                sentence = "shows nothing that earlier pages did not, and yet names a next page"
            elif not same_host(following, document.url):
                reason = "another host"
                sentence = f"names a next page on another host ({following[:200]})"
            elif len(keys) >= self.pages:
                reason = "page limit"
                sentence = f"goes on after {self.pages} pages, which is the limit"
            if reason:
                end = "; --pages raises it" if reason == "page limit" else "; reading ended"
                document = Refusal(self.name, document.url, reason, sentence + end)
            else:
                document = self.read(fetcher, following)

    def read(self, fetcher: Fetcher, url: str) -> Document | Refusal:
        (page,) = fetcher.get_all([url])
        return self.document(url, page)

    def document(self, url: str, page: Page | FetchRefused) -> Document | Refusal:
        """Return a page that was asked for, or why it is not read."""
        try:
            if isinstance(page, MemelocError):
                raise page
            return self.parse(page)
        except MemelocError as error:
            return refused(self.name, url, error)

    def unknown(self, document: Document, url: str) -> Refusal:
        """Return the refusal of a page with nothing that is expected; `url` was asked for."""
        sentence = (
            f"shows neither {self.shows} where they are looked for; if the site has changed, write "
            "down its selectors and give them with --selectors"
        )
        return document.refusal(self.name, url, sentence)
