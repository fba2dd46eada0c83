"""The pictures of a shard. In: captions of some memes. Out: pictures, and the table of their rows.

This is what runs in each process of a run, and `PictureMaker.make` is all of what is done for a
picture: layout, painting, proof, encoding, both hashes, file and row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate, zip_longest
from typing import Any, NamedTuple

from memeloc.captions import CaptionRow
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.files import paths_of
from memeloc.fonts import FontLibrary
from memeloc.model import SEPARATOR, Caption, Locale, Template
from memeloc.object_storage import Folder
from memeloc.picture_writers import SUFFIXES, Write, writing_pictures
from memeloc.render.encode import JpegEncoder, encode
from memeloc.render.renderer import Renderer, versions
from memeloc.render.sets.manifest import (
    SCHEMA,
    SHARDS,
    VERSIONS,
    Row,
    alternative_text,
    leave_out_pandas,
    rows_table,
    table_key,
    write_table,
)
from memeloc.render.sets.rows import row_values
from memeloc.render.settings import RenderSettings
from memeloc.tables.picture_tables import picture_schema

IN_PARQUET = picture_schema(
    [field for field in SCHEMA if field.name not in {"shard", "in_table", *VERSIONS}], pictures=True
)


class Shard(NamedTuple):
    """Pictures that are made together.

    Attributes:
        name: of their files.
        memes: rows of the captions table, each with the columns of which pictures are to be made,
            and the SHA-256 of all that makes them.
    """

    name: str
    memes: Sequence[tuple[CaptionRow, Mapping[str, str]]]


class Made(NamedTuple):
    """The outcome of a shard.

    Attributes:
        rows: what a run needs of the row of each picture that was made, see `rows.READ`.
        failed: of each other: meme, language, and a sentence.
    """

    rows: list[tuple[Any, ...]]
    failed: list[tuple[str, str, str]]


@dataclass
class PictureMaker:
    """Maker of pictures. Pickled, it takes along only what it was made of.

    Attributes:
        place: the set's folder.
        templates: by name.
        languages: locales by the table's column.
        source: the column of the captions that sizes are compared with.
    """

    place: Folder
    settings: RenderSettings
    templates: Mapping[str, Template]
    languages: Mapping[str, Locale]
    source: str

    def __reduce__(self) -> tuple[Any, ...]:
        return PictureMaker, tuple(getattr(self, each.name) for each in fields(self))

    @cached_property
    def renderer(self) -> Renderer:
        """Return what paints the pictures."""
        fonts = FontLibrary(paths_of(self.settings.fonts))
        return Renderer(fonts, max_side=self.settings.max_side)

    @cached_property
    def _jpeg(self) -> JpegEncoder:
        return JpegEncoder(self.settings)

    def tools(self) -> dict[str, str]:
        """Return versions and SHA-256s of the programs and fonts that pictures depend on."""
        return {**versions(), **self.renderer.fonts.files(self.languages.values())}

    def make(
        self,
        meme: CaptionRow,
        language: str,
        inputs: str,
        max_sizes: Sequence[float] | None = None,
    ) -> tuple[Row, bytes]:
        """Make one picture: its file, and its row but for `relative_size`, `in_table`, `shard`."""
        template, locale = self.templates[meme.template], self.languages[language]
        caption = meme.captions[language]
        rendered = self.renderer.render(
            template, caption, locale, max_sizes=max_sizes, source=meme.source
        )
        if self.settings.format == "jpg":
            content = self._jpeg.encode(rendered.canvas)
        else:
            content = encode(rendered.image, self.settings)
        proof, parts = rendered.proof, rendered.proof.parts
        first_lines = accumulate((len(part.boxes.lines) for part in parts), initial=0)
        words = [
            (text, first + line, box)
            for part, first in zip(parts, first_lines, strict=False)
            for text, line, box in part.boxes.words
        ]
        columns = ("lines", "ink", "contrast", "fonts")
        row = {
            "meme_id": meme.meme_id,
            "template": template.name,
            "language": language,
            "locale": locale.tag,
            "width": proof.width,
            "height": proof.height,
            "text": SEPARATOR.join(caption.parts),
            "parts": [part.name for part in parts],
            "font_size": [part.font_size for part in parts],
            "size_share": [part.font_size / proof.height for part in parts],
            **{column: [getattr(part, column) for part in parts] for column in columns},
            "coverage": proof.coverage,
            "middle_coverage": proof.middle_coverage,
            "problems": proof.problems,
            "alt": alternative_text(caption.parts),
            "template_source": template.source,
            "template_licence": template.licence,
            "line_boxes": [box for part in parts for box in part.boxes.lines],
            "words": [text for text, _, _ in words],
            "word_boxes": [box for _, _, box in words],
            "word_lines": [line for _, line, _ in words],
            "font_files": [{"family": name, "sha256": sha} for name, sha in proof.fonts.items()],
            "findings": [{"grade": each.grade, **each._asdict()} for each in proof.findings],
            "path": f"{language}/{template.name}/{meme.meme_id}.{self.settings.format}",
            "inputs_sha256": inputs,
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
        }
        return row, content

    def run(self, shard: Shard) -> Made:
        """Make the pictures of a shard and then write the table of their rows.

        A picture that cannot be made is left out with its reason, and the others go on; what would
        hold for every one of them (a full disk, a missing font) is raised.
        """
        leave_out_pandas()
        made = Made([], [])
        rows: list[Row] = []
        layout = self.settings.to
        key = f"{SHARDS}/{shard.name}{SUFFIXES[layout]}" if SUFFIXES[layout] else None
        with writing_pictures(layout, self.place, key or "", IN_PARQUET) as write:
            for row, inputs in shard.memes:
                rows += self.make_meme(row, inputs, write, key, made.failed)
        self.renderer.keep_glyphs()
        if rows:
            write_table(self.place, table_key(shard.name), rows_table(rows))
            made.rows.extend(map(row_values, rows))
        return made

    def make_meme(
        self,
        meme: CaptionRow,
        inputs: Mapping[str, str],
        write: Write,
        shard: str | None,
        failed: list[tuple[str, str, str]],
    ) -> list[Row]:
        """Make and write the pictures of a meme, in the file `shard` if it is named.

        Return their rows; `failed` takes what cannot be made.
        """
        made: list[tuple[Row, bytes]] = []
        common: tuple[float, ...] | None = None
        for language, sha256 in inputs.items():
            try:
                if self.settings.parity and common is None:
                    common = self._common_sizes(meme)
                made.append(self.make(meme, language, sha256, common))
            except (MissingError, ServiceError, OSError):
                raise
            except Exception as error:  # one defect must not cost the other pictures
                path = f"{language}/{meme.template}/{meme.meme_id}"
                unexpected = not isinstance(error, InputError)
                reason = f"unexpected {type(error).__name__}: {error}" if unexpected else error
                failed.append((meme.meme_id, language, f"{path}: {reason}"))
        rows = [row for row, _ in made]
        source_sizes = self._source_sizes(meme, rows, common)
        for row, content in made:
            sizes = zip_longest(row["font_size"], source_sizes, fillvalue=0.0)
            row["relative_size"] = [a / b if a and b else None for a, b in sizes]
            write(row, content, row["path"])
            row |= {"shard": shard, "in_table": True}  # which may change when the picture does not
        return rows

    def _sizes(self, meme: CaptionRow, language: str, caption: Caption) -> Sequence[float]:
        return self.renderer.sizes(self.templates[meme.template], caption, self.languages[language])

    def _common_sizes(self, meme: CaptionRow) -> tuple[float, ...]:
        sizes = [self._sizes(meme, *caption) for caption in meme.captions.items()]
        # An empty part has 0.0 and fits at any size; one that is empty in all stays 0.0.
        return tuple(min(filter(None, part), default=0.0) for part in zip(*sizes, strict=True))

    def _source_sizes(
        self, meme: CaptionRow, rows: Sequence[Row], common: Sequence[float] | None
    ) -> Sequence[float]:
        """Return the sizes of the source caption; measured where it is not among the rows."""
        if meme.source is None or not rows:
            return ()
        made: dict[str, Sequence[float]] = {row["language"]: row["font_size"] for row in rows}
        if self.source in made:
            return made[self.source]
        try:
            sizes = self._sizes(meme, self.source, meme.source)
        except InputError:
            return ()
        if common and self.source in meme.captions:
            sizes = [min(pair) for pair in zip(sizes, common, strict=True)]
        return sizes
