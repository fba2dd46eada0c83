"""Pictures. In: memes with sizes and `reading`. Out: sizes, ratios, formats; those without text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.analyze.dataset.languages import UNKNOWN
from memeloc.analyze.dataset.tables import (
    by_class,
    columns_of_classes,
    counted_shares,
    share_columns,
)
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError
from memeloc.reports.sections import Section, Table

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = {
    "measure": "what is measured, with its unit",
    "pictures": "count of pictures that it is known of",
    "smallest": "in the measure's unit",
    "first quartile": "in the measure's unit",
    "median": "in the measure's unit",
    "third quartile": "in the measure's unit",
    "largest": "in the measure's unit",
}


def pictures(memes: pd.DataFrame, settings: Settings) -> Section:
    """Sizes and formats of pictures; a meme in several languages counts in each.

    Raises:
        InputError: no picture's size or format is known.
    """
    tables, sentences, figures = [], [], {}
    measures = _measures(memes)
    if len(measures):
        method = "Of the pictures whose size is known; a ratio is width by height (charmemes A)."
        tables.append(Table("picture-sizes", "Pictures", measures, _COLUMNS, method))
    if {"width", "height"} <= set(memes) and memes["width"].notna().any():
        known = memes.dropna(subset=["width", "height"])
        sizes = (
            known["width"].astype(int).astype(str) + "×" + known["height"].astype(int).astype(str)
        )
        frame = counted_shares(sizes, "size")
        method = f"Of {len(known):,} pictures; width by height in pixels (charmemes A)."
        columns = {**share_columns("size"), "size": "width × height, px"}
        tables.append(Table("picture-modes", "Commonest sizes", frame, columns, method))
        width, height = known["width"].median(), known["height"].median()
        figures = {"median width": float(width), "median height": float(height)}
        sentences.append(
            f"The median picture is {width:g} × {height:g} pixels, the commonest size is "
            f"{frame['size'][0]} ({frame['share'][0]:.1%} of {len(known):,})."
        )
    if "format" in memes and (memes["format"] != "").any():
        frame = counted_shares(memes["format"].replace("", UNKNOWN), "format")
        method = f"Of {len(memes):,} pictures."
        tables.append(
            Table("picture-formats", "File formats", frame, share_columns("format"), method)
        )
    if not tables:
        raise InputError("no picture's size or format is known")
    return Section(
        "pictures", "Pictures", tuple(tables), sentences=tuple(sentences), figures=figures
    )


def _measures(memes: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    series = {}
    if {"width", "height"} <= set(memes):
        series = {
            "width, px": memes["width"],
            "height, px": memes["height"],
            "megapixels": memes["width"] * memes["height"] / 1e6,
            "width by height": memes["width"] / memes["height"],
        }
    if "bytes" in memes:
        series["file, kB"] = memes["bytes"] / 1000
    rows = []
    for name, values in series.items():
        known = values.dropna()
        if len(known):
            quantiles = known.quantile([0, 0.25, 0.5, 0.75, 1]).tolist()
            rows.append((name, len(known), *quantiles))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


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
