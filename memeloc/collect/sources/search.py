"""Image search results on disk. In: address lists and saved result pages. Out: pictures.

After harmeme, section 4.1: pictures are searched for by keyword, here in a browser or by any other
tool, and what it saved is read: a list of addresses (.txt, .csv, .tsv, .jsonl) or a result page
(.html). Each picture is fetched once, and its details name every keyword it was found by.

The results of Google, Bing, Yandex and DuckDuckGo name the picture itself in scripts or attributes
and show a small copy of it; where the page names pictures themselves, the small copies are left
out. Of any other page it is `img` and the like, whatever the class is called today.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, unquote, unquote_to_bytes, urljoin

from selectolax.lexbor import LexborHTMLParser

from memeloc.collect.fetching.encodings import decode, too_costly
from memeloc.collect.page_values import (
    line_of,
    picture_candidates,
    refused,
    split_address,
    web_address,
    without_empty,
)
from memeloc.errors import InputError, MemelocError
from memeloc.files import read_text
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import read_table
from memeloc.tables.column_map import ColumnMap, Role, columns_of
from memeloc.templates.pictures import open_picture, picture_size

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "search"

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

PAGES = (".html", ".htm", ".xhtml")
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
LISTS = (".txt", ".list", ".urls")

_ROLES = (
    Role("url", ("url", "address", "image_url", "imageurl", "image", "link", "src", "murl")),
    Role("keyword", ("keyword", "query", "search", "term", "keywords")),
    Role("title", ("title", "name", "alt")),
    Role("page", ("page", "source", "source_page", "purl", "host_page")),
)


class Hit(NamedTuple):
    """A picture in a file of results; `local` is its file where a browser has saved it.

    `url` is absolute, a `data:` URL, or relative to the page where its origin is unknown; `page`
    shows it; `small` is only the copy that result pages show.
    """

    url: str
    title: str = ""
    page: str = ""
    small: bool = False
    keyword: str = ""
    file: str = ""
    rank: int = 0
    local: Path | None = None


@dataclass
class SearchSource:
    """Pictures that image searches found.

    Args:
        path: a file, or a folder of which every such file is read.
        keyword: what was searched for, where the files do not say; without it a file's own name.
        origin: the address that a saved page came from, where it does not say.
        smallest: pictures with a shorter side than this many pixels are refused: result pages hold
            logos and icons beside the results.
    """

    name = NAME
    summary = "image search results: lists of addresses or saved result pages, by keyword"

    path: Path
    _: KW_ONLY
    keyword: str = ""
    origin: str = ""
    smallest: int = 64

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | Refusal]:
        """Yield each picture once; a file, an address or a picture that fails is a refusal."""
        hits: dict[str, list[Hit]] = {}
        for path in self._files():
            try:
                for hit in self._hits(path):
                    if isinstance(hit, Refusal):
                        yield hit
                    else:
                        hits.setdefault(hit.url, []).append(hit)
            except InputError as error:
                yield Refusal(NAME, path.name, "not readable", error.message)
        for same in hits.values():
            yield self._picture(same, fetcher)

    def _files(self) -> list[Path]:
        suffixes = PAGES + TABLES + LISTS
        if not self.path.exists():
            raise InputError("there is no such file or folder of search results", file=self.path)
        inside = sorted(self.path.glob("[!.]*"))
        files = [path for path in inside if path.is_file() and path.suffix.lower() in suffixes]
        if not files and not self.path.is_file():
            raise InputError(
                f"holds no search results: they are {', '.join(suffixes)} files", file=self.path
            )
        return files or [self.path]

    def _hits(self, path: Path) -> Iterator[Hit | Refusal]:
        suffix = path.suffix.lower()
        if suffix in PAGES:
            return self._from_page(path)
        return self._from_table(path) if suffix in TABLES else self._from_list(path)

    def _named(self, path: Path) -> str:
        return self.keyword or " ".join(path.stem.replace("_", " ").replace("-", " ").split())

    def _from_list(self, path: Path) -> Iterator[Hit | Refusal]:
        """One address a line, perhaps a tab and its keyword; `#` begins a comment."""
        for number, line in enumerate(read_text(path).splitlines(), 1):
            address, _, keyword = line.strip().partition("\t")
            if address and not address.startswith("#"):
                yield self._listed(path, number, address, keyword)

    def _from_table(self, path: Path) -> Iterator[Hit | Refusal]:
        """Rows with an address and, as a rule, a keyword."""
        table = read_table(path)
        columns = columns_of(table.columns, ColumnMap(), _ROLES, path)
        if "url" not in columns:
            raise InputError(
                f"has no column of addresses: call it url (or {', '.join(_ROLES[0].known[1:4])})"
            )
        names = [next(iter(columns.get(role.name, ("",)))) for role in _ROLES]
        for row in table.rows:
            if row.error:
                yield Refusal(NAME, f"{path.name} row {row.number}", "not readable", row.error)
            else:
                yield self._listed(path, row.number, *(row[name] for name in names))

    def _listed(
        self, path: Path, row: int, url: str, keyword: str, title: str = "", page: str = ""
    ) -> Hit | Refusal:
        url = f"https:{url}" if url.startswith("//") else url
        if not web_address(url) and not _is_data(url):
            sentence = f"row {row} holds {url[:60] or 'nothing'!r}, which is no picture's address"
            return Refusal(NAME, f"{path.name} row {row}", "no address", sentence)
        keyword = line_of(keyword) or self._named(path)
        return Hit(url, line_of(title), web_address(page), False, keyword, path.name, row)

    def _from_page(self, path: Path) -> Iterator[Hit | Refusal]:
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path) from error
        page = read_page(content, path, origin=self.origin)
        if not page.pictures:
            raise InputError("names no picture; scroll the results before you save them", file=path)
        keyword = self.keyword or page.keyword or self._named(path)
        for rank, picture in enumerate(page.pictures, 1):
            url, local = picture.url, None
            if not _is_data(url):
                # A browser that saves a page whole puts the pictures beside it.
                local = _beside(path, url, page.origin)
                url = web_address(url) or f"{path.name}: {url}"
            yield picture._replace(url=url, keyword=keyword, file=path.name, rank=rank, local=local)

    def _picture(self, hits: list[Hit], fetcher: Fetcher) -> FoundPicture | Refusal:
        first = hits[0]
        url = _short(first.url)
        fetched = None
        try:
            if _is_data(first.url):
                content = data_url(first.url)
            elif first.local is not None:
                picture_size(first.local)
                content = first.local.read_bytes()
            elif web_address(first.url):
                page = fetcher.get(first.url, accept="picture")
                content, fetched = page.body, page.fetched
            else:
                sentence = (
                    "is neither an address nor a file beside the page; give the address that the "
                    "page was saved from"
                )
                return Refusal(NAME, url, "no address", sentence)
            sides = open_picture(content).size
        except InputError as error:
            return Refusal(NAME, url, "not a picture", error.message)
        except MemelocError as error:
            return refused(NAME, url, error)
        if min(sides) < self.smallest:
            sentence = f"is {sides[0]} x {sides[1]} pixels, as icons are; {self.smallest} are asked"
            return Refusal(NAME, url, "too small", sentence)
        source = next((hit.page for hit in hits if hit.page), "")
        details = {
            "keyword": first.keyword,
            "keywords": list(dict.fromkeys(hit.keyword for hit in hits)),
            "file": first.file,
            "rank": first.rank,
            "page": source,
            "also_in": sorted({hit.file for hit in hits[1:]}),
        }
        return FoundPicture(
            origin=Origin(NAME, url, source or web_address(first.url), "", fetched),
            picture=content,
            name=next((hit.title for hit in hits if hit.title), first.keyword),
            details=without_empty(details),
        )


def _is_data(url: str) -> bool:
    return url[:5].lower() == "data:"


def data_url(url: str) -> bytes:
    """Return the bytes of a `data:` URL (RFC 2397), or raise InputError.

    >>> data_url("data:image/png;base64,AAEC")
    b'\\x00\\x01\\x02'
    """
    head, comma, tail = url.partition(",")
    if not comma or not _is_data(url):
        raise InputError("is a data: URL without data")
    content = unquote_to_bytes(tail)
    if not head.lower().replace(" ", "").endswith(";base64"):
        return content
    letters = b"".join(content.split()).translate(bytes.maketrans(b"-_", b"+/"))
    try:
        return base64.b64decode(letters + b"=" * (-len(letters) % 4), validate=True)
    except binascii.Error:
        raise InputError("is a data: URL whose base64 is damaged") from None


def _short(url: str) -> str:
    """What identifies an address: itself, or the digest of what a `data:` URL holds."""
    if not _is_data(url):
        return url[:4000]
    digest = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()
    return f"{url[:60].partition(',')[0]},sha256:{digest}"


def _beside(page: Path, address: str, origin: str) -> Path | None:
    """The file beside a saved page that an address means, if there is one."""
    folder = urljoin(origin, ".")
    if web_address(address):
        if not (origin and address.startswith(folder)):
            return None
        address = address.removeprefix(folder)
    try:
        file = (page.parent / unquote(address.partition("?")[0])).resolve()
        inside = file.is_relative_to(page.parent.resolve()) and file != page.resolve()
        return file if inside and file.is_file() else None
    except (ValueError, OSError):
        return None


class ResultPage(NamedTuple):
    """A saved result page: where it was saved from and what was searched for, as far as it says,
    and its pictures in the order of the results, each once.
    """

    origin: str
    keyword: str
    pictures: tuple[Hit, ...]


def read_page(content: bytes, path: Path, *, origin: str = "") -> ResultPage:
    """Find the pictures of a page that was saved from `origin`; `path` is named in errors."""
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


def _bing(tree: LexborHTMLParser) -> Iterator[Hit]:
    """Bing keeps what it knows of a result as JSON in the attribute m of its link."""
    for link in tree.css("a[m]"):
        try:
            record = json.loads(link.attributes["m"] or "")
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("murl"), str):
            title, page = line_of(record.get("t"), 300), web_address(record.get("purl"))
            yield Hit(record["murl"], title, page)


def _links(tree: LexborHTMLParser) -> Iterator[Hit]:
    """Links that carry the picture's address as a parameter (imgurl, mediaurl, img_url)."""
    for link in tree.css("a[href]"):
        values = parse_qs(split_address(link.attributes["href"] or "").query)
        for key in ("imgurl", "mediaurl", "img_url"):
            if url := web_address(values.get(key, [""])[0]):
                page = web_address(values.get("imgrefurl", [""])[0])
                yield Hit(url, line_of(link.attributes.get("title"), 300), page)
                break


