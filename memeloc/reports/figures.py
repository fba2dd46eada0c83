"""The table of figures: a row a figure. In: what an analysis computed. Out: rows, or wide frames.

An analysis computes a wide frame, as pandas does best, and `tidy` makes rows of it; reports, files
and programs read the rows, and `wide` gives a table for people back.

    analysis   which analysis, such as agreement-between
    group      whose figure it is: a culture, two (DE–US), a model, a category; empty for all
    item       what it is about within the group: a label, a meme, a person; empty for none
    figure     what is measured, such as agreement or p_holm
    value      the figure; NaN where it is not defined, and `method` says why
    low, high  the ends of its interval; NaN for none
    n          on how many it rests; NaN where that says nothing
    method     how it was computed, with the source

What could not be computed is a row, too: without a figure, its `method` is the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("analysis", "group", "item", "figure", "value", "low", "high", "n", "method")
BETWEEN = "–"
"""Between the two names of a pair, as in `DE–US`."""
NOT_COMPUTED = " could not be computed: "
"""Between an analysis and the reason; a page, which has its title beside, shows the reason only."""
_ENDS = ("_low", "_high")


def tidy(analysis: str, frame: pd.DataFrame, method: str | Mapping[str, str] = "") -> pd.DataFrame:
    """Return the figures of a wide frame as rows, row by row in the order of its columns.

    Its columns are figures, numbers or truth values; NAME_low and NAME_high are the ends of the
    interval of NAME. `group`, `item` (texts) and `n` (of all figures of a row) may be left out;
    NAME_n goes before `n`, the texts NAME_method before `method` (of all, or by figure).
    """
    import numpy as np
    import pandas as pd

    names = list(frame.columns)
    beside = {f"{name}{end}" for name in names for end in (*_ENDS, "_n", "_method")}
    figures = [name for name in names if name not in beside | {"group", "item", "n"}]
    methods = dict.fromkeys(figures, method) if isinstance(method, str) else method
    if not figures:
        return pd.DataFrame(columns=list(COLUMNS))

    # Arrays, not a frame a figure: reports have hundreds of wide frames.
    def numbers(columns: list[str]) -> Any:
        return frame.reindex(columns=columns).to_numpy(float, na_value=np.nan).ravel()

    def texts(columns: dict[str, Any]) -> Any:
        return pd.DataFrame(columns, index=frame.index).astype(str).to_numpy(object).ravel()

    own_n = [f"{name}_n" if f"{name}_n" in names else "n" for name in figures]
    stated = {name: frame.get(f"{name}_method", methods.get(name, "")) for name in figures}
    return pd.DataFrame(
        {
            "analysis": analysis,
            "group": texts(dict.fromkeys(figures, frame.get("group", ""))),
            "item": texts(dict.fromkeys(figures, frame.get("item", ""))),
            "figure": figures * len(frame),
            "value": numbers(figures),
            "low": numbers([f"{name}_low" for name in figures]),
            "high": numbers([f"{name}_high" for name in figures]),
            "n": numbers(own_n),
            "method": texts(stated),
        },
        columns=list(COLUMNS),
    )


def gap(analysis: str, reason: str, group: str = "") -> pd.DataFrame:
    """Return the row of what could not be computed, or was noticed: a sentence that says why."""
    import pandas as pd

    nan = float("nan")
    row = (analysis, group, "", "", nan, nan, nan, nan, reason)
    return pd.DataFrame([row], columns=list(COLUMNS))


def gaps(figures: pd.DataFrame) -> list[str]:
    """Return the sentences of `gap` rows, each once, in their order."""
    return list(dict.fromkeys(figures.loc[figures["figure"] == "", "method"]))


def joined(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of several analyses as one table."""
    import pandas as pd

    parts = [frame for frame in frames if len(frame)]
    if not parts:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.concat(parts, ignore_index=True)


def of_analysis(figures: pd.DataFrame, analysis: str, *names: str) -> pd.DataFrame:
    """Return the rows of an analysis, of some of its figures if they are named."""
    rows = figures[(figures["analysis"] == analysis) & (figures["figure"] != "")]
    return rows[rows["figure"].isin(names)] if names else rows


def wide(figures: pd.DataFrame, analysis: str, *names: str) -> pd.DataFrame:
    """Return the rows of an analysis as a wide frame, the inverse of `tidy`.

    A row a group and item, in the order in which they come; of each figure a column, and NAME_low
    and NAME_high where any has an interval. `n` is the largest of the row's figures; it is left
    out where none is known.
    """
    import pandas as pd

    rows = of_analysis(figures, analysis, *names)
    rows = rows.drop_duplicates(["group", "item", "figure"])
    has_interval = set(rows.loc[rows[["low", "high"]].notna().any(axis=1), "figure"])
    columns = ["group", "item"]
    for name in dict.fromkeys(rows["figure"]):
        ends = _ENDS if name in has_interval else ()
        columns += [name, *(f"{name}{end}" for end in ends)]
    # A pass over the rows, not a frame a figure: reports have hundreds of wide frames.
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    row: Any
    for row in rows.itertuples(index=False):
        of_row = cells.setdefault((row.group, row.item), {"group": row.group, "item": row.item})
        figure = (row.value, row.low, row.high)
        of_row |= zip((row.figure, *(f"{row.figure}{end}" for end in _ENDS)), figure, strict=True)
    table = pd.DataFrame(list(cells.values()), columns=columns)
    totals = rows.groupby(["group", "item"], sort=False)["n"].max()
    if totals.notna().any():
        table["n"] = totals.to_numpy()
    return table


def wide_tables(figures: pd.DataFrame, analysis: str) -> list[pd.DataFrame]:
    """Return the rows of an analysis as wide frames: one for all rows with the same figures.

    An analysis may say something of cultures, of pairs of them and of all: a table each. Rows with
    some of the figures of others stand in the table of those.
    """
    rows = of_analysis(figures, analysis)
    keys = list(zip(rows["group"], rows["item"], strict=True))
    sets: dict[tuple[str, str], frozenset[str]] = dict.fromkeys(keys, frozenset())
    for key, figure in zip(keys, rows["figure"], strict=True):
        sets[key] |= {figure}
    largest = sorted(dict.fromkeys(sets.values()), key=len, reverse=True)
    home = {each: next(other for other in largest if each <= other) for each in largest}
    tables: dict[frozenset[str], list[int]] = {}
    for number, key in enumerate(keys):
        tables.setdefault(home[sets[key]], []).append(number)
    return [wide(rows.iloc[numbers], analysis) for numbers in tables.values()]


def value_of(
    figures: pd.DataFrame, analysis: str, figure: str, group: str = "", item: str = ""
) -> float:
    """Return one figure. Raise KeyError if there is none, or several of that name."""
    rows = of_analysis(figures, analysis, figure)
    rows = rows[(rows["group"] == group) & (rows["item"] == item)]
    if len(rows) != 1:
        raise KeyError(f"{len(rows)} figures {figure!r} of {analysis!r} {group!r} {item!r}")
    return float(rows["value"].iloc[0])
