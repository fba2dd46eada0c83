"""Saved result pages of image searches. In: a page's bytes. Out: the addresses of its pictures.

The results of Google, Bing, Yandex and DuckDuckGo name the picture itself in scripts or attributes
and show a small copy of it; where the page names pictures themselves, the small copies are left
out. Of any other page it is `img` and the like, whatever the class is called today.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from lxml import etree, html

from memeloc.collect.fetching.encodings import decode
from memeloc.errors import InputError

MAX_BYTES = 50_000_000
"""Size that a saved page may have."""

MAX_PICTURES = 20_000
"""Addresses taken of one page."""

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
    r"""https?:(?:\\?/){2}[^"'\s<>]{1,400}?\.(?:jpe?g|png|gif|webp)\b""", re.IGNORECASE
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
_SIZES = re.compile(r"^\s*(\d{1,5})")


@dataclass(frozen=True, slots=True)
class Address:
    """A picture that a result page names.

    Attributes:
        url: absolute, or a `data:` URL, or a path relative to the page where its origin is unknown.
        title: what the page says of it; empty when it says nothing.
        page: the page that shows it, as the results say; empty when they do not.
        small: whether it is only the small copy that result pages show.
    """

    url: str
    title: str = ""
    page: str = ""
    small: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A saved result page.

    Attributes:
        origin: the address that it was saved from; empty when it does not say.
        keyword: what was searched for; empty when it does not say.
        pictures: in the order of the results, each once.
    """

    origin: str
    keyword: str
    pictures: tuple[Address, ...]


def read_page(content: bytes, path: Path, *, origin: str = "") -> ResultPage:
    """Find the pictures of a saved page; `path` is named in the errors.

    Args:
        content: the page's bytes.
        path: where it stands.
        origin: the address that it was saved from, when the user knows it.

    Raises:
        InputError: it is too large, or nothing that can be read as HTML.
    """
    if len(content) > MAX_BYTES:
        raise InputError(
            f"is larger than {MAX_BYTES // 1_000_000} MB; save less at once", file=path
        )
    if content[:200].lstrip().lower().startswith((b"from:", b"mime-version:")):
        raise InputError("is a web archive (MHT); save the page as HTML", file=path)
    root = _parsed(content, path)
    origin = origin or _origin(root, content)
    base = _based(root, origin)
    found = _unique(
        [*_bing(root), *_links(root), *_scripts(root)],
        base,
    )
    originals = [one for one in found if not one.small]
    shown = [] if originals else _unique(_shown(root), base)
    if not originals and not shown:
        shown = _unique(_loose(root), base)
    pictures = originals or [one for one in found if one.small] + shown
    return ResultPage(origin, _keyword(root, origin), tuple(pictures[:MAX_PICTURES]))


def _parsed(content: bytes, path: Path) -> Any:
    text, _ = decode(content)
    try:
        parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True)
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        reason = str(error).splitlines()[0][:100] if str(error) else type(error).__name__
        raise InputError(f"cannot be read as a web page: {reason}", file=path) from None
    if root.xpath("not(//html/*/*)"):
        raise InputError("holds no web page; save the results as HTML", file=path)
    return root


def _origin(root: Any, content: bytes) -> str:
    """The address that a page was saved from: a browser's note, or what the page says of itself."""
    saved = _SAVED_FROM.search(content[:20_000])
    if saved is not None:
        return _web(saved[1].decode("utf-8", "replace"))
    for found in root.xpath("//link[@rel='canonical']/@href | //meta[@property='og:url']/@content"):
        if _web(str(found)):
            return _web(str(found))
    return ""


def _based(root: Any, origin: str) -> str:
    """What relative addresses are relative to."""
    for found in root.xpath("//base/@href"):
        return _web(_joined(origin, str(found))) or origin
    return origin


def _web(address: str) -> str:
    address = address.strip()
    return address if address.lower().startswith(("http://", "https://")) else ""


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address) if base else address
    except ValueError:
        return ""


def _keyword(root: Any, origin: str) -> str:
    """What was searched for: by the address, the search field, or the title."""
    try:
        values = parse_qs(urlsplit(origin).query)
    except ValueError:
        values = {}
    for key in _QUERY_KEYS:
        if values.get(key, [""])[0].strip():
            return _plain(values[key][0])
    for key in _QUERY_KEYS:
        for field in root.xpath("//input[@name=$key]/@value | //textarea[@name=$key]", key=key):
            text = field if isinstance(field, str) else field.text_content()
            if text.strip():
                return _plain(text)
    title = _plain(" ".join(root.xpath("//title[1]//text()")))
    return _TITLE_TAIL.sub("", title).strip(" -–—|:") if _TITLE_TAIL.search(title) else ""


def _plain(text: str) -> str:
    """One line of at most 300 characters."""
    return " ".join(text.encode("utf-8", "replace").decode().split())[:300]


