"""Lists of what image searches found. In: addresses in files. Out: pictures.

After harmeme, section 4.1: pictures are searched for by keyword, in a browser or by any other tool,
and the list of addresses that it saved is read (.txt, .csv, .tsv, .jsonl, .parquet). Each picture
is fetched once, and its details name every keyword it was found by.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memeloc.collect.page_values import line_of, refused, web_address, without_empty
from memeloc.errors import InputError, MemelocError
from memeloc.files import read_text
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.tables import read_table
from memeloc.tables.column_map import ColumnMap, Role, columns_of
from memeloc.templates.pictures import open_picture

if TYPE_CHECKING:
    from memeloc.collect.fetching.fetch import Fetcher

NAME = "search"

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
LISTS = (".txt", ".list", ".urls")

_ROLES = (
    Role("url", ("url", "address", "image_url", "imageurl", "image", "link", "src", "murl")),
    Role("keyword", ("keyword", "query", "search", "term", "keywords")),
    Role("title", ("title", "name", "alt")),
    Role("page", ("page", "source", "source_page", "purl", "host_page")),
)


class Hit(NamedTuple):
    """A picture in a file of results; `page` shows it."""

    url: str
    title: str
    page: str
    keyword: str
    file: str
    row: int


@dataclass
class SearchSource:
    """Pictures that image searches found.

    Args:
        path: a file, or a folder of which every such file is read.
        keyword: what was searched for, where the files do not say; without it a file's own name.
        smallest: pictures with a shorter side than this many pixels are refused: lists hold logos
            and icons beside the results.
    """

    name = NAME
    summary = "image search results: lists of addresses, by keyword"

    path: Path
    _: KW_ONLY
    keyword: str = ""
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
        suffixes = TABLES + LISTS
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
        is_table = path.suffix.lower() in TABLES
        return self._from_table(path) if is_table else self._from_list(path)

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
        if not web_address(url):
            sentence = f"row {row} holds {url[:60] or 'nothing'!r}, which is no picture's address"
            return Refusal(NAME, f"{path.name} row {row}", "no address", sentence)
        keyword = line_of(keyword) or self._named(path)
        return Hit(url, line_of(title), web_address(page), keyword, path.name, row)

    def _picture(self, hits: list[Hit], fetcher: Fetcher) -> FoundPicture | Refusal:
        first = hits[0]
        url = first.url[:4000]
        try:
            page = fetcher.get(first.url, accept="picture")
            sides = open_picture(page.body).size
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
            "rank": first.row,
            "page": source,
            "also_in": sorted({hit.file for hit in hits[1:]}),
        }
        return FoundPicture(
            origin=Origin(NAME, url, source or web_address(first.url), "", page.fetched),
            picture=page.body,
            name=next((hit.title for hit in hits if hit.title), first.keyword),
            details=without_empty(details),
        )
