"""Counts as tables. In: names, with or without classes. Out: frames of counts and shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

NO_LABEL = "no label"
MOST = 30
"""Rows of a table of names; what is rarer is one row, `OTHERS`."""
OTHERS = "all others"


def counted_shares(names: pd.Series[str], column: str) -> pd.DataFrame:
    """How often each name came, most first, and its share of all; the rarest as one row."""
    import pandas as pd

    counts = names.value_counts()
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    if len(ordered) > MOST:
        rest = sum(count for _, count in ordered[MOST - 1 :])
        ordered = [*ordered[: MOST - 1], (OTHERS, rest)]
    frame = pd.DataFrame(ordered, columns=[column, "memes"])
    return frame.assign(share=frame["memes"] / max(len(names), 1))


def share_columns(column: str) -> Mapping[str, str]:
    """What the columns of `counted_shares` are."""
    return {column: column, "memes": "count", "share": "of all rows, 0 to 1"}


def by_class(names: pd.Series[str], labels: pd.Series[str], column: str) -> pd.DataFrame:
    """Per name its count, and the share of each class among those of its memes that have one."""
    import pandas as pd

    frame = counted_shares(names, column)
    kept = names.where(names.isin(set(frame[column])), OTHERS)
    has_label = labels != ""
    shares = pd.crosstab(kept[has_label], labels[has_label], normalize="index")
    shares = shares.reindex(frame[column]).reset_index(drop=True)
    # A class may be called as another column is.
    shares.columns = pd.Index([class_column(str(name)) for name in shares.columns])
    return pd.concat([frame, shares], axis=1)


def class_column(label: str) -> str:
    """The column with the share of a class."""
    return f"share of {label}"


def columns_of_classes(frame: pd.DataFrame, column: str) -> Mapping[str, str]:
    """What the columns of `by_class` are."""
    named = share_columns(column)
    return {
        str(name): named.get(str(name), "of the row's memes that have a label, 0 to 1")
        for name in frame.columns
    }
