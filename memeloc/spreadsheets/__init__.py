"""Until the survey targets read through memeloc.tables: the former names."""

from memeloc.files import LARGEST_FILE, file_sha256, read_head, replacing
from memeloc.spreadsheets.reading import Line, read_tables
from memeloc.tables.cells import Cell, Formula, clean_text, drawable, guarded, text_of, unguarded

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