def _bing(root: Any) -> Iterator[Address]:
    """Bing keeps what it knows of a result as JSON in the attribute m of its link."""
    for link in root.xpath("//a[@m]"):
        try:
            known = json.loads(link.get("m"))
        except (ValueError, RecursionError):
            continue
        if isinstance(known, dict) and isinstance(known.get("murl"), str):
            title, page = (known.get(key) for key in ("t", "purl"))
            yield Address(
                known["murl"],
                _plain(title) if isinstance(title, str) else "",
                _web(page) if isinstance(page, str) else "",
            )


def _links(root: Any) -> Iterator[Address]:
    """Links that carry the picture's address as a parameter (imgurl, mediaurl, img_url)."""
    for link in root.xpath("//a[@href]"):
        try:
            values = parse_qs(urlsplit(link.get("href")).query)
        except ValueError:
            continue
        for key in ("imgurl", "mediaurl", "img_url"):
            if _web(values.get(key, [""])[0]):
                page = _web(values.get("imgrefurl", [""])[0])
                yield Address(values[key][0], _plain(link.get("title") or ""), page)
                break


def _scripts(root: Any) -> Iterator[Address]:
    """Addresses in scripts, in data attributes, and in elements that hold JSON."""
    for text in _code(root):
        matches = [(found.start(), found[1]) for found in _SIZED.finditer(text)]
        matches += [(found.start(), found[1]) for found in _NAMED.finditer(text)]
        for _, address in sorted(matches):
            yield Address(_unescaped(address))


def _loose(root: Any) -> Iterator[Address]:
    for text in _code(root):
        for found in _LOOSE.finditer(text):
            yield Address(_unescaped(found[0]))


def _code(root: Any) -> Iterator[str]:
    for script in root.xpath("//script[not(@src)] | //noscript"):
        yield "".join(script.itertext())
    yield from root.xpath("//@data-bem | //@data-state")
    # Google wrote {"ou": ...} as the text of an element until 2020.
    for element in root.xpath("//*[contains(@class, 'rg_meta')]"):
        yield element.text_content()


def _unescaped(address: str) -> str:
    r"""Without the escapes of JavaScript strings, also those written twice.

    >>> _unescaped(r"https://example.org/a\u003db\/c")
    'https://example.org/a=b/c'
    """

    def one(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else found[3]

    for _ in range(2):
        address = _ESCAPE.sub(one, address)
    return address.encode("utf-8", "replace").decode()


def _shown(root: Any) -> Iterator[Address]:
    """The pictures that the page shows, or would once they are scrolled to."""
    for image in root.iter("img", "source", "amp-img"):
        if any(_is_counter(image.get(key)) for key in ("width", "height")):
            continue
        title = _plain(image.get("alt") or image.get("title") or "")
        for key in ("data-src", "data-iurl", "data-original", "data-lazy-src", "data-thumb"):
            if image.get(key):
                yield Address(image.get(key), title)
                break
        else:
            best = _largest(image.get("srcset") or image.get("data-srcset") or "")
            if best or image.get("src"):
                yield Address(best or image.get("src"), title)
    for link in root.xpath("//a[@href]"):
        if _PICTURE_NAME.search(link.get("href").partition("?")[0]):
            yield Address(link.get("href"), _plain(link.text_content()))


def _is_counter(side: str | None) -> bool:
    """Whether a picture is shown so small that it is a counter or a spacer."""
    found = _SIZES.match(side or "")
    return found is not None and int(found[1]) <= 2


def _largest(srcset: str) -> str:
    """The address of the largest picture of a srcset.

    >>> _largest("a.jpg 1x, b.jpg 2x")
    'b.jpg'
    """
    best, largest = "", -1.0
    for part in re.split(r",\s+", srcset.strip()):
        address, _, size = part.strip().partition(" ")
        number = re.match(r"[\d.]+", size.strip())
        try:
            value = float(number[0]) if number else 1.0
        except ValueError:
            value = 1.0
        if address and value > largest:
            best, largest = address.strip(","), value
    return best


def _unique(found: Any, base: str) -> list[Address]:
    """Absolute where the origin is known, each once, without what is no picture's address."""
    kept: dict[str, Address] = {}
    for one in found:
        url = re.sub(r"[\t\r\n]", "", one.url).strip()
        if url[:5].lower() == "data:":
            if url[:11].lower() == "data:image/" and url[:14].lower() != "data:image/svg":
                kept.setdefault(url, Address(url, one.title, one.page, small=True))
            continue
        url = _joined(base, url).partition("#")[0]
        scheme = _scheme(url)
        if not url or scheme is None or scheme not in ("http", "https", ""):
            continue
        if url.lower().partition("?")[0].endswith(".svg"):
            continue
        kept.setdefault(url, Address(url, one.title, one.page, one.small or _is_small(url)))
    return list(kept.values())


def _scheme(url: str) -> str | None:
    """The scheme of an address in lower case; None of what is no address."""
    try:
        return urlsplit(url).scheme.lower()
    except ValueError:
        return None


def _is_small(url: str) -> bool:
    try:
        return _SMALL.search(urlsplit(url).hostname or "") is not None
    except ValueError:
        return False
