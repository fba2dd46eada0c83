"""Cells of tables as people read them. In: a frame. Out: texts, and which columns are numbers."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

UNDEFINED = "—"
"""What stands where a figure is not defined."""


def is_number(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers, so that it is set to the right."""
    from pandas.api import types

    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def shown_column(column: pd.Series[Any]) -> list[str]:
    """A column's cells as texts; a column of whole numbers has no decimals.

    >>> import pandas as pd
    >>> shown_column(pd.Series([0.5, None, 0.00001])), shown_column(pd.Series([3.0, 12000.0]))
    (['0.500', '—', '1.0e-05'], ['3', '12,000'])
    """
    if is_number(column):
        defined = column.dropna()
        if bool((defined % 1 == 0).all()) and not bool(defined.isin([math.inf, -math.inf]).any()):
            return [UNDEFINED if _undefined(cell) else _whole(int(cell)) for cell in column]
    return [shown(cell) for cell in column]


def shown(cell: Any) -> str:
    """A cell as text: three decimals, more where the figure is smaller than they show."""
    if isinstance(cell, bool) or type(cell).__name__ == "bool_":
        return "yes" if cell else "no"
    if isinstance(cell, list | tuple | set | frozenset):
        return ", ".join(shown(each) for each in cell)
    if _undefined(cell):
        return UNDEFINED
    if isinstance(cell, int):
        return _whole(cell)
    if isinstance(cell, float) or hasattr(cell, "dtype"):
        return _decimal(float(cell)) if float(cell) % 1 else _whole(int(cell))
    return clean(str(cell))


def clean(text: str) -> str:
    """Text that every file can hold: no control characters, no lone surrogates."""
    return "".join(map(_clean_letter, text)) if not text.isprintable() else text


def _clean_letter(letter: str) -> str:
    category = unicodedata.category(letter)
    if category == "Cs":
        return "\ufffd"
    return " " if category == "Cc" else letter


def _undefined(cell: Any) -> bool:
    import pandas as pd

    return cell is None or (not isinstance(cell, Sequence | dict) and bool(pd.isna(cell)))


def _whole(number: int) -> str:
    return f"{number:,}" if abs(number) >= 10_000 else str(number)


def _decimal(number: float) -> str:
    if not math.isfinite(number):
        return "∞" if number > 0 else "−∞"
    size = abs(number)
    if size < 0.0005:
        return f"{number:.1e}"
    return f"{number:,.1f}" if size >= 100 else f"{number:.3f}"
