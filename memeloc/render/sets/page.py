"""The page that shows a parallel set. In: the manifest's rows. Out: OUT/index.html.

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
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.pages import fill_page, script_hash
from memeloc.render.proof import KINDS
from memeloc.render.sets.manifest import STATE

if TYPE_CHECKING:
    import pyarrow as pa

    from memeloc.locales import Registry

CHUNK = 200
"""Memes a data file."""
LARGE = 50_000
"""Pictures from which on the page holds a part of its data only, and reads the rest when asked."""

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


class Page:
    """The page, as far as its pictures are known, and in the end whole.

    It holds no more than `CHUNK` memes, and those that stand in index.html.

    Args:
        out: the folder that `memeloc render` writes.
        registry: names and directions of the languages. A tag it does not know is shown as it is,
            with the direction of its own letters.
    """

    def __init__(self, out: Path, registry: Registry) -> None:
        self._out, self._registry = out, registry
        self._folder = out / STATE / "page"
        self._folder.mkdir(parents=True, exist_ok=True)
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

    def add(self, pictures: pa.Table) -> None:
        """Add pictures: rows of the manifest, those of a meme one after another.

        What the table has no longer comes last, and is shown apart.

        Args:
            pictures: a table that has at least `COLUMNS`.
        """
        # Few rows at a time: as Python's objects they take much more memory.
        for batch in pictures.select(COLUMNS).to_batches(max_chunksize=256):
            for picture in batch.to_pylist():
                self._add(picture)

    def write(self) -> Path:
        """Write OUT/index.html, remove what the page before had, and return the path."""
        if self._rows:
            self._end_chunk()
        page = self._out / "index.html"
        style = (_FOLDER / "page.css").read_text("utf-8")
        scripts = "\n".join((_FOLDER / name).read_text("utf-8") for name in _SCRIPTS)
        script = f'(() => {{\n"use strict";\n{scripts}}})();\n'
        text = fill_page(
            _FOLDER / "index.html",
            title=self._out.resolve().name or "memeloc",
            about=self._about() | self._files,
            first=self._first,
            style=style,
            style_hash=script_hash(style),
            script=script,
            script_hash=script_hash(script),
        )
        _write(page, text)
        for stale in self._folder.iterdir():
            if stale.name not in {*self._files["rows"], *self._files["proofs"]}:
                stale.unlink(missing_ok=True)
        return page

    def _add(self, picture: dict[str, Any]) -> None:
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
        if not (self._folder / name).exists():
            _write(self._folder / name, script)
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


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, "utf-8", newline="\n")
