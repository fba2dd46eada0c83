"""The pictures of a shard. In: captions of some memes. Out: pictures, and a part of the manifest.

This is what runs in each process of a run, and `PictureMaker.make` is all of what is done for a
picture: layout, painting, proof, encoding, both hashes, file and row.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.fonts import FontLibrary
from memeloc.model import SEPARATOR, Caption, Locale, Template
from memeloc.render.encode import Settings, encode
from memeloc.render.jpeg import JpegEncoder
from memeloc.render.renderer import Renderer, versions
from memeloc.render.sets.manifest import PARTS, Row, leave_out_pandas, picture_row, write_part
from memeloc.render.sets.merging import common_sizes
from memeloc.render.sets.storage import Add, Storage


class Item(NamedTuple):
    """One caption to be made a picture of.

    Attributes:
        language: the table's column.
        parts: of the caption.
        inputs_sha256: of all that makes the picture.
        painted: False for a source caption that is only measured.
    """

    language: str
    parts: tuple[str, ...]
    inputs_sha256: str
    painted: bool


class ShardMeme(NamedTuple):
    """A meme's captions to be made pictures of.

    Attributes:
        meme_id, template: of the table.
        items: the captions.
        together: language and parts of each caption that is to have the same size; empty without
            parity.
    """

    meme_id: str
    template: str
    items: Sequence[Item]
    together: Sequence[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Shard:
    """Memes of the table whose pictures are made together.

    Attributes:
        part: name of the file of their rows.
        memes: what is to be made.
    """

    part: str
    memes: Sequence[ShardMeme]


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a shard.

    Attributes:
        rendered: how many pictures were made.
        failed: by the number of each item (of all in the shard, from 0) that could not be made: a
            sentence that names it, and how many pictures it cost, 0 or 1.
        flawed: how many pictures have a problem.
        problems: pictures by kind of problem.
        example: path of one of the pictures, relative to the folder; empty without any file.
    """

    rendered: int
    failed: Mapping[int, tuple[str, int]]
    flawed: int
    problems: Mapping[str, int]
    example: str


class PictureMaker:
    """Makes pictures. Pickled, it takes along only what it was made of.

    Args:
        storage: where they are kept; its folder exists.
        settings: how.
        templates: by name.
        languages: locales by the table's column.
        fonts: fonts that come before memeloc's own, see `FontLibrary`.
    """

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        templates: Mapping[str, Template],
        languages: Mapping[str, Locale],
        fonts: Sequence[str | Path] = (),
    ) -> None:
        self._arguments = (storage, settings, templates, languages, fonts)
        self._storage = storage
        self._settings = settings
        self._jpeg = JpegEncoder(settings) if settings.format == "jpg" else None
        self._suffix = f".{settings.format}"
        self._templates = templates
        self._languages = languages
        self._fonts = fonts

    def __reduce__(self) -> tuple[Any, ...]:
        return PictureMaker, self._arguments

    @cached_property
    def renderer(self) -> Renderer:
        """What paints the pictures."""
        return Renderer(FontLibrary(self._fonts), max_side=self._settings.max_side)

    def tools(self) -> dict[str, str]:
        """Versions and SHA-256s of the programs and fonts that pictures depend on, by name."""
        return {**versions(), **self.renderer.fonts.files(self._languages.values())}

    def make(
        self,
        add: Add,
        meme_id: str,
        template: str,
        item: Item,
        max_sizes: Sequence[float] | None = None,
    ) -> Row:
        """Make one picture, let it be added, and return its row."""
        language = item.language
        locale = self._languages[language]
        rendered = self.renderer.render(
            self._templates[template], Caption(item.parts), locale, max_sizes=max_sizes
        )
        if self._jpeg is not None:
            content = self._jpeg.encode(rendered.canvas)
        else:
            content = encode(rendered.image, self._settings)
        row = picture_row(
            meme_id, self._templates[template], language, locale.tag, item.parts, rendered.proof
        )
        row["path"] = f"{language}/{template}/{meme_id}{self._suffix}"
        row["inputs_sha256"] = item.inputs_sha256
        row["sha256"] = hashlib.sha256(content).hexdigest()
        row["bytes"] = len(content)
        add(row, content)
        return row

    def run(self, shard: Shard) -> Made:
        """Make the pictures of a shard and then write its part.

        A picture that cannot be made is left out with its reason, and the others go on; what would
        hold for every one of them (a full disk, a missing font) is raised.
        """
        leave_out_pandas()
        with self._storage.adding(shard.part) as add:
            rows, failed = self._rows(shard, add)
        with self._storage.place.staged(f"{PARTS}/{shard.part}") as path:
            write_part(rows, path)
        painted = [row for row in rows if "path" in row]
        return Made(
            rendered=len(painted),
            failed=failed,
            flawed=sum(bool(row["problems"]) for row in painted),
            problems=Counter(kind for row in painted for kind in row["problems"]),
            example=painted[0]["path"] if painted and not self._storage.suffix else "",
        )

    def _rows(self, shard: Shard, add: Add) -> tuple[list[Row], dict[int, tuple[str, int]]]:
        """The rows of what was made, and what failed."""
        rows: list[Row] = []
        failed: dict[int, tuple[str, int]] = {}
        numbers = count()
        for meme in shard.memes:
            sizes: tuple[float, ...] | None = None
            for item in meme.items:
                number = next(numbers)
                try:
                    if item.painted and meme.together and sizes is None:
                        sizes = self._common_sizes(meme)
                    make = self.make if item.painted else self._measure
                    rows.append(make(add, meme.meme_id, meme.template, item, sizes))
                except (MissingError, ServiceError, OSError):
                    raise
                except Exception as error:  # one defect must not cost the other pictures
                    path = f"{item.language}/{meme.template}/{meme.meme_id}"
                    unexpected = not isinstance(error, InputError)
                    reason = f"unexpected {type(error).__name__}: {error}" if unexpected else error
                    failed[number] = f"{path}: {reason}", int(item.painted)
        return rows, failed

    def _common_sizes(self, meme: ShardMeme) -> tuple[float, ...]:
        """The sizes that fit all languages of a meme."""
        template = self._templates[meme.template]
        return common_sizes(
            self.renderer.sizes(template, Caption(parts), self._languages[language])
            for language, parts in meme.together
        )

    def _measure(self, add: Add, meme_id: str, template: str, item: Item, _: object = None) -> Row:
        """The row of a source caption that has no picture: its sizes are what it is for."""
        locale, boxes = self._languages[item.language], self._templates[template].boxes
        sizes = self.renderer.sizes(self._templates[template], Caption(item.parts), locale)
        return {
            "meme_id": meme_id,
            "template": template,
            "language": item.language,
            "locale": locale.tag,
            "inputs_sha256": item.inputs_sha256,
            "text": SEPARATOR.join(item.parts),
            "parts": [box.name for box in boxes],
            "font_size": sizes,
        }
