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

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.errors import InputError
from memeloc.locales import Registry
from memeloc.object_storage import Folder
from memeloc.pages import encode_json, fill_page, script_hash
from memeloc.render.proof import KINDS
from memeloc.render.sets.manifest import FIRST_COLUMNS, STATE
from memeloc.render.sets.out_folder import PAGE
from memeloc.render.sets.rows import Rows
from memeloc.version import __version__

CHUNK = 200
"""Memes a data file."""
LARGE = 50_000
"""Pictures from which on the page holds a part of its data only, and reads the rest when asked."""

_DATA = f"{STATE}/page"
_HELD = 32
"""Tables that are held: 2048 rows are 2 MB, and no table has much more than twice as many. Where
languages were made run by run, the rows of a meme stand in as many tables."""
_FOLDER = Path(__file__).parents[1] / "pages"
_SCRIPTS = ("data.js", "find.js", "grid.js", "view.js", "start.js")
_COLUMNS = [*({*FIRST_COLUMNS} - {"inputs_sha256", "lines", "ink"}), "findings"]
"""Columns of the manifest that the page shows, besides whether the table has a picture."""


def write_page(place: Folder, registry: Registry, rows: Rows, begin: Callable[[], None]) -> None:
    """Write the page of a set after `begin`, unless the one that is there shows the same."""
    digest = hashlib.sha256(__version__.encode())
    for _, _, *facts in rows.in_order():
        digest.update(repr(facts).encode())
    shown = digest.hexdigest()
    if PAGE in place.names() and shown.encode() in place.read(PAGE, 4096):
        return
    begin()

    @lru_cache(_HELD)
    def table(key: str) -> pa.Table:
        with place.open(key) as source, pq.ParquetFile(source) as file:
            return file.read(_COLUMNS, use_threads=False)

    page, order = Page(place, registry), rows.in_order()
    while some := [*islice(order, 1024)]:
        numbers: dict[str, list[int]] = defaultdict(list)
        for key, number, *_ in some:
            numbers[key].append(number)
        found: dict[str, Iterator[dict[str, Any]]] = {}
        for key, places in numbers.items():
            # `take` imports pyarrow.compute: a tenth of the time of a small run, whose rows are
            # all those of its table.
            rows_of = table(key)
            taken = rows_of if places == [*range(len(rows_of))] else rows_of.take(places)
            found[key] = iter(taken.to_pylist())
        for key, *_, in_table in some:
            page.add(next(found[key]) | {"in_table": in_table})
    page.write(shown)


