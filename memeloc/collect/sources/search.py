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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, unquote_to_bytes, urljoin, urlsplit

from memeloc.collect.page_values import line_of, refused, web_address
from memeloc.collect.sources.search_pages import MAX_BYTES, read_page
from memeloc.errors import InputError, MemelocError
from memeloc.files import read_text
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import read_table
from memeloc.templates.pictures import open_picture

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


@dataclass(slots=True)
class _Wanted:
    """A picture to be fetched, and all that the files say of it."""

    url: str
    keywords: list[str]
    file: str
    rank: int
    title: str = ""
    page: str = ""
    local: Path | None = None
    also: list[str] = field(default_factory=list)


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

    def __init__(
        self, path: Path, *, keyword: str = "", origin: str = "", smallest: int = 64
    ) -> None:
        self.path = path
        self.keyword = keyword
        self.origin = origin
        self.smallest = smallest

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | Refusal]:
        """Yield each picture once; a file, an address or a picture that fails is a refusal.

        Raises:
            InputError: there is no such file or folder, or nothing in it that can be read.
        """
        wanted: dict[str, _Wanted] = {}
        refusals: list[Refusal] = []
        for path in self._files():
            try:
                found = list(self._addresses(path, refusals))
            except InputError as error:
                refusals.append(Refusal(NAME, path.name, "not readable", error.message))
                continue
            for one in found:
                known = wanted.setdefault(one.url, one)
                if known is not one:
                    known.keywords += [word for word in one.keywords if word not in known.keywords]
                    known.also.append(one.file)
                    known.title, known.page = known.title or one.title, known.page or one.page
        yield from refusals
        for one in wanted.values():
            yield self._picture(one, fetcher)

    def _files(self) -> list[Path]:
        suffixes = PAGES + TABLES + LISTS
        if self.path.is_file():
            return [self.path]
        if not self.path.is_dir():
            raise InputError("there is no such file or folder of search results", file=self.path)
        files = sorted(
            path
            for path in self.path.iterdir()
            if path.is_file() and path.suffix.lower() in suffixes and path.name[0] != "."
        )
        if not files:
            raise InputError(
                f"holds no search results: they are {', '.join(suffixes)} files", file=self.path
            )
        return files

    def _addresses(self, path: Path, refusals: list[Refusal]) -> Iterator[_Wanted]:
        suffix = path.suffix.lower()
        if suffix in PAGES:
            yield from self._from_page(path)
        elif suffix in TABLES:
            yield from self._from_table(path, refusals)
        else:
            yield from self._from_list(path, refusals)

    def _named(self, path: Path) -> str:
        """The keyword of a file that names none."""
        return self.keyword or " ".join(path.stem.replace("_", " ").replace("-", " ").split())

    def _from_list(self, path: Path, refusals: list[Refusal]) -> Iterator[_Wanted]:
        """One address a line, perhaps a tab and its keyword; `#` begins a comment."""
        for number, line in enumerate(read_text(path).splitlines(), 1):
            address, _, keyword = line.strip().partition("\t")
            if not address or address.startswith("#"):
                continue
            yield from self._listed(path, number, address, keyword, refusals)

    def _from_table(self, path: Path, refusals: list[Refusal]) -> Iterator[_Wanted]:
        """Rows with an address and, as a rule, a keyword."""
        table = read_table(path)
        names = [name.casefold() for name in table.columns]
        url, keyword, title, page = (
            next((name for name in wanted if name in names), "")
            for wanted in (_URL_COLUMNS, _KEYWORD_COLUMNS, _TITLE_COLUMNS, _PAGE_COLUMNS)
        )
        if not url:
            raise InputError(
                f"has no column of addresses: call it url (or {', '.join(_URL_COLUMNS[1:4])})"
            )
        for row in table.rows:
            if row.error:
                where = f"{path.name} row {row.number}"
                refusals.append(Refusal(NAME, where, "not readable", row.error))
                continue
            for one in self._listed(path, row.number, row[url], row[keyword], refusals):
                one.title, one.page = line_of(row[title]), web_address(row[page])
                yield one

    def _listed(
        self, path: Path, row: int, address: str, keyword: str, refusals: list[Refusal]
    ) -> Iterator[_Wanted]:
        if address.startswith("//"):
            address = f"https:{address}"
        if not web_address(address) and address[:5].lower() != "data:":
            shown = address[:60] or "nothing"
            sentence = f"row {row} holds {shown!r}, which is no address of a picture"
            refusals.append(Refusal(NAME, f"{path.name} row {row}", "no address", sentence))
            return
        yield _Wanted(address, [line_of(keyword) or self._named(path)], path.name, row)

    def _from_page(self, path: Path) -> Iterator[_Wanted]:
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path) from error
        page = read_page(content, path, origin=self.origin)
        if not page.pictures:
            raise InputError("names no picture; scroll the results before you save them", file=path)
        keyword = self.keyword or page.keyword or self._named(path)
        for rank, one in enumerate(page.pictures, 1):
            wanted = _Wanted(one.url, [keyword], path.name, rank, one.title, one.page)
            if one.url[:5].lower() != "data:":
                # A browser that saves a page whole puts the pictures beside it.
                wanted.local = _beside(path, one.url, page.origin)
                wanted.url = web_address(one.url) or f"{path.name}: {one.url}"
            yield wanted

    def _picture(self, one: _Wanted, fetcher: Fetcher) -> FoundPicture | Refusal:
        url = _short(one.url)
        fetched = None
        try:
            if one.url[:5].lower() == "data:":
                content = data_url(one.url)
            elif one.local is not None:
                content = _local(one.local)
            elif web_address(one.url):
                page = fetcher.get(one.url, accept="picture")
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
        details: dict[str, Any] = {
            "keyword": one.keywords[0],
            "keywords": one.keywords,
            "file": one.file,
            "rank": one.rank,
            "page": one.page,
            "also_in": sorted(set(one.also)),
        }
        return FoundPicture(
            origin=Origin(NAME, url, one.page or web_address(one.url), "", fetched),
            picture=content,
            name=one.title or one.keywords[0],
            details={name: value for name, value in details.items() if value not in ("", [])},
        )


def data_url(url: str) -> bytes:
    """The bytes of a `data:` URL (RFC 2397).

    Raises:
        InputError: it is not one.

    >>> data_url("data:image/png;base64,AAEC")
    b'\\x00\\x01\\x02'
    """
    head, comma, tail = url.partition(",")
    if not comma or head[:5].lower() != "data:":
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
    if url[:5].lower() != "data:":
        return url[:4000]
    digest = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()
    return f"{url[:60].partition(',')[0]},sha256:{digest}"


def _beside(page: Path, address: str, origin: str) -> Path | None:
    """The file beside a saved page that an address means, if there is one."""
    try:
        parts = urlsplit(address)
        if parts.scheme and not (origin and address.startswith(urljoin(origin, "."))):
            return None
        relative = unquote(parts.path if not parts.scheme else address[len(urljoin(origin, ".")) :])
        file = (page.parent / relative.partition("?")[0]).resolve()
        folder = page.parent.resolve()
        inside = file.is_relative_to(folder) and file != page.resolve()
        return file if relative and inside and file.is_file() else None
    except (ValueError, OSError):
        return None


def _local(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(100_000_001)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from error
