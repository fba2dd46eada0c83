"""Pages of sites. In: what was fetched, a site's selectors. Out: texts, addresses and pictures.

Beyond `Document`, which refuses pages that no parser should be given, nothing here raises on what a
page holds: pages are untrusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from memeloc.collect.fetching.addresses import FetchRefused
from memeloc.collect.fetching.parser_limits import too_costly
from memeloc.collect.page_values import line_of, web_address
from memeloc.collect.selectors import Selector, Selectors
from memeloc.items import Refusal

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Page

MAX_NODES = 50_000
"""Elements looked at for one key of a page."""

_BLOCK_NAMES = """
address article aside blockquote br center dd div dl dt fieldset figcaption figure footer form h1 h2
h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_NOT_TEXT = ["style", "template", "noscript", "iframe", "object", "svg", "select", "textarea"]
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-full", "data-image")
_NUMBERED = re.compile(r"(?:/page/|[?&](?:page|p|paged)=)(\d{1,9})(?=/?$|[&#?])")
_CHECKS = (
    "form#challenge-form", "#challenge-running", "#cf-challenge", ".g-recaptcha", ".h-captcha",
    "iframe[src*=captcha]",
)  # fmt: skip
_LOGIN_PATH = re.compile(r"/(?:log[-_]?in|sign[-_]?in|auth|session/new|users/sign_in)\b", re.I)


