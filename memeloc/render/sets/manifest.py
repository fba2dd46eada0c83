"""What is known of each picture. In: pictures as made. Out: OUT/manifest.parquet, a row each.

While a run goes on, each finished shard leaves its rows as a part in OUT/.memeloc/parts/; a part
that is there is whole, and is what a killed run's successor goes on from. At the end the parts and
the manifest before become the new manifest (`memeloc.render.sets.merging`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.files import naming
from memeloc.model import SEPARATOR

if TYPE_CHECKING:
    from memeloc.model import Template
    from memeloc.render.proof import Proof, TextShape

MANIFEST = "manifest.parquet"
STATE = ".memeloc"
"""The folder in OUT for what is memeloc's own."""
PARTS = f"{STATE}/parts"
SHARDS = "shards"
"""The folder in OUT for pictures in WebDataset shards."""
SOURCES = f"{STATE}/sources.parquet"
"""Rows of source captions that are measured for `relative_size` and have no picture."""

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
"""The manifest's columns."""


Row = dict[str, Any]
"""A row of a part, by column; what it lacks is null."""


def picture_row(
    meme_id: str, template: Template, language: str, locale: str, parts: Sequence[str], proof: Proof
) -> Row:
    """What a picture's row says of caption and proof.

    The caller adds path, hashes and bytes; its size relative to the source language's is added in
    the end.
    """
    proofs = proof.parts
    return {
        "meme_id": meme_id,
        "template": template.name,
        "language": language,
        "locale": locale,
        "width": proof.width,
        "height": proof.height,
        "text": SEPARATOR.join(parts),
        "parts": [part.name for part in proofs],
        "font_size": [part.font_size for part in proofs],
        "size_share": [part.font_size / proof.height for part in proofs],
        "lines": [part.lines for part in proofs],
        "ink": [part.ink for part in proofs],
        "contrast": [part.contrast for part in proofs],
        "fonts": [part.fonts for part in proofs],
        "coverage": proof.coverage,
        "middle_coverage": proof.middle_coverage,
        "problems": proof.problems,
        "alt": alternative_text(parts),
        "template_source": template.source,
        "template_licence": template.licence,
        **_text_columns(proof),
        "font_files": [{"family": name, "sha256": sha} for name, sha in proof.fonts.items()],
        "findings": [{"grade": item.grade, **item._asdict()} for item in proof.findings],
    }


def alternative_text(parts: Sequence[str]) -> str:
    """The caption's own words on one line, for readers who do not see the picture.

    >>> alternative_text(("tea", "", "is ready"))
    'tea is ready'
    """
    return " ".join(" ".join(parts).split())


def _text_columns(proof: Proof) -> Row:
    """Where the lines and words of all parts are."""
    lines: list[TextShape | None] = []
    words: list[str] = []
    boxes: list[TextShape] = []
    numbers: list[int] = []
    for part in proof.parts:
        before = len(lines)
        lines += part.boxes.lines
        for text, line, box in part.boxes.words:
            words.append(text)
            boxes.append(box)
            numbers.append(before + line)
    return {"line_boxes": lines, "words": words, "word_boxes": boxes, "word_lines": numbers}


class _NoPandas(MetaPathFinder):
    """Finds no pandas."""

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


def write_part(rows: Sequence[Row], path: Path) -> None:
    """Write a finished shard's rows; that the file is there says that the shard is done."""
    from memeloc.render.renderer import versions

    ran = versions()
    columns = {
        name: [ran[name]] * len(rows) if name in ran else [row.get(name) for row in rows]
        for name in SCHEMA.names
    }
    temporary = path.with_name(f".{path.name}.tmp")
    with naming(path):
        pq.write_table(
            pa.Table.from_pydict(columns, schema=SCHEMA),
            temporary,
            compression="lz4",
            use_dictionary=False,
            write_statistics=False,
        )
        temporary.replace(path)


_FIRST_COLUMNS = SCHEMA.names[: SCHEMA.names.index("problems") + 1]
"""Those that the manifests of all versions have."""


def is_manifest(path: Path) -> bool:
    """Whether a file is a manifest, of this version of memeloc or another."""
    try:
        with pq.ParquetFile(path) as file:
            return has_first_columns(file.schema_arrow)
    except (OSError, pa.ArrowException):
        return False


def has_first_columns(schema: pa.Schema) -> bool:
    """Whether a table has the columns that the manifests of all versions have."""
    names = set(schema.names)
    return all(
        name in names and schema.field(name).type == SCHEMA.field(name).type
        for name in _FIRST_COLUMNS
    )


def known_ids(out: Path) -> Iterator[str]:
    """The id of each row of a set's manifest, in its order; none where there is no manifest."""
    try:
        with pq.ParquetFile(out / MANIFEST) as file:
            for batch in file.iter_batches(8192, columns=["meme_id"], use_threads=False):
                yield from batch.column(0).to_pylist()
    except (OSError, pa.ArrowException):
        return


def with_all_columns(table: pa.Table) -> pa.Table:
    """Rows of any version's manifest with today's columns; what they lack is null."""
    if table.schema.equals(SCHEMA):
        return table
    columns = [
        table.column(field.name)
        if field.name in table.schema.names and table.schema.field(field.name).type == field.type
        else pa.nulls(table.num_rows, field.type)
        for field in SCHEMA
    ]
    return pa.table(columns, schema=SCHEMA)
