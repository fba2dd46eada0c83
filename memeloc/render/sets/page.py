"""The page that shows a parallel set. In: the rows of a set. Out: OUT/index.html.

The page works from disk, without server or network. Browsers do not let a page opened from disk
fetch files, so the data comes as scripts: the first memes stand in index.html itself, the others in
OUT/.memeloc/page/, in chunks of `CHUNK` memes, one file for the grid and one for the proofs of
each, written as the rows come. Those files are named after their content and the old ones go last,
so a page is whole at any instant. Of a set of more than `LARGE` pictures the page reads a file when
its memes come into sight or are searched, and lets go of it again, so it opens like a small one.

Captions are untrusted. They reach the page as JSON, become text nodes and never HTML, and a
Content-Security-Policy lets run only the script whose hash it carries, and what that script loads.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.errors import InputError
from memeloc.object_storage import Folder
from memeloc.pages import fill_page, script_hash
from memeloc.render.proof import KINDS
from memeloc.render.sets.manifest import STATE
from memeloc.render.sets.out_folder import PAGE
from memeloc.render.sets.rows import Rows
from memeloc.version import __version__

if TYPE_CHECKING:
    from memeloc.locales import Registry

CHUNK = 200
"""Memes a data file."""
LARGE = 50_000
"""Pictures from which on the page holds a part of its data only, and reads the rest when asked."""

_DATA = f"{STATE}/page"
_AT_ONCE = 1024
"""Rows that are looked up together."""
_HELD = 32_768
"""Rows of tables that are held: 30 MB. Where languages were made run by run, the rows of a meme
stand in as many tables."""
_FOLDER = Path(__file__).parents[1] / "pages"
_SCRIPTS = ("data.js", "find.js", "grid.js", "view.js", "start.js")
COLUMNS = (
    "meme_id",
    "template",
    "language",
    "locale",
    "text",
    "problems",
    "width",
    "height",
    "path",
    "parts",
    "font_size",
    "size_share",
    "relative_size",
    "contrast",
    "fonts",
    "findings",
    "coverage",
    "middle_coverage",
    "bytes",
    "sha256",
    "in_table",
)
"""Columns of the manifest that the page shows."""

Json = Any  # what json.dumps takes


@dataclass(slots=True)
class _Language:
    number: int
    tag: str
    pictures: int = 0
    earlier: int = 0  # pictures that the table has no longer
    flagged: int = 0  # pictures with problems


@dataclass(slots=True)
class _Template:
    number: int
    memes: int = 0


def write_page(place: Folder, registry: Registry, rows: Rows, begin: Callable[[], None]) -> None:
    """Write the page of a set, unless the one that is there shows the same.

    Args:
        begin: is called before anything is written.
    """
    digest = hashlib.sha256(__version__.encode())
    for _, _, *facts in rows.in_order():
        digest.update(repr(facts).encode())
    shown = digest.hexdigest()
    if PAGE in place.names() and shown.encode() in place.read(PAGE, 4096):
        return
    begin()
    page = Page(place, registry)
    order = rows.in_order()
    tables = _Tables(place)
    while some := [*islice(order, _AT_ONCE)]:
        for picture, place_of in zip(tables.take(some), some, strict=True):
            page.add(picture | {"in_table": place_of[-1]})
    page.write(shown)


class _Tables:
    """The tables of a set, the latest used of which are held."""

    def __init__(self, place: Folder) -> None:
        self._place = place
        self._held: OrderedDict[str, pa.Table] = OrderedDict()

    def take(self, places: list[Any]) -> list[dict[str, Any]]:
        """Return rows by key of table and number."""
        by_table: dict[str, list[int]] = {}
        for index, (key, *_) in enumerate(places):
            by_table.setdefault(key, []).append(index)
        rows: list[dict[str, Any]] = [{}] * len(places)
        for key, indexes in by_table.items():
            table, numbers = self._table(key), [places[index][1] for index in indexes]
            # `take` imports pyarrow.compute: a tenth of the time of a small run, whose rows are all
            # those of its table.
            taken = table if numbers == [*range(len(table))] else table.take(numbers)
            for index, row in zip(indexes, taken.to_pylist(), strict=True):
                rows[index] = row
        return rows

    def _table(self, key: str) -> pa.Table:
        if key not in self._held:
            with self._place.open(key) as source, pq.ParquetFile(source) as file:
                self._held[key] = file.read([*COLUMNS], use_threads=False)
            while len(self._held) > 1 and sum(map(len, self._held.values())) > _HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(key)
        return self._held[key]


class Page:
    """The page, as far as its pictures are known, and in the end whole.

    It holds no more than `CHUNK` memes, and those that stand in index.html.

    Args:
        place: the folder that `memeloc render` writes.
        registry: names and directions of the languages. A tag it does not know is shown as it is,
            with the direction of its own letters.
    """

    def __init__(self, place: Folder, registry: Registry) -> None:
        self._place, self._registry = place, registry
        self._there = place.names(_DATA)
        self._languages: dict[str, _Language] = {}
        self._templates: dict[str, _Template] = {}
        self._kinds: Counter[str] = Counter()  # pictures by kind of finding, and by grade
        self._memes = self._pictures = self._earlier_memes = self._earlier = 0
        self._suffix = "jpg"
        self._meme: tuple[str, bool] | None = None
        self._rows: list[Json] = []
        self._proofs: list[list[Json]] = []
        self._first: list[Json] = []
        self._files: dict[str, list[str]] = {"rows": [], "proofs": []}
        self._mask = 0  # kinds of findings of the memes that are gathered, a bit each
        self._masks: list[int] = []  # the same of each chunk

    def write(self, shown: str) -> None:
        """Write OUT/index.html, and remove what the page before had.

        Args:
            shown: a hash of what it shows, which it notes.
        """
        if self._rows:
            self._end_chunk()
        style = (_FOLDER / "page.css").read_text("utf-8")
        scripts = "\n".join((_FOLDER / name).read_text("utf-8") for name in _SCRIPTS)
        script = f'(() => {{\n"use strict";\n{scripts}}})();\n'
        text = fill_page(
            _FOLDER / "index.html",
            title=self._place.name or "memeloc",
            shown=shown,
            about=self._about() | self._files,
            first=self._first,
            style=style,
            style_hash=script_hash(style),
            script=script,
            script_hash=script_hash(script),
        )
        self._place.write(PAGE, text.encode())
        for stale in self._there - {*self._files["rows"], *self._files["proofs"]}:
            self._place.remove(f"{_DATA}/{stale}")

    def add(self, picture: dict[str, Any]) -> None:
        """Add a picture: `COLUMNS` of its row. Those of a meme come one after another.

        What the table has no longer comes last, and is shown apart.
        """
        if self._meme is None:
            self._suffix = PurePosixPath(picture["path"]).suffix.lstrip(".")
        template = self._templates.setdefault(picture["template"], _Template(len(self._templates)))
        language = self._languages.setdefault(
            picture["language"], _Language(len(self._languages), picture["locale"])
        )
        is_earlier = picture["in_table"] is False
        if (picture["meme_id"], is_earlier) != self._meme:
            if len(self._rows) == CHUNK:
                self._end_chunk()
            self._meme = picture["meme_id"], is_earlier
            self._memes += not is_earlier
            self._earlier_memes += is_earlier
            template.memes += not is_earlier
            self._rows.append([picture["meme_id"], template.number, []])
            self._proofs.append([])
        kinds = {*picture["problems"], *(item["kind"] for item in picture["findings"] or ())}
        cell = _cell(picture, kinds, self._suffix)
        self._mask |= cell[1]
        _put(self._rows[-1][2], language.number, cell)
        _put(self._proofs[-1], language.number, _proof(picture))
        if is_earlier:
            self._earlier += 1
            language.earlier += 1
            return
        self._pictures += 1
        language.pictures += 1
        language.flagged += bool(picture["problems"])
        self._kinds.update(kinds | {KINDS[kind] for kind in kinds if kind in KINDS})

    def _end_chunk(self) -> None:
        """Write the data of the memes that are gathered."""
        number = len(self._files["rows"])
        if number == 0:
            self._first = self._rows
            self._files["rows"].append("")
        else:
            self._write_data("rows", f"memelocRows({number},{_json(self._rows)})")
        self._write_data("proofs", f"memelocProofs({number},{_json(self._proofs)})")
        self._masks.append(self._mask)
        self._rows, self._proofs, self._mask = [], [], 0

    def _write_data(self, kind: str, script: str) -> None:
        name = f"{kind}-{hashlib.sha256(script.encode()).hexdigest()[:16]}.js"
        if name not in self._there:
            self._place.write(f"{_DATA}/{name}", script.encode())
        self._files[kind].append(name)

    def _about(self) -> dict[str, Json]:
        languages = []
        for language, seen in self._languages.items():
            name = native = language
            direction = "auto"
            with contextlib.suppress(InputError):
                locale = self._registry.get(seen.tag)
                name, native, direction = locale.name, locale.native_name, locale.direction
            languages.append(
                {
                    "language": language,
                    "folder": language,
                    "locale": seen.tag,
                    "name": name,
                    "native": native,
                    "direction": direction,
                    "pictures": seen.pictures,
                    "earlier": seen.earlier,
                    "problems": seen.flagged,
                }
            )
        is_large = self._pictures + self._earlier > LARGE
        return {
            "large": is_large,
            "masks": self._masks if is_large else [],
            "memes": self._memes + self._earlier_memes,
            "in_table": self._memes,
            "pictures": self._pictures,
            "earlier": self._earlier,
            "flagged": sum(seen.flagged for seen in self._languages.values()),
            "chunk": CHUNK,
            "suffix": self._suffix,
            "languages": languages,
            "templates": [
                {"name": name, "memes": seen.memes} for name, seen in self._templates.items()
            ],
            "grades": [
                {"name": grade, "pictures": self._kinds[grade]}
                for grade in dict.fromkeys(KINDS.values())
            ],
            "kinds": [
                {"name": kind, "grade": grade, "pictures": self._kinds[kind]}
                for kind, grade in KINDS.items()
            ],
        }


def _put(cells: list[Json], place: int, value: Json) -> None:
    """Set a place of a list; the places before it that it does not have yet are 0."""
    cells += [0] * (place + 1 - len(cells))
    cells[place] = value


def _cell(picture: dict[str, Any], kinds: set[str], suffix: str) -> list[Json]:
    """What the grid needs of a picture; data.js names the places."""
    usual = f"{picture['language']}/{picture['template']}/{picture['meme_id']}.{suffix}"
    relative = [size for size in picture["relative_size"] or () if size]
    return [
        picture["text"],
        sum(1 << bit for bit, kind in enumerate(KINDS) if kind in kinds),
        picture["width"],
        picture["height"],
        round(min(relative), 3) if relative else 0,
        0 if picture["path"] == usual else picture["path"],
    ]


def _proof(picture: dict[str, Any]) -> Json:
    """What the large view shows of a picture besides its cell."""
    columns = ("parts", "font_size", "size_share", "relative_size", "contrast")
    parts = zip(*(picture[name] for name in columns), strict=True)
    fonts: list[list[str]] = picture["fonts"]
    return {
        "parts": [
            [name, *(None if value is None else round(value, 4) for value in values), families]
            for (name, *values), families in zip(parts, fonts, strict=True)
        ],
        "findings": [
            [item["kind"], item["part"], item["detail"]] for item in picture["findings"] or ()
        ],
        "coverage": round(picture["coverage"], 5),
        "middle": round(picture["middle_coverage"], 5),
        "bytes": picture["bytes"],
        "sha256": picture["sha256"],
    }


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
