"""Image search results on disk. In: address lists and saved result pages. Out: pictures.

After harmeme, section 4.1: pictures are searched for by keyword, here in a browser or by any other
tool, and what it saved is read: a list of addresses (.txt, .csv, .tsv, .jsonl) or a result page
(.html). Each picture is fetched once, and its details name every keyword it was found by.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, unquote_to_bytes, urljoin

from memeloc.collect.page_values import line_of, refused, web_address, without_empty
from memeloc.collect.sources.search_pages import MAX_BYTES, read_page
from memeloc.errors import InputError, MemelocError
from memeloc.files import read_text
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import read_table
from memeloc.templates.pictures import open_picture, picture_size

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "search"

PAGES = (".html", ".htm", ".xhtml")
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
LISTS = (".txt", ".list", ".urls")

_URL_COLUMNS = ("url", "address", "image_url", "imageurl", "image", "link", "src", "murl")
_KEYWORD_COLUMNS = ("keyword", "query", "search", "term", "keywords")
_TITLE_COLUMNS = ("title", "name", "alt")
_PAGE_COLUMNS = ("page", "source", "source_page", "purl", "host_page")


class _Hit(NamedTuple):
    """A picture in a file of results; `local` is its file where a browser has saved it."""

    url: str
    keyword: str
    file: str
    rank: int
    title: str = ""
    page: str = ""
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
        """Yield each picture once; a file, an address or a picture that fails is a refusal.

        Raises:
            InputError: there is no such file or folder, or nothing in it that can be read.
        """
        hits: dict[str, list[_Hit]] = {}
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

    def _hits(self, path: Path) -> Iterator[_Hit | Refusal]:
        suffix = path.suffix.lower()
        if suffix in PAGES:
            return self._from_page(path)
        return self._from_table(path) if suffix in TABLES else self._from_list(path)

    def _named(self, path: Path) -> str:
        """The keyword of a file that names none."""
        return self.keyword or " ".join(path.stem.replace("_", " ").replace("-", " ").split())

    def _from_list(self, path: Path) -> Iterator[_Hit | Refusal]:
        """One address a line, perhaps a tab and its keyword; `#` begins a comment."""
        for number, line in enumerate(read_text(path).splitlines(), 1):
            address, _, keyword = line.strip().partition("\t")
            if address and not address.startswith("#"):
                yield self._listed(path, number, address, keyword)

    def _from_table(self, path: Path) -> Iterator[_Hit | Refusal]:
        """Rows with an address and, as a rule, a keyword."""
        table = read_table(path)
        names = [name.casefold() for name in table.columns]
        url, *others = (
            next((name for name in wanted if name in names), "")
            for wanted in (_URL_COLUMNS, _KEYWORD_COLUMNS, _TITLE_COLUMNS, _PAGE_COLUMNS)
        )
        if not url:
            raise InputError(
                f"has no column of addresses: call it url (or {', '.join(_URL_COLUMNS[1:4])})"
            )
        for row in table.rows:
            if row.error:
                yield Refusal(NAME, f"{path.name} row {row.number}", "not readable", row.error)
            else:
                yield self._listed(path, row.number, row[url], *(row[name] for name in others))

    def _listed(
        self, path: Path, row: int, url: str, keyword: str, title: str = "", page: str = ""
    ) -> _Hit | Refusal:
        url = f"https:{url}" if url.startswith("//") else url
        if not web_address(url) and not _is_data(url):
            sentence = f"row {row} holds {url[:60] or 'nothing'!r}, which is no picture's address"
            return Refusal(NAME, f"{path.name} row {row}", "no address", sentence)
        keyword = line_of(keyword) or self._named(path)
        return _Hit(url, keyword, path.name, row, line_of(title), web_address(page))

    def _from_page(self, path: Path) -> Iterator[_Hit | Refusal]:
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
            yield _Hit(url, keyword, path.name, rank, picture.title, picture.page, local)

    def _picture(self, hits: list[_Hit], fetcher: Fetcher) -> FoundPicture | Refusal:
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
    """The bytes of a `data:` URL (RFC 2397).

    Raises:
        InputError: it is not one.

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
