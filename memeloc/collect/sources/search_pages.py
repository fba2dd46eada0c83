"""Saved result pages of image searches. In: a page's bytes. Out: the addresses of its pictures.

The results of Google, Bing, Yandex and DuckDuckGo name the picture itself in scripts or attributes
and show a small copy of it; where the page names pictures themselves, the small copies are left
out. Of any other page it is `img` and the like, whatever the class is called today.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urljoin

from selectolax.lexbor import LexborHTMLParser

from memeloc.collect.fetching.encodings import decode, too_costly
from memeloc.collect.page_values import line_of, picture_candidates, split_address, web_address
from memeloc.errors import InputError

MAX_BYTES = 50_000_000  # size that a saved page may have
MAX_PICTURES = 20_000  # addresses taken of one page

_PICTURE_NAME = re.compile(r"\.(?:jpe?g|png|gif|webp|bmp|jfif)$", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)

# In Google's scripts a picture is ["address",height,width]; both its own and the small copy's.
_SIZED = re.compile(r'\[\s*"(https?:[^"\s]{1,2000})"\s*,\s*(\d{1,5})\s*,\s*(\d{1,5})\s*\]')
# In JSON of scripts and attributes: Bing murl, older Google ou, Yandex img_href, DuckDuckGo image.
_NAMED = re.compile(
    r'"(?:murl|ou|img_href|image|imgurl|origUrl|contentUrl)"\s*:\s*"(https?:[^"\s]{1,2000})"'
)
# Whatever else stands in a script and is called like a picture.
_LOOSE = re.compile(
    r"""(https?:(?:\\?/){2}[^"'\s<>]{1,400}?\.(?:jpe?g|png|gif|webp))\b""", re.IGNORECASE
)

# Hosts of small copies, logos and counters.
_SMALL = re.compile(
    r"(?:^|\.)(?:encrypted-tbn\d*\.gstatic\.com|gstatic\.com|(?:th|tse\d*(?:\.mm)?)\.bing\.(?:com|net)"
    r"|mm\.bing\.net|avatars\.mds\.yandex\.net|external-content\.duckduckgo\.com)$"
)

_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d+\)(\S{1,2000})\s*-->")
_TITLE_TAIL = re.compile(
    r"\s+(?:[-–—|:]\s+)?(?:Google|Bing|Yandex|DuckDuckGo|Baidu|Yahoo)?\s*"
    r"(?:Search|Images?|Image Search|Image Results|at DuckDuckGo|Suche|Bilder|Поиск|بحث)\s*$"
)
_QUERY_KEYS = ("q", "p", "query", "text", "wd", "word")
_LAZY = ("data-src", "data-iurl", "data-original", "data-lazy-src", "data-thumb")
_COUNTER = re.compile(r"\s*0*[0-2](?!\d)")  # the side of a counter or a spacer, in pixels


class Address(NamedTuple):
    """A picture that a result page names.

    `url` is absolute, a `data:` URL, or relative to the page where its origin is unknown. `title`
    and `page` (which shows it) may be empty; `small` is only the copy that result pages show.
    """

    url: str
    title: str = ""
    page: str = ""
    small: bool = False


class ResultPage(NamedTuple):
    """A saved result page: where it was saved from and what was searched for, as far as it says,
    and its pictures in the order of the results, each once.
    """

    origin: str
    keyword: str
    pictures: tuple[Address, ...]


def read_page(content: bytes, path: Path, *, origin: str = "") -> ResultPage:
    """Find the pictures of a saved page; `path` is named in the errors.

    Its `origin` is the address that it was saved from, when the user knows it.

    Raises:
        InputError: it is too large, or nothing that can be read as HTML.
    """
    if len(content) > MAX_BYTES:
        raise InputError(
            f"is larger than {MAX_BYTES // 1_000_000} MB; save less at once", file=path
        )
    if content[:200].lstrip().lower().startswith((b"from:", b"mime-version:")):
        raise InputError("is a web archive (MHT); save the page as HTML", file=path)
    text = decode(content).encode("utf-8", "replace").decode()
    if sentence := too_costly(text):
        raise InputError(f"cannot be read as a web page: {sentence}", file=path)
    tree = LexborHTMLParser(text)
    if tree.css_first("head > *, body > *") is None:
        raise InputError("holds no web page; save the results as HTML", file=path)
    origin = origin or _origin(tree, content)
    base = origin
    for node in tree.css("base[href]")[:1]:
        base = web_address(_joined(origin, node.attributes["href"] or "")) or origin
    named = _unique([*_bing(tree), *_links(tree), *_scripts(tree, _SIZED, _NAMED)], base)
    pictures = [picture for picture in named if not picture.small]
    if not pictures:
        shown = _unique(_shown(tree), base)
        if not shown:
            shown = _unique(_scripts(tree, _LOOSE), base)
        pictures = named + shown
    return ResultPage(origin, _keyword(tree, origin), tuple(pictures[:MAX_PICTURES]))