class Page:
    """The page, as far as its pictures are known, and in the end whole.

    It holds no more than `CHUNK` memes, and those that stand in index.html. A language that the
    registry does not know is shown by its tag, with the direction of its own letters.
    """

    def __init__(self, place: Folder, registry: Registry) -> None:
        self._place, self._registry = place, registry
        self._there = place.names(_DATA)
        # Of each its number, and what the page says of it.
        self._languages: dict[str, tuple[int, dict[str, Any]]] = {}
        self._templates: dict[str, tuple[int, dict[str, Any]]] = {}
        self._kinds: Counter[str] = Counter()  # pictures by kind of finding, and by grade
        self._earlier_memes = 0
        self._suffix = "jpg"
        self._meme: tuple[str, bool] | None = None
        self._rows: list[Any] = []
        self._proofs: list[list[Any]] = []
        self._first: list[Any] = []
        self._files: dict[str, list[str]] = {"rows": [], "proofs": []}
        self._mask = 0  # kinds of findings of the memes that are gathered, a bit each
        self._masks: list[int] = []  # the same of each chunk

    def write(self, shown: str) -> None:
        """Write OUT/index.html, with a hash of what it shows; remove what the page before had."""
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
        """Add a row of the manifest. Those of a meme come one after another.

        What the table has no longer comes last, and is shown apart.
        """
        if self._meme is None:
            self._suffix = PurePosixPath(picture["path"]).suffix.lstrip(".")
        name, is_earlier = picture["template"], picture["in_table"] is False
        new = (len(self._templates), {"name": name, "memes": 0})
        template_number, template = self._templates.setdefault(name, new)
        if picture["language"] not in self._languages:
            self._languages[picture["language"]] = len(self._languages), self._language(picture)
        number, language = self._languages[picture["language"]]
        if (picture["meme_id"], is_earlier) != self._meme:
            if len(self._rows) == CHUNK:
                self._end_chunk()
            self._meme = picture["meme_id"], is_earlier
            self._earlier_memes += is_earlier
            template["memes"] += not is_earlier
            self._rows.append([picture["meme_id"], template_number, []])
            self._proofs.append([])
        kinds = {*picture["problems"], *(item["kind"] for item in picture["findings"] or ())}
        cell = _cell(picture, kinds, self._suffix)
        self._mask |= cell[1]
        _put(self._rows[-1][2], number, cell)
        _put(self._proofs[-1], number, _proof(picture))
        if is_earlier:
            language["earlier"] += 1
            return
        language["pictures"] += 1
        language["problems"] += bool(picture["problems"])
        self._kinds.update(kinds | {KINDS[kind] for kind in kinds if kind in KINDS})

    def _language(self, picture: dict[str, Any]) -> dict[str, Any]:
        name = native = picture["language"]
        direction = "auto"
        with suppress(InputError):
            locale = self._registry.get(picture["locale"])
            name, native, direction = locale.name, locale.native_name, locale.direction
        return {
            "language": picture["language"],
            "locale": picture["locale"],
            "name": name,
            "native": native,
            "direction": direction,
            "pictures": 0,
            "earlier": 0,  # that the table has no longer
            "problems": 0,  # pictures that have one
        }

    def _end_chunk(self) -> None:
        number = len(self._files["rows"])
        if number == 0:
            self._first = self._rows
            self._files["rows"].append("")
        else:
            self._write_data("rows", f"memelocRows({number},{encode_json(self._rows)})")
        self._write_data("proofs", f"memelocProofs({number},{encode_json(self._proofs)})")
        self._masks.append(self._mask)
        self._rows, self._proofs, self._mask = [], [], 0

    def _write_data(self, kind: str, script: str) -> None:
        name = f"{kind}-{hashlib.sha256(script.encode()).hexdigest()[:16]}.js"
        if name not in self._there:
            self._place.write(f"{_DATA}/{name}", script.encode())
        self._files[kind].append(name)

    def _about(self) -> dict[str, Any]:
        languages = [language for _, language in self._languages.values()]
        templates = [template for _, template in self._templates.values()]
        pictures, earlier, flagged = (
            sum(language[count] for language in languages)
            for count in ("pictures", "earlier", "problems")
        )
        memes = sum(template["memes"] for template in templates)
        is_large = pictures + earlier > LARGE
        kinds = [
            {"name": kind, "grade": grade, "pictures": self._kinds[kind]}
            for kind, grade in KINDS.items()
        ]
        return {
            "large": is_large,
            "masks": self._masks if is_large else [],
            "memes": memes + self._earlier_memes,
            "in_table": memes,
            "pictures": pictures,
            "earlier": earlier,
            "flagged": flagged,
            "chunk": CHUNK,
            "suffix": self._suffix,
            "languages": languages,
            "templates": templates,
            "grades": [
                {"name": grade, "pictures": self._kinds[grade]}
                for grade in dict.fromkeys(KINDS.values())
            ],
            "kinds": kinds,
        }


def _put(cells: list[Any], place: int, value: Any) -> None:
    """Set a place of a list; the places before it that it does not have yet are 0."""
    cells += [0] * (place + 1 - len(cells))
    cells[place] = value


def _cell(picture: dict[str, Any], kinds: set[str], suffix: str) -> list[Any]:
    """Return what the grid needs of a picture; data.js names the places."""
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


def _proof(picture: dict[str, Any]) -> Any:
    """Return what the large view shows of a picture besides its cell."""
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
