"""Pages of sites, and sites with lists. In: addresses, a site's selectors. Out: what pages show.

Beyond `Document`, which refuses pages that no parser should be given, nothing here raises on what a
page holds: pages are untrusted.

Parsers name no class of any site: what a site calls its elements stands in one table,
data/sites.toml, so that a site that changes its layout needs a setting and no new release.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass
from functools import cache, cached_property, partial
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
_NOT_TEXT = ["style", "template", "noscript", "iframe", "object", "svg", "select", "textarea"]
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-full", "data-image")
_NUMBERED = re.compile(r"(?:/page/|[?&](?:page|p|paged)=)(\d{1,9})(?=/?$|[&#?])")
_CHECKS = (
    "form#challenge-form, #challenge-running, #cf-challenge, .g-recaptcha, .h-captcha, "
    "iframe[src*=captcha]"
)
_LOGIN_PATH = re.compile(r"/(?:log[-_]?in|sign[-_]?in|auth|session/new|users/sign_in)\b", re.I)


BUILT_IN = Path(__file__).with_name("data") / "sites.toml"
"""The selectors of the sites that memeloc knows."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A CSS selector, and which attribute of the element is meant; empty is its text."""

    css: str
    attribute: str = ""

    @classmethod
    def parse(cls, text: str) -> Selector:
        """Read `a[href] @href`.

        >>> Selector.parse("a.photo @href")
        Selector(css='a.photo', attribute='href')
        """
        css, mark, attribute = text.rpartition(" @")
        return cls(css.strip(), attribute.strip().lower()) if mark else cls(text.strip())


Selectors = Mapping[str, tuple[Selector, ...]]
"""What a site is read by: for each key selectors in the order in which they are tried."""


def selectors_of(site: str, path: Path | None = None) -> Selectors:
    """The selectors of a site.

    Args:
        site: a table of data/sites.toml, such as `memegenerator`.
        path: a TOML file with the same tables; what it has replaces the built-in selectors, key by
            key.

    Raises:
        InputError: the file is not there or no TOML, has a table or key that there is not, or a
            selector that is no CSS.
    """
    built_in = _read(BUILT_IN)
    own = _read(path) if path is not None else {}
    for table, keys in own.items():
        if table not in built_in:
            raise InputError(f"has no site [{table}]: there are {', '.join(built_in)}", file=path)
        for key in keys:
            if key not in built_in[table]:
                sentence = f"[{table}] has no {key!r}; its keys are {', '.join(built_in[table])}"
                raise InputError(sentence, file=path)
    return built_in[site] | own.get(site, {})


@cache
def _read(path: Path) -> dict[str, dict[str, tuple[Selector, ...]]]:
    sites: dict[str, dict[str, tuple[Selector, ...]]] = {}
    for site, table in read_toml(path).items():
        if not isinstance(table, dict):
            raise InputError(f"{site!r} is no table: write [{site}] above its keys", file=path)
        sites[site] = {
            key: _selectors(value, f"{site}.{key}", path) for key, value in table.items()
        }
    return sites


