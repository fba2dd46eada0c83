"""Sources, keywords and times. In: memes. Out: shares of each, and of the classes within each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memeloc.analyze.dataset.languages import UNKNOWN
from memeloc.analyze.dataset.tables import by_class, class_column, columns_of_classes
from memeloc.analyze.settings import Settings
from memeloc.errors import InputError
from memeloc.reports.sections import Bars, Lines, Section, Table

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


_TIME = re.compile(r"(\d{4})(?:-(\d{2}))?")
_MONTHS_TO = 2
"""Years within which classes are shown by month, where months are known."""


def times(memes: pd.DataFrame, settings: Settings) -> Section:
    """How many memes each year or month has, and how they divide into classes (charmemes A).

    Raises:
        InputError: no meme has a time.
    """
    import pandas as pd

    matches = [_TIME.match(time) for time in memes["time"]] if "time" in memes else []
    known = [match for match in matches if match]
    if not known:
        raise InputError("no meme has a time, so labels have no course over time")
    years = {match[1] for match in known}
    by_month = int(max(years)) - int(min(years)) < _MONTHS_TO and all(m[2] for m in known)
    own = memes[[match is not None for match in matches]]
    period = pd.Series([m[0] if by_month else m[1] for m in known], index=own.index, dtype=object)
    frame = period.value_counts().sort_index().rename_axis("period").reset_index(name="memes")
    has_label = own["label"] != "" if "label" in own else period.map(lambda _: False)
    unit = "month" if by_month else "year"
    method = (
        f"Of the {len(own):,} of {len(memes):,} memes whose time is known, by {unit}; shares are "
        "of the memes that have a label."
    )
    columns = {"period": f"the {unit}", "memes": "count"}
    plots: tuple[Lines, ...] = ()
    if has_label.any():
        shares = pd.crosstab(period[has_label], own["label"][has_label], normalize="index")
        shares = shares.reindex(frame["period"])
        title = "Classes over time"
        if len(shares) > 1:
            plots = (Lines("classes-over-time", title, shares, "share of memes", method),)
        for label in shares.columns:
            frame[class_column(str(label))] = shares[label].to_numpy()
            columns[class_column(str(label))] = "of the period's memes with a label, 0 to 1"
    first, last = frame["period"].iloc[0], frame["period"].iloc[-1]
    sentence = f"The memes whose time is known ({len(own):,}) are of {first} to {last}."
    table = Table("over-time", "Memes over time", frame, columns, method)
    return Section("times", "Over time", (table,), plots, (sentence,))
