"""Sheets that people fill in and send back. In: a form and rows. Out: a file, or the filled rows.

A form (`SheetForm`) says as data which columns there are, which of them are filled in, what is
asked and in which language; `write_form` writes it as a workbook with pictures, CSV, XLIFF or PO,
and `read_form` reads what came back, also ods. `write_sheet` replaces nothing that a person has
changed; all that people fill in is written by it.
"""

from memeloc.sheets.form import (
    Alternative,
    Filled,
    FilledRow,
    Listed,
    SheetColumn,
    SheetForm,
    SheetPicture,
)
from memeloc.sheets.reading import all_records, plain_text, read_form, records_of
from memeloc.sheets.writing import (
    write_archive,
    write_form,
    write_sheet,
    write_sheet_table,
)

__all__ = [
    "Alternative",
    "Filled",
    "FilledRow",
    "Listed",
    "SheetColumn",
    "SheetForm",
    "SheetPicture",
    "all_records",
    "plain_text",
    "read_form",
    "records_of",
    "write_archive",
    "write_form",
    "write_sheet",
    "write_sheet_table",
]