class Document:
    """A page that has been parsed.

    Args:
        page: as fetched.
        selectors: of its site.

    Raises:
        FetchRefused: it would take too much time or memory to parse.
    """

    def __init__(self, page: Page, selectors: Selectors) -> None:
        self.page = page
        self.url = page.url
        self.selectors = selectors
        text = page.text.encode("utf-8", "replace").decode("utf-8")
        if sentence := too_costly(text):
            raise FetchRefused(page.url, "too costly to parse", sentence)
        self.tree = LexborHTMLParser(text)
        checked = self.one_of(_CHECKS) is not None
        self._challenge = checked or self.title.lower().startswith(
            ("just a moment", "attention re")
        )
        self.structured = tuple(_structured(self.tree))
        self.tree.strip_tags(["script", *_NOT_TEXT])

    @cached_property
    def base(self) -> str:
        """What relative addresses are relative to."""
        node = self.one_of(("base[href]",))
        return (
            self.absolute(node.attributes.get("href"), self.url) or self.url if node else self.url
        )

    @cached_property
    def title(self) -> str:
        """The page's title."""
        node = self.one_of(("title",))
        return line_of(node.text(), 300) if node is not None else ""

    @cached_property
    def language(self) -> str:
        """The language that the page is in, as it says; empty when it does not."""
        node = self.one_of(("html[lang]",))
        stated = line_of(node.attributes.get("lang"), 40) if node is not None else ""
        return stated if re.fullmatch(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*", stated) else ""

    def one_of(self, css: Sequence[str], within: LexborNode | None = None) -> LexborNode | None:
        """The first element that any of the selectors finds."""
        for one in css:
            try:
                node = (within or self.tree).css_first(one)
            except (SelectolaxError, UnicodeError):
                continue
            if node is not None:
                return node
        return None

    def nodes(self, key: str, within: LexborNode | None = None) -> list[LexborNode]:
        """The elements of a key: what the first of its selectors that finds anything finds."""
        return self._found(key, within)[0]

    def inside(self, key: str) -> set[int]:
        """The nodes inside the elements that any selector of a key finds, by their `mem_id`."""
        found: set[int] = set()
        for one in self.selectors.get(key, ()):
            for node in self.tree.css(one.css)[:MAX_NODES]:
                if node.mem_id not in found:
                    found.update(each.mem_id for each in node.traverse(include_text=True))
        return found

    def _found(self, key: str, within: LexborNode | None) -> tuple[list[LexborNode], Selector]:
        for one in self.selectors.get(key, ()):
            try:
                nodes = (within or self.tree).css(one.css)[:MAX_NODES]
            except (SelectolaxError, UnicodeError):
                continue
            if one.attribute:
                nodes = [node for node in nodes if node.attributes.get(one.attribute)]
            if nodes:
                return nodes, one
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
        """The first text of a key; empty when there is none."""
        return next(iter(self.texts(key, within)), "")

    def addresses(self, key: str, within: LexborNode | None = None) -> list[str]:
        """The addresses of a key, absolute, each once."""
        found = (self.absolute(value) for value in self.texts(key, within))
        return list(dict.fromkeys(one for one in found if one))

    def address(self, key: str, within: LexborNode | None = None) -> str:
        """The first address of a key; empty when there is none."""
        return next(iter(self.addresses(key, within)), "")

    def picture(self, key: str, within: LexborNode | None = None) -> str:
        """The address of a key's first picture: of its element or its attribute."""
        nodes, selector = self._found(key, within)
        for node in nodes:
            if selector.attribute:
                found = self.absolute(node.attributes.get(selector.attribute))
            else:
                found = self.picture_of(node)
            if found:
                return found
        return ""

    def picture_of(self, node: LexborNode) -> str:
        """The address of the picture that an `img` shows, or will when it is scrolled to."""
        attributes = node.attributes
        for name in _LAZY:
            if found := self.absolute(attributes.get(name)):
                return found
        best = _largest(attributes.get("data-srcset") or attributes.get("srcset") or "")
        return self.absolute(best) or self.absolute(attributes.get("src"))

    def absolute(self, address: str | None, base: str = "") -> str:
        """An absolute http(s) address; empty for anything else."""
        address = line_of(address, 4000)
        if not address or address[0] == "#":
            return ""
        try:
            found = urljoin(base or self.base, address)
            urlsplit(found)
        except ValueError:
            return ""
        return web_address(found.partition("#")[0])

    def next_address(self) -> str:
        """The address of the next page of a list: as the site says, or the next number it links."""
        if stated := self.address("next"):
            return stated
        found = _NUMBERED.search(self.url)
        number = int(found[1]) if found else 1
        for node in self.tree.css("a[href]")[:MAX_NODES]:
            linked = self.absolute(node.attributes.get("href"))
            other = _NUMBERED.search(linked)
            if other is None or int(other[1]) != number + 1 or not same_host(linked, self.url):
                continue
            stem = linked[: other.start()].rstrip("/")
            here = self.url[: found.start()] if found else self.url
            if found is None or stem == here.rstrip("/"):
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
        if "html" not in self.page.content_type.lower() and self.one_of(("body *",)) is None:
            kind = self.page.content_type.partition(";")[0][:60] or "text"
            return Refusal(source, asked, "not a page", f"is {kind} and no web page")
        if not lines_in(self.tree.body) if self.tree.body is not None else True:
            return Refusal(source, asked, "empty page", "the page is empty")
        return Refusal(source, asked, "unknown layout", sentence)

    def is_login_wall(self, asked: str) -> bool:
        """Whether a page without what was expected is a form to log in."""
        if self.one_of(("input[type=password]",)) is not None:
            return True
        return bool(_LOGIN_PATH.search(_path(self.url))) and not _LOGIN_PATH.search(_path(asked))


def lines_in(node: LexborNode) -> str:
    """The text of an element: spaces as they are shown, a line a paragraph."""
    return joined("".join(part for one in node.traverse(include_text=True) for part in shown(one)))


def shown(node: LexborNode) -> Iterator[str]:
    """What a single node adds to a text: its words, or the line that a block begins or ends."""
    if node.is_text_node:
        before = node.prev
        if before is not None and before.tag in _BLOCKS:
            yield "\n"
        # In the source a line break is a space.
        yield " ".join((node.text_content or "").split("\n"))
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
    try:
        parts = urlsplit(url)
    except ValueError:
        return url[:4000]
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"[:4000]


def same_host(first: str, second: str) -> bool:
    """Whether two addresses are of one site; `www.` makes no difference."""
    hosts = []
    for one in (first, second):
        try:
            hosts.append(urlsplit(one).netloc.lower().removeprefix("www."))
        except ValueError:
            return False
    return hosts[0] == hosts[1] != ""


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _largest(srcset: str) -> str:
    """The address with the largest width or density of a `srcset`."""
    best, size = "", -1.0
    for one in srcset.split(",")[:50]:
        words = one.split()
        if not words:
            continue
        found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)[wx]", words[-1]) if len(words) > 1 else None
        value = float(found[1]) if found else 1.0
        if value > size:
            best, size = words[0], value
    return best


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
