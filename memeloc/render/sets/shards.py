"""The pictures of a shard. In: captions of some memes. Out: pictures, and the table of their rows.

This is what runs in each process of a run, and `PictureMaker.make` is all of what is done for a
picture: layout, painting, proof, encoding, both hashes, file and row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any, NamedTuple

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.files import paths_of
from memeloc.fonts import FontLibrary
from memeloc.model import Caption, Locale, Template
from memeloc.object_storage import Folder
from memeloc.picture_writers import SUFFIXES, PictureWriter, open_writer
from memeloc.render.encode import JpegEncoder, encode
from memeloc.render.renderer import Renderer, versions
from memeloc.render.sets.manifest import (
    SCHEMA,
    SHARDS,
    VERSIONS,
    Row,
    leave_out_pandas,
    picture_row,
    rows_table,
    table_key,
    write_table,
)
from memeloc.render.sets.rows import row_values
from memeloc.render.settings import RenderSettings
from memeloc.tables.picture_tables import picture_schema

_NOT_BESIDE = {"shard", "in_table"}
"""Columns that rows beside their pictures lack: they may change when the picture does not."""
IN_PARQUET = picture_schema(
    [field for field in SCHEMA if field.name not in {*_NOT_BESIDE, *VERSIONS}], pictures=True
)


class Item(NamedTuple):
    """One caption to be made a picture of: column, parts, and the hash of all that makes it."""

    language: str
    parts: tuple[str, ...]
    inputs_sha256: str


class ShardMeme(NamedTuple):
    """A meme's captions to be made pictures of.

    Attributes:
        source: language and parts of the caption that sizes are compared with, if there is one.
        together: language and parts of each caption that is to have the same size; empty without
            parity.
    """

    meme_id: str
    template: str
    items: Sequence[Item]
    source: tuple[str, tuple[str, ...]] | None = None
    together: Sequence[tuple[str, tuple[str, ...]]] = ()


class Shard(NamedTuple):
    """Memes of the table whose pictures are made together, and the name of their files."""

    name: str
    memes: Sequence[ShardMeme]


class Made(NamedTuple):
    """What became of a shard.

    Attributes:
        rows: what a run needs of the row of each picture that was made, see `rows.READ`.
        failed: of each other: meme, language, and a sentence.
        problems: of each picture that was made.
    """

    rows: list[tuple[Any, ...]]
    failed: list[tuple[str, str, str]]
    problems: list[list[str]]


class PictureMaker:
    """Makes pictures. Pickled, it takes along only what it was made of.

    Args:
        place: the set's folder.
        settings: how.
        templates: by name.
        languages: locales by the table's column.
    """

    def __init__(
        self,
        place: Folder,
        settings: RenderSettings,
        templates: Mapping[str, Template],
        languages: Mapping[str, Locale],
    ) -> None:
        self._arguments = (place, settings, templates, languages)
        self._place, self._settings = place, settings
        self.templates, self.languages = templates, languages
        self._jpeg = JpegEncoder(settings) if settings.format == "jpg" else None
        self._suffix = f".{settings.format}"

    def __reduce__(self) -> tuple[Any, ...]:
        return PictureMaker, self._arguments

    @cached_property
    def renderer(self) -> Renderer:
        """What paints the pictures."""
        fonts = FontLibrary(paths_of(self._settings.fonts))
        return Renderer(fonts, max_side=self._settings.max_side)

    def tools(self) -> dict[str, str]:
        """Return versions and SHA-256s of the programs and fonts that pictures depend on."""
        return {**versions(), **self.renderer.fonts.files(self.languages.values())}

    def make(
        self,
        meme_id: str,
        template: str,
        item: Item,
        max_sizes: Sequence[float] | None = None,
        source: Caption | None = None,
    ) -> tuple[Row, bytes]:
        """Make one picture: its row, but for sizes relative to the source language's, and file."""
        language = item.language
        locale = self.languages[language]
        rendered = self.renderer.render(
            self.templates[template],
            Caption(item.parts),
            locale,
            max_sizes=max_sizes,
            source=source,
        )
        if self._jpeg is not None:
            content = self._jpeg.encode(rendered.canvas)
        else:
            content = encode(rendered.image, self._settings)
        row = picture_row(
            meme_id, self.templates[template], language, locale.tag, item.parts, rendered.proof
        )
        row["path"] = f"{language}/{template}/{meme_id}{self._suffix}"
        row["inputs_sha256"] = item.inputs_sha256
        row["sha256"] = hashlib.sha256(content).hexdigest()
        row["bytes"] = len(content)
        row["in_table"] = True
        return row, content

    def run(self, shard: Shard) -> Made:
        """Make the pictures of a shard and then write the table of their rows.

        A picture that cannot be made is left out with its reason, and the others go on; what would
        hold for every one of them (a full disk, a missing font) is raised.
        """
        leave_out_pandas()
        rows: list[Row] = []
        failed: list[tuple[str, str, str]] = []
        layout = self._settings.to
        key = f"{SHARDS}/{shard.name}{SUFFIXES[layout]}" if SUFFIXES[layout] else None
        with open_writer(layout, self._place, key or "", IN_PARQUET) as writer:
            for meme in shard.memes:
                rows += self.make_meme(meme, writer, key, failed)
        self.renderer.keep_glyphs()
        if rows:
            write_table(self._place, table_key(shard.name), rows_table(rows))
        problems = [list(row["problems"]) for row in rows]
        return Made([row_values(row) for row in rows], failed, problems)

    def make_meme(
        self,
        meme: ShardMeme,
        writer: PictureWriter,
        shard: str | None,
        failed: list[tuple[str, str, str]],
    ) -> list[Row]:
        """Make and write the pictures of a meme; return their rows.

        Args:
            shard: key of the file that all of them go into.
            failed: takes what cannot be made.
        """
        made: list[tuple[Row, bytes]] = []
        sizes: tuple[float, ...] | None = None
        source = Caption(meme.source[1]) if meme.source else None
        for item in meme.items:
            try:
                if meme.together and sizes is None:
                    sizes = self._common_sizes(meme)
                made.append(self.make(meme.meme_id, meme.template, item, sizes, source))
            except (MissingError, ServiceError, OSError):
                raise
            except Exception as error:  # one defect must not cost the other pictures
                path = f"{item.language}/{meme.template}/{meme.meme_id}"
                unexpected = not isinstance(error, InputError)
                reason = f"unexpected {type(error).__name__}: {error}" if unexpected else error
                failed.append((meme.meme_id, item.language, f"{path}: {reason}"))
        rows = [row for row, _ in made]
        source_sizes = self._source_sizes(meme, rows, sizes)
        for row, content in made:
            row["relative_size"] = relative_sizes(row["font_size"], source_sizes)
            beside = (
                {name: value for name, value in row.items() if name not in _NOT_BESIDE}
                if shard
                else row
            )
            writer.add(beside, content, row["path"])
            row["shard"] = shard
        return rows

    def _common_sizes(self, meme: ShardMeme) -> tuple[float, ...]:
        """Return the sizes that fit all languages of a meme."""
        template = self.templates[meme.template]
        return common_sizes(
            self.renderer.sizes(template, Caption(parts), self.languages[language])
            for language, parts in meme.together
        )

    def _source_sizes(
        self, meme: ShardMeme, rows: Sequence[Row], common: Sequence[float] | None
    ) -> Sequence[float]:
        """Return the sizes of the source caption; measured where it is not among the rows."""
        if meme.source is None or not rows:
            return ()
        language, parts = meme.source
        sizes: Sequence[float]
        for row in rows:
            if row["language"] == language:
                sizes = row["font_size"]
                return sizes
        try:
            sizes = self.renderer.sizes(
                self.templates[meme.template], Caption(parts), self.languages[language]
            )
        except InputError:
            return ()
        if common and language in dict(meme.together):
            sizes = [min(pair) for pair in zip(sizes, common, strict=True)]
        return sizes


def common_sizes(sizes: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """Return the largest size that fits all languages, a part.

    An empty part (size 0.0) fits at any size and does not count; a part that is empty in every
    language stays 0.0.

    >>> common_sizes([(40.0, 0.0), (32.0, 28.0), (36.0, 30.0)])
    (32.0, 28.0)
    """
    return tuple(
        min((size for size in part if size > 0), default=0.0)
        for part in zip_longest(*sizes, fillvalue=0.0)
    )


def relative_sizes(sizes: Sequence[float], source: Sequence[float]) -> list[float | None]:
    """Return each part's size over the source language's; None where either has no text.

    >>> relative_sizes((30.0, 20.0, 0.0), (40.0, 0.0))
    [0.75, None, None]
    """
    return [
        size / other if size and other else None
        for size, other in zip_longest(sizes, source[: len(sizes)], fillvalue=0.0)
    ]