def _origin(tree: LexborHTMLParser, content: bytes) -> str:
    """The address that a page was saved from: a browser's note, or what the page says of itself."""
    saved = _SAVED_FROM.search(content[:20_000])
    if saved is not None:
        return web_address(saved[1].decode("utf-8", "replace"))
    addresses = [
        web_address(node.attributes.get("href") or node.attributes.get("content"))
        for node in tree.css("link[rel=canonical], meta[property='og:url']")
    ]
    return next(filter(None, addresses), "")


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address) if base else address
    except ValueError:
        return ""


def _keyword(tree: LexborHTMLParser, origin: str) -> str:
    """What was searched for: by the address, the search field, or the title."""
    values = parse_qs(split_address(origin).query)
    texts = [values.get(key, [""])[0] for key in _QUERY_KEYS]
    for key in _QUERY_KEYS:
        for field in tree.css(f"input[name={key}], textarea[name={key}]"):
            texts.append(field.attributes.get("value") or field.text())
    title = tree.css_first("title")
    name = line_of(title.text(), 300) if title is not None else ""
    texts.append(_TITLE_TAIL.sub("", name).strip(" -–—|:") if _TITLE_TAIL.search(name) else "")
    return next(filter(None, (line_of(text, 300) for text in texts)), "")


def _bing(tree: LexborHTMLParser) -> Iterator[Address]:
    """Bing keeps what it knows of a result as JSON in the attribute m of its link."""
    for link in tree.css("a[m]"):
        try:
            record = json.loads(link.attributes["m"] or "")
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("murl"), str):
            title, page = line_of(record.get("t"), 300), web_address(record.get("purl"))
            yield Address(record["murl"], title, page)


def _links(tree: LexborHTMLParser) -> Iterator[Address]:
    """Links that carry the picture's address as a parameter (imgurl, mediaurl, img_url)."""
    for link in tree.css("a[href]"):
        values = parse_qs(split_address(link.attributes["href"] or "").query)
        for key in ("imgurl", "mediaurl", "img_url"):
            if url := web_address(values.get(key, [""])[0]):
                page = web_address(values.get("imgrefurl", [""])[0])
                yield Address(url, line_of(link.attributes.get("title"), 300), page)
                break


def _scripts(tree: LexborHTMLParser, *patterns: re.Pattern[str]) -> Iterator[Address]:
    """What patterns find in scripts, in data attributes, and in elements with JSON, in order."""
    # Google wrote {"ou": ...} as the text of an element of the class rg_meta until 2020.
    texts = [node.text() for node in tree.css("script:not([src]), noscript, [class*=rg_meta]")]
    for name in ("data-bem", "data-state"):
        texts += [node.attributes[name] or "" for node in tree.css(f"[{name}]")]
    for text in texts:
        matches = [match for pattern in patterns for match in pattern.finditer(text)]
        for match in sorted(matches, key=lambda match: match.start()):
            yield Address(_unescaped(match[1]))


def _unescaped(address: str) -> str:
    r"""Without the escapes of JavaScript strings, also those written twice.

    >>> _unescaped(r"https://example.org/a\u003db\/c")
    'https://example.org/a=b/c'
    """

    def letter(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else match[3]

    for _ in range(2):
        address = _ESCAPE.sub(letter, address)
    return address.encode("utf-8", "replace").decode()


def _shown(tree: LexborHTMLParser) -> Iterator[Address]:
    """The pictures that the page shows, or would once they are scrolled to."""
    for image in tree.css("img, source, amp-img"):
        attributes = image.attributes
        if any(_COUNTER.match(attributes.get(side) or "") for side in ("width", "height")):
            continue
        title = line_of(attributes.get("alt") or attributes.get("title"), 300)
        for url in filter(None, picture_candidates(attributes, _LAZY)):
            yield Address(url, title)
            break
    for link in tree.css("a[href]"):
        url = link.attributes["href"] or ""
        if _PICTURE_NAME.search(url.partition("?")[0]):
            yield Address(url, line_of(link.text(), 300))


def _unique(addresses: Iterable[Address], base: str) -> list[Address]:
    """Absolute where the origin is known, each once, without what is no picture's address."""
    kept: dict[str, Address] = {}
    for address in addresses:
        url = re.sub(r"[\t\r\n]", "", address.url).strip()
        start = url[:14].lower()
        if start.startswith("data:"):
            if start.startswith("data:image/") and start != "data:image/svg":
                kept.setdefault(url, address._replace(url=url, small=True))
            continue
        url = _joined(base, url).partition("#")[0]
        parts = split_address(url)
        if not parts.geturl() or parts.scheme.lower() not in ("http", "https", ""):
            continue
        if not url.lower().partition("?")[0].endswith(".svg"):
            small = _SMALL.search(parts.hostname or "") is not None
            kept.setdefault(url, address._replace(url=url, small=small))
    return list(kept.values())
