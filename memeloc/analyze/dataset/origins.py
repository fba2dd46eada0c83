"""Sources and keywords. In: memes. Out: shares of each, and of the classes within each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.analyze.dataset.languages import UNKNOWN
from memeloc.analyze.dataset.tables import by_class, columns_of_classes
from memeloc.analyze.settings import Settings
from memeloc.reports.sections import Bars, Section, Table

if TYPE_CHECKING:
    import pandas as pd

_TITLES = {"source": "Sources", "keyword": "Keywords"}


def origins(memes: pd.DataFrame, settings: Settings) -> Section:
    """Shares by source and keyword (harmeme 4.1), and of the classes in each."""
    tables, plots, sentences = [], [], []
    for column, title in _TITLES.items():
        if column not in memes:
            continue
        labels = memes["label"] if "label" in memes else memes["meme"].map(lambda _: "")
        frame = by_class(memes[column].replace("", UNKNOWN), labels, column)
        method = (
            f"Of {len(memes):,} rows; shares of classes are of the row's memes that have a label."
        )
        name = f"{column}s"
        tables.append(Table(name, title, frame, columns_of_classes(frame, column), method))
        bars = frame.set_index(column)[["share"]].head(15)
        plots.append(Bars(name, title, bars, "share of memes", method))
        first = frame.iloc[0]
        sentences.append(
            f"Most memes by {column} are of {first[column]} ({first['share']:.1%} of "
            f"{len(memes):,})."
        )
    return Section("origins", "Sources", tuple(tables), tuple(plots), tuple(sentences))
