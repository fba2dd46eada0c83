"""Files that people fill in and send back: sheets, lists and tables. In: rows. Out: a file.

All of them are written by `write_sheet`, which replaces nothing that a person has changed;
`write_sheet_table` and `write_columns` write tables, and workbooks with pictures, by it.
"""

from memeloc.sheets.workbooks import SheetColumn, write_columns
from memeloc.sheets.writing import write_sheet, write_sheet_table

__all__ = ["SheetColumn", "write_columns", "write_sheet", "write_sheet_table"]
