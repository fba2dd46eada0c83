"""Tables as files: one reader and one writer for everything. In: a path. Out: rows, or a file.

`read_table` reads CSV, workbooks of Excel and LibreOffice, JSON, Parquet and Arrow, row by row;
`write_table` writes CSV, JSON Lines and Parquet. A cell is what was typed: a formula is given as
one and never computed, and nothing that is written becomes a formula, a link or markup. A row that
cannot be trusted is given with a reason; a file that cannot be read at all is one sentence.
"""

from memeloc.tables.cells import Cell, Formula, clean_text, drawable, folded, text_of, wrong_in
from memeloc.tables.reading import read_table, read_tables
from memeloc.tables.rows import Header, Row, Table
from memeloc.tables.workbooks import new_workbook
from memeloc.tables.writing import Column, write_table

__all__ = [
    "Cell",
    "Column",
    "Formula",
    "Header",
    "Row",
    "Table",
    "clean_text",
    "drawable",
    "folded",
    "new_workbook",
    "read_table",
    "read_tables",
    "text_of",
    "write_table",
    "wrong_in",
]
