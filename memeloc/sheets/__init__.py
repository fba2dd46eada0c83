"""Files that people fill in and send back: sheets, lists and tables. In: rows. Out: a file.

All of them are written by `write_sheet` or `write_sheet_table`, which replace nothing that a person
has changed.
"""

from memeloc.sheets.writing import write_sheet, write_sheet_table

__all__ = ["write_sheet", "write_sheet_table"]
