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

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
LISTS = (".txt", ".list", ".urls")

_ROLES = (
    Role("url", ("url", "address", "image_url", "imageurl", "image", "link", "src", "murl")),
    Role("keyword", ("keyword", "query", "search", "term", "keywords")),
    Role("title", ("title", "name", "alt")),
    Role("page", ("page", "source", "source_page", "purl", "host_page")),
)


class Hit(NamedTuple):
    """A picture in a row of a file of results; `page` shows it."""

    file: str
    row: int
    url: str
    keyword: str = ""
    title: str = ""
    page: str = ""


@dataclass
class SearchSource:
    """Pictures that image searches found.

    Args:
        path: a file, or a folder of which every such file is read.
        keyword: what was searched for, where the files do not say; without it a file's own name.
        smallest: pictures with a shorter side than this many pixels are refused: lists hold logos
            and icons beside the results.
    """

    name = "search"
    summary = "image search results: lists of addresses, by keyword"

    path: Path
    _: KW_ONLY
    keyword: str = ""
    smallest: int = 64

    def collect(self, fetcher: Fetcher) -> Iterator[FoundPicture | Refusal]:
        """Yield each picture once; a file, an address or a picture that fails is a refusal."""
        hits: dict[str, list[Hit]] = {}
        for path in self._files():
            named = self.keyword or " ".join(path.stem.replace("_", " ").replace("-", " ").split())
            try:
                for hit in _hits(path):
                    if isinstance(hit, Refusal):
                        yield hit
                        continue
                    url = f"https:{hit.url}" if hit.url.startswith("//") else hit.url
                    if web_address(url):
                        keyword = line_of(hit.keyword) or named
                        hits.setdefault(url, []).append(hit._replace(keyword=keyword))
                        continue
                    shown = f"{url[:60] or 'nothing'!r}"
                    sentence = f"row {hit.row} holds {shown}, which is no picture's address"
                    place = f"{path.name} row {hit.row}"
                    yield Refusal(self.name, place, "no address", sentence)
            except InputError as error:
                yield Refusal(self.name, path.name, "not readable", error.message)
        for url, same in hits.items():
            yield self._picture(url, same, fetcher)

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

    def _picture(self, address: str, hits: list[Hit], fetcher: Fetcher) -> FoundPicture | Refusal:
        first, url = hits[0], address[:4000]
        try:
            page = fetcher.get(address, accept="picture")
            sides = open_picture(page.body).size
        except InputError as error:
            return Refusal(self.name, url, "not a picture", error.message)
        except MemelocError as error:
            return refused(self.name, url, error)
        if min(sides) < self.smallest:
            sentence = f"is {sides[0]} x {sides[1]} pixels, as icons are; {self.smallest} are asked"
            return Refusal(self.name, url, "too small", sentence)
        source = next(filter(None, (web_address(hit.page) for hit in hits)), "")
        details = {
            "keyword": first.keyword,
            "keywords": list(dict.fromkeys(hit.keyword for hit in hits)),
            "file": first.file,
            "rank": first.row,
            "page": source,
            "also_in": sorted({hit.file for hit in hits[1:]}),
        }
        return FoundPicture(
            Origin(self.name, url, source or web_address(address), "", page.fetched),
            page.body,
            next(filter(None, (line_of(hit.title) for hit in hits)), first.keyword),
            details=without_empty(details),
        )


def _hits(path: Path) -> Iterator[Hit | Refusal]:
    """Yield rows of a table; else an address a line, perhaps a tab and its keyword; # comments."""
    if path.suffix.lower() not in TABLES:
        for number, line in enumerate(read_text(path).splitlines(), 1):
            address, _, keyword = line.strip().partition("\t")
            if address and not address.startswith("#"):
                yield Hit(path.name, number, address, keyword)
        return
    table = read_table(path)
    columns = columns_of(table.columns, ColumnMap(), _ROLES, path)
    if "url" not in columns:
        raise InputError(
            f"has no column of addresses: call it url (or {', '.join(_ROLES[0].names[1:4])})"
        )
    names = [next(iter(columns.get(role.name, ("",)))) for role in _ROLES]
    for row in table.rows:
        if row.error:
            place = f"{path.name} row {row.number}"
            yield Refusal(SearchSource.name, place, "not readable", row.error)
        else:
            yield Hit(path.name, row.number, *(row[name] for name in names))
