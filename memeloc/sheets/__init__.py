"""Sheets that people fill in and send back. In: a form and rows. Out: a file, or the filled rows.

A form (`SheetForm`) says as data which columns there are, which of them are filled in, what is
asked and in which language; `write_form` writes it as a workbook with pictures, CSV, XLIFF or PO,
and `read_form` reads what came back, also ods. `write_sheet` replaces nothing that a person has
changed; all that people fill in is written by it.
"""

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.sheets.form import Alternative as Alternative
    from memeloc.sheets.form import Filled as Filled
    from memeloc.sheets.form import FilledRow as FilledRow
    from memeloc.sheets.form import Listed as Listed
    from memeloc.sheets.form import SheetColumn as SheetColumn
    from memeloc.sheets.form import SheetForm as SheetForm
    from memeloc.sheets.form import SheetPicture as SheetPicture
    from memeloc.sheets.reading import all_records as all_records
    from memeloc.sheets.reading import plain_text as plain_text
    from memeloc.sheets.reading import read_form as read_form
    from memeloc.sheets.reading import records_of as records_of
    from memeloc.sheets.writing import write_archive as write_archive
    from memeloc.sheets.writing import write_form as write_form
    from memeloc.sheets.writing import write_sheet as write_sheet
    from memeloc.sheets.writing import write_sheet_table as write_sheet_table

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
