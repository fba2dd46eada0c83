"""The target qsf (Qualtrics). In: sheets, or exported responses. Out: a `.qsf` a sheet; answers.

FOLDER/SHEET.qsf             a project is made of it by "Create from a file"
FOLDER/pictures/SHEET/       with `pictures_base`: to be put on a server under that address
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from memeloc.errors import InputError
from memeloc.pages import encode_json
from memeloc.survey.targets.instructions import SheetFiles, SheetTexts
from memeloc.survey.targets.pictures import EmbeddedPictures, copy_picture, small_data_url
from memeloc.survey.targets.qualtrics.reading import read, recognises
from memeloc.survey.targets.qualtrics.survey import survey_file
from memeloc.taxonomy import Kind

LARGEST, SIDE = 200_000, 600
"""Bytes up to which a picture stands in its question as it is, and pixels to which a larger one is
made smaller there: so wide are pictures shown."""


class Qsf(SheetFiles):
    """Writes a Qualtrics survey for each sheet, and reads what Qualtrics exports of it.

    Args:
        pictures_base: the https address under which the exported folder `pictures` will be; empty
            puts pictures into the questions, large ones made smaller.

    Raises:
        InputError: that is no https address.
    """

    name = "qsf"
    summary = "a Qualtrics survey (QSF) a sheet, to be made a project of"
    kinds = frozenset[Kind]({"choice", "choices", "scale", "text"})
    recognises = staticmethod(recognises)
    read = staticmethod(read)

    def __init__(self, pictures_base: str = "") -> None:
        if pictures_base and not pictures_base.startswith("https://"):
            raise InputError(
                "pictures_base is the https address of a folder, such as https://host/pictures, "
                f"not {pictures_base[:60]!r}"
            )
        self.pictures_base = pictures_base.rstrip("/")

    def write_sheet(self, shown: SheetTexts, folder: Path) -> Path:
        """Write `SHEET.qsf`, and its pictures where they go to a server."""
        path = folder / f"{shown.sheet.id}.qsf"
        sheet, embedded = shown.sheet.id, EmbeddedPictures()

        def address(picture: Path, name: str) -> str:
            """Where a question finds a picture."""
            if self.pictures_base:
                copied = copy_picture(picture, folder / "pictures" / sheet, name)
                return escape(f"{self.pictures_base}/{sheet}/{copied}")
            return embedded.mark(small_data_url(picture, LARGEST, SIDE))

        embedded.write(path, encode_json(survey_file(shown, address)) + "\n")
        return path
