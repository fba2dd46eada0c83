"""The manifest of pictures. In: pictures as made. Out: OUT/manifest/, tables with a row each.

A table is written once, whole, after the pictures that it has rows of, and never changed: that it
is there says that they are. Its name is of a run's number and its own in that run, and never comes
again. Where two tables have a picture of the same meme and language, as after a run that was cut
off, the newer one's counts, and the next run writes the older one anew without it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.object_storage import Folder

MANIFEST = "manifest"
"""The folder in OUT of the tables."""
FORMER = "manifest.parquet"
"""The one table that earlier versions wrote; the next run takes it over."""
STATE = ".memeloc"
"""The folder in OUT for what is memeloc's own."""
SHARDS = "shards"
"""The folder in OUT for files of many pictures."""
_NAME = re.compile(r"(\d{6,})-(\d{8,})\.(?:parquet|tar)")
_LOOKED_UP = ["meme_id", "template", "language", "locale", "inputs_sha256"]
"""Columns of which each table says what values it has: readers of one pass over the others."""
_REPEATED = ["template", "language", "locale", "template_source", "template_licence"]

_TEXTS = pa.list_(pa.string())
_NUMBERS = pa.list_(pa.float64())
_BOXES = pa.list_(pa.list_(pa.int32()))
_FINDING = pa.struct([(name, pa.string()) for name in ("kind", "grade", "part", "detail")])
_FONT_FILE = pa.struct([("family", pa.string()), ("sha256", pa.string())])

VERSIONS = ("memeloc", "pillow", "skia", "harfbuzz", "icu")
"""The programs whose versions stand in the manifest, each in a column of its name."""

SCHEMA = pa.schema(
    [
        ("meme_id", pa.string()),  # as in the captions table
        ("template", pa.string()),  # name of the template
        ("language", pa.string()),  # the table's column, also the picture's folder
        ("locale", pa.string()),  # tag of the locale that the language means
        ("path", pa.string()),  # of the picture, relative to OUT, with `/`
        ("sha256", pa.string()),  # of the picture's bytes
        ("inputs_sha256", pa.string()),  # of everything that made it
        ("bytes", pa.int64()),  # size of the file
        ("width", pa.int32()),  # px
        ("height", pa.int32()),  # px
        ("text", pa.string()),  # the caption, parts joined by ` // `
        # One item a text box, in the template's order:
        ("parts", _TEXTS),  # name of the box
        ("font_size", _NUMBERS),  # px of the picture, 0 for an empty part
        ("size_share", _NUMBERS),  # font size as a share of the picture's height
        ("relative_size", _NUMBERS),  # font size over the source language's; null without either
        ("lines", pa.list_(_TEXTS)),  # the text of each line, in logical order
        ("ink", pa.list_(pa.list_(pa.int32()))),  # left, top, right, bottom in px; null without ink
        ("contrast", _NUMBERS),  # WCAG 2 contrast ratio, 1 to 21; null without text
        ("fonts", pa.list_(_TEXTS)),  # families used
        # Of the whole picture:
        ("coverage", pa.float64()),  # share of the picture that text covers, 0 to 1
        ("middle_coverage", pa.float64()),  # the same of the central half of width and height
        ("problems", _TEXTS),  # kinds of its faults and warnings, worst first
        ("in_table", pa.bool_()),  # False: of an earlier run, and the table has it no longer
        ("alt", pa.string()),  # alternative text: the caption's own words
        ("template_source", pa.string()),  # where the template's picture is from
        ("template_licence", pa.string()),  # under what terms
        # The text as it is drawn, in the order in which it is read. A box is left, top, right,
        # bottom in px; where the text is turned, the x and y of four corners: see `TextShape`.
        ("line_boxes", _BOXES),  # of the lines of all parts, one after another; null without ink
        ("words", _TEXTS),  # with the marks that touch them
        ("word_boxes", _BOXES),  # of each word
        ("word_lines", pa.list_(pa.int32())),  # the line of each, by its number in `line_boxes`
        ("font_files", pa.list_(_FONT_FILE)),  # of the fonts used
        # What was found, worst first; `part` is empty for the whole picture; see `Finding`:
        ("findings", pa.list_(_FINDING)),
        *((name, pa.string()) for name in VERSIONS),
        ("shard", pa.string()),  # that the picture is in, relative to OUT; null for a single file
    ]
)
"""The columns of the tables."""
FIRST_COLUMNS = SCHEMA.names[: SCHEMA.names.index("problems") + 1]
"""Those that the tables of all versions have."""

Row = dict[str, Any]
"""A row by column; what it lacks is null."""


def alternative_text(parts: Sequence[str]) -> str:
    """Return the caption's own words on one line, for readers who do not see the picture.

    >>> alternative_text(("tea", "", "is ready"))
    'tea is ready'
    """
    return " ".join(" ".join(parts).split())


class _NoPandas(MetaPathFinder):
    """Import finder that finds no pandas."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def leave_out_pandas() -> None:
    """Keep pyarrow from importing pandas, for as long as this process lives.

    It does so when it first makes an array of a list, only to see whether the list is one of
    pandas'. In three processes that is a seventh of the processor's time of `memeloc render` of the
    starter set. For processes of memeloc's own, which make nothing of pandas out of pyarrow's
    tables; where pandas is imported already nothing changes.
    """
    if "pandas" not in sys.modules:
        finder = _NoPandas()
        sys.meta_path.insert(0, finder)
        try:
            pa.array([])
        finally:
            sys.meta_path.remove(finder)


def number_of(key: str) -> tuple[int, int]:
    """Return the numbers of the run and of the file in it, by its name; zeros for any other name.

    >>> number_of("manifest/000012-00000003.parquet")
    (12, 3)
    """
    match = _NAME.fullmatch(key.rpartition("/")[2])
    return (int(match[1]), int(match[2])) if match else (0, 0)


def name_of(run: int, number: int) -> str:
    """Return how a run's files of a number are named, without suffix."""
    return f"{run:06d}-{number:08d}"


def table_key(name: str) -> str:
    """Return the key of the table of that name."""
    return f"{MANIFEST}/{name}.parquet"


def table_keys(place: Folder) -> list[str]:
    """Return the keys of a set's tables, the oldest first; also of one made before."""
    names = [name for name in place.names(MANIFEST) if name.endswith(".parquet")]
    keys = [f"{MANIFEST}/{name}" for name in sorted(names, key=number_of) if any(number_of(name))]
    return [FORMER, *keys] if FORMER in place.names() else keys


def rows_table(rows: Sequence[Row]) -> pa.Table:
    """Return rows as a table, with the versions of what made them."""
    from memeloc.render.renderer import versions

    return pa.Table.from_pylist([row | versions() for row in rows], schema=SCHEMA)


def write_table(place: Folder, key: str, table: pa.Table) -> None:
    """Write a table, whole. The same rows are the same bytes."""
    with place.staged(key) as path:
        repeated = [*_REPEATED, *VERSIONS]
        options = {"use_dictionary": repeated, "write_statistics": _LOOKED_UP}
        pq.write_table(table, path, compression="zstd", **options)


def with_all_columns(table: pa.Table) -> pa.Table:
    """Return rows of any version with today's columns; what they lack is null."""
    types = {field.name: field.type for field in table.schema}
    alike = table.select([field.name for field in SCHEMA if types.get(field.name) == field.type])
    return pa.concat_tables([SCHEMA.empty_table(), alike], promote_options="default")