def _scripts(tree: LexborHTMLParser, *patterns: re.Pattern[str]) -> Iterator[Hit]:
    """What patterns find in scripts, in data attributes, and in elements with JSON, in order."""
    # Google wrote {"ou": ...} as the text of an element of the class rg_meta until 2020.
    texts = [node.text() for node in tree.css("script:not([src]), noscript, [class*=rg_meta]")]
    for name in ("data-bem", "data-state"):
        texts += [node.attributes[name] or "" for node in tree.css(f"[{name}]")]
    for text in texts:
        matches = [match for pattern in patterns for match in pattern.finditer(text)]
        for match in sorted(matches, key=lambda match: match.start()):
            yield Hit(_unescaped(match[1]))


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


def _shown(tree: LexborHTMLParser) -> Iterator[Hit]:
    """The pictures that the page shows, or would once they are scrolled to."""
    for image in tree.css("img, source, amp-img"):
        attributes = image.attributes
        if any(_COUNTER.match(attributes.get(side) or "") for side in ("width", "height")):
            continue
        title = line_of(attributes.get("alt") or attributes.get("title"), 300)
        for url in filter(None, picture_candidates(attributes, _LAZY)):
            yield Hit(url, title)
            break
    for link in tree.css("a[href]"):
        url = link.attributes["href"] or ""
        if _PICTURE_NAME.search(url.partition("?")[0]):
            yield Hit(url, line_of(link.text(), 300))


def _unique(addresses: Iterable[Hit], base: str) -> list[Hit]:
    """Absolute where the origin is known, each once, without what is no picture's address."""
    kept: dict[str, Hit] = {}
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
