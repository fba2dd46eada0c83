"""Cells of tables as people read them. In: a frame. Out: texts, and which columns are numbers."""

from __future__ import annotations

import math
import re
from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

UNDEFINED = "—"
"""What stands where a figure is not defined."""
_NOTHING = 1e-9
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RIGHT_TO_LEFT = re.compile(f"[{_LETTERS}]+(?:[ '’\"-]+[{_LETTERS}]+)*")
"""Words of the blocks that Unicode keeps for right-to-left scripts."""
_NO_LETTER = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def is_number(column: pd.Series[Any]) -> bool:
    """Return whether a column is set to the right."""
    from pandas.api import types

    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def shown_column(column: pd.Series[Any]) -> list[str]:
    """Return a column's cells as texts: all whole numbers, or all decimals where all are shares.

    Where a figure may be negative, one that is next to nothing is 0 but for rounding.

    >>> import pandas as pd
    >>> shown_column(pd.Series([0.5, None, 0.00001])), shown_column(pd.Series([3.0, 12000.0]))
    (['0.500', '—', '1.0e-05'], ['3', '12,000'])
    >>> shown_column(pd.Series([1.0, -0.25, 1e-17])), shown_column(pd.Series([68.0, 0.5]))
    (['1.000', '-0.250', '0.000'], ['68', '0.500'])
    """
    if not is_number(column):
        return [shown(cell) for cell in column]
    figures = column.to_numpy(float, na_value=math.nan).tolist()
    known = [figure for figure in figures if not math.isnan(figure)]
    if any(figure < 0 for figure in known):
        figures = [0.0 if abs(figure) < _NOTHING else figure for figure in figures]
    if all(abs(figure) <= 1 for figure in known) and any(figure % 1 for figure in known):
        return [UNDEFINED if math.isnan(figure) else _decimal(figure) for figure in figures]
    return [shown(figure) for figure in figures]


def readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a wide frame as people read it: a figure and its interval in one cell.

    >>> import pandas as pd
    >>> readable(pd.DataFrame({"alpha": [0.5], "alpha_low": [0.41], "alpha_high": [0.6]}))
                      alpha
    0  0.500 [0.410, 0.600]
    """
    names = [str(name) for name in frame.columns]
    with_ends = [name for name in names if f"{name}_low" in names]
    ends = {f"{name}_{end}" for name in with_ends for end in ("low", "high")}
    merged = frame.drop(columns=list(ends))
    for name in with_ends:
        cells = [shown_column(frame[f"{name}{end}"]) for end in ("", "_low", "_high")]
        merged[name] = [
            value if low == UNDEFINED else f"{value} [{low}, {high}]"
            for value, low, high in zip(*cells, strict=True)
        ]
    return merged


def shown(cell: Any) -> str:
    """Return a cell as text: three decimals, more where the figure is smaller than they show."""
    if isinstance(cell, bool) or type(cell).__name__ == "bool":  # numpy's, too
        return "yes" if cell else "no"
    if not isinstance(cell, Real):
        undefined = cell is None or str(cell) in ("<NA>", "NaT")
        return UNDEFINED if undefined else clean(str(cell))
    number = float(cell)
    if math.isnan(number):
        return UNDEFINED
    if number % 1 == 0:
        return f"{int(number):,}" if abs(number) >= 10_000 else str(int(number))
    return _decimal(number)


def isolate(text: str) -> str:
    """Return text whose right-to-left names reorder nothing beside them (UAX #9, FSI and PDI).

    >>> isolate("مصر 0.5") == "\u2068مصر\u2069 0.5"
    True
    """
    return _RIGHT_TO_LEFT.sub("\u2068\\g<0>\u2069", text)


def clean(text: str) -> str:
    """Return text that every file can hold: no control characters, no lone surrogates."""
    return _NO_LETTER.sub(lambda found: " " if found[0] < "\ud800" else "\ufffd", text)


def _decimal(number: float) -> str:
    if not math.isfinite(number):
        return "∞" if number > 0 else "−∞"
    size = abs(number)
    if 0 < size < 0.0005:
        return f"{number:.1e}"
    return f"{number:,.1f}" if size >= 100 else f"{number:.3f}"