def _selectors(value: Any, name: str, path: Path) -> tuple[Selector, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} is no list of selectors", file=path)
    selectors = tuple(Selector.parse(text) for text in texts)
    nothing = LexborHTMLParser("<p></p>")
    for selector in selectors:
        try:
            nothing.css(selector.css)
        except (SelectolaxError, UnicodeError):
            raise InputError(f"{name}: {selector.css!r} is no CSS selector", file=path) from None
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
        self._challenge = self.tree.css_first(_CHECKS) is not None or (
            self.title.lower().startswith(("just a moment", "attention re"))
        )
        self.structured = tuple(_structured(self.tree))
        self.tree.strip_tags(["script", *_NOT_TEXT])

    @cached_property
    def base(self) -> str:
        """What relative addresses are relative to."""
        return joined_address(self.url, self._attribute("base[href]", "href")) or self.url

    @cached_property
    def title(self) -> str:
        node = self.tree.css_first("title")
        return line_of(node.text(), 300) if node is not None else ""

    @cached_property
    def language(self) -> str:
        """The language that the page is in, as it says; empty when it does not."""
        stated = line_of(self._attribute("html[lang]", "lang"), 40)
        return stated if re.fullmatch(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*", stated) else ""

    def _attribute(self, css: str, name: str) -> str | None:
        node = self.tree.css_first(css)
        return node.attributes.get(name) if node is not None else None

    def nodes(self, key: str, within: LexborNode | None = None) -> list[LexborNode]:
        """The elements of a key: what the first of its selectors that finds anything finds."""
        return self._found(key, within)[0]

    def inside(self, key: str) -> set[int]:
        """The nodes inside the elements that any selector of a key finds, by their `mem_id`."""
        inner: set[int] = set()
        for selector in self.selectors.get(key, ()):
            for node in self.tree.css(selector.css)[:MAX_NODES]:
                if node.mem_id not in inner:
                    inner.update(each.mem_id for each in node.traverse(include_text=True))
        return inner

    def _found(self, key: str, within: LexborNode | None) -> tuple[list[LexborNode], Selector]:
        for selector in self.selectors.get(key, ()):
            nodes = (within or self.tree).css(selector.css)[:MAX_NODES]
            if selector.attribute:
                nodes = [node for node in nodes if node.attributes.get(selector.attribute)]
            if nodes:
                return nodes, selector
        return [], Selector("")

    def texts(self, key: str, within: LexborNode | None = None) -> list[str]:
        """The text, or the attribute, of each element of a key; empty ones are left out."""
        nodes, selector = self._found(key, within)
        if selector.attribute:
            values = [line_of(node.attributes.get(selector.attribute), 4000) for node in nodes]
        else:
            values = [lines_in(node) for node in nodes]
        return [value for value in values if value]

    def text(self, key: str, within: LexborNode | None = None) -> str:
        return next(iter(self.texts(key, within)), "")

    def addresses(self, key: str, within: LexborNode | None = None) -> list[str]:
        """The addresses of a key, absolute, each once."""
        addresses = map(self.absolute, self.texts(key, within))
        return list(dict.fromkeys(filter(None, addresses)))

    def address(self, key: str, within: LexborNode | None = None) -> str:
        return next(iter(self.addresses(key, within)), "")

    def picture(self, key: str, within: LexborNode | None = None) -> str:
        """The address of a key's first picture: of its element or its attribute."""
        nodes, selector = self._found(key, within)
        if selector.attribute:
            return self.address(key, within)
        return next(filter(None, map(self.picture_of, nodes)), "")

    def picture_of(self, node: LexborNode) -> str:
        """The address of the picture that an `img` shows, or will when it is scrolled to."""
        candidates = picture_candidates(node.attributes, _LAZY)
        return next(filter(None, map(self.absolute, candidates)), "")

    def absolute(self, address: str | None) -> str:
        """An absolute http(s) address without a fragment; empty for anything else."""
        if (address or "").strip().startswith("#"):
            return ""
        return joined_address(self.base, address).partition("#")[0]

    def next_address(self) -> str:
        """The address of the next page of a list: as the site says, or the next number it links."""
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
        """Why a page without anything expected was not taken; `sentence` when no cause is seen."""
        if self._challenge:
            text = "the site shows a check for robots instead of the page; it is left alone"
            return Refusal(source, asked, "robot check", text)
        if self.is_login_wall(asked):
            text = "the site shows a form to log in instead of the page; only public pages are read"
            return Refusal(source, asked, "login wall", text)
        kind = self.page.content_type
        if "html" not in kind.lower() and self.tree.css_first("body *") is None:
            kind = kind.partition(";")[0][:60] or "text"
            return Refusal(source, asked, "not a page", f"is {kind} and no web page")
        if self.tree.body is None or not lines_in(self.tree.body):
            return Refusal(source, asked, "empty page", "the page is empty")
        return Refusal(source, asked, "unknown layout", sentence)

    def is_login_wall(self, asked: str) -> bool:
        """Whether a page without what was expected is a form to log in."""
        if self.tree.css_first("input[type=password]") is not None:
            return True
        was_led, was_asked = (
            _LOGIN_PATH.search(split_address(url).path) for url in (self.url, asked)
        )
        return was_led is not None and was_asked is None


def lines_in(node: LexborNode) -> str:
    """The text of an element: spaces as they are shown, a line a paragraph."""
    return joined(
        "".join(part for each in node.traverse(include_text=True) for part in shown(each))
    )


def shown(node: LexborNode) -> Iterator[str]:
    """What a single node adds to a text: its words, or the line that a block begins or ends."""
    if node.is_text_node:
        before = node.prev
        if before is not None and before.tag in _BLOCKS:
            yield "\n"
        # In the source a line break is a space.
        yield (node.text_content or "").replace("\n", " ")
    elif node.tag in _BLOCKS:
        yield "\n"


def joined(text: str) -> str:
    """Lines without needless spaces; empty ones are left out."""
    lines = (line_of(line, 100_000) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def key_of(url: str) -> str:
    """What identifies a page wherever its links come from: host and path, and the query if any.

    >>> key_of("https://Example.org/Cat-Keyboard/#top")
    'example.org/Cat-Keyboard'
    """
    parts = split_address(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"[:4000]


def same_host(first: str, second: str) -> bool:
    """Whether two addresses are of one site; `www.` makes no difference."""
    hosts = [split_address(url).netloc.lower().removeprefix("www.") for url in (first, second)]
    return hosts[0] == hosts[1] != ""


def _structured(tree: LexborHTMLParser) -> Iterator[Any]:
    """The values of a page's JSON-LD that can be read."""
    for node in tree.css("script[type]")[:200]:
        if "ld+json" not in (node.attributes.get("type") or "").lower():
            continue
        text = node.text().strip().removeprefix("<!--").removesuffix("-->")
        text = text.replace("/*<![CDATA[*/", "").replace("/*]]>*/", "")
        try:
            yield json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue


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
    """Yield the pages of a list, `most` at most; a refusal is the last of them.

    `seen` is what the pages show: it grows while a page is looked at, or the list would not end.
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
