"""Spreadsheets of strangers. In: a file, or rows. Out: rows of plain cells, or a file that is safe.

A cell is what was typed: a formula is told as one and never computed, and nothing that is written
becomes a formula, a link or markup. `read_tables` reads xlsx, ods and CSV, told by content.
"""

from memeloc.spreadsheets.cells import (
    Cell,
    Formula,
    Line,
    clean_text,
    drawable,
    guarded,
    text_of,
    unguarded,
)
from memeloc.spreadsheets.files import LARGEST_FILE, file_sha256, read_head, replacing
from memeloc.spreadsheets.reading import read_tables

__all__ = [
    "LARGEST_FILE",
    "Cell",
    "Formula",
    "Line",
    "clean_text",
    "drawable",
    "file_sha256",
    "guarded",
    "read_head",
    "read_tables",
    "replacing",
    "text_of",
    "unguarded",
]
