"""Pictures without text. In: memes with `reading`. Out: how many were not read, why, by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.analyze.dataset.tables import by_class, columns_of_classes
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError
from memeloc.reports.sections import Section, Table

if TYPE_CHECKING:
    import pandas as pd

READ = "text was read"


def unread(memes: pd.DataFrame, settings: Settings) -> Section:
    """What OCR could not read, by reason (araharmeme 3.3), and the classes of those memes.

    Raises:
        InputError: nothing was read in pictures.
    """
    if "reading" not in memes:
        raise InputError("nothing was read in pictures, so nothing could not be read")
    labels = memes["label"] if "label" in memes else memes["meme"].map(lambda _: "")
    frame = by_class(memes["reading"].replace("", READ), labels, "reading")
    columns = {
        **columns_of_classes(frame, "reading"),
        "reading": "why there is no text, as the reader or a person marked it",
    }
    without = int((memes["reading"] != "").sum())
    method = (
        f"Of {len(memes):,} memes; a reading is a failure by the three criteria of araharmeme 3.3."
    )
    sentence = (
        f"Of {without:,} of {len(memes):,} memes ({without / len(memes):.1%}) no text was read."
    )
    table = Table("unread", "What was not read", frame, columns, method)
    return Section("unread", "What was not read", (table,), (), (sentence,), {"unread": without})
