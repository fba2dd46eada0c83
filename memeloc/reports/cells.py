"""Tables as people read them. In: a frame. Out: texts of its cells, LaTeX with booktabs.

Text in scripts that a font of the paper lacks needs LuaLaTeX or XeLaTeX and a font that has it.
"""

from __future__ import annotations

import math
import re
from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

UNDEFINED = "—"
"""The cell of a figure that is not defined."""
_NOTHING = 1e-9  # a figure below is 0 but for rounding, and is not shown as -0
_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RIGHT_TO_LEFT = re.compile(f"[{_LETTERS}]+(?:[ '’\"-]+[{_LETTERS}]+)*")
"""Words of the blocks that Unicode keeps for right-to-left scripts."""
_NO_LETTER = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
MOST_LATEX_ROWS = 200
"""Rows of a table in LaTeX; the rest stands in its CSV."""
_PAGE_ROWS = 35
"""Rows that fit a page; a longer table breaks across pages."""
_LONG_TEXT = 40
"""Letters from which a column of text breaks its lines."""

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': '"{}',  # babel has shorthands that begin with it
        "—": r"\textemdash{}",
        "−": "$-$",
        "∞": r"$\infty$",
        "χ": r"$\chi$",
        "²": r"\textsuperscript{2}",
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    }
)
_LIGATURES = re.compile(r"([-'`,])(?=\1)|([?!])(?=`)")
"""Letters in a row that TeX would join into a dash, a quotation mark or an inverted one."""


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
    numbers = [figure for figure in figures if not math.isnan(figure)]
    if any(figure < 0 for figure in numbers):
        figures = [0.0 if abs(figure) < _NOTHING else figure for figure in figures]
    shares = all(abs(figure) <= 1 for figure in numbers) and any(figure % 1 for figure in numbers)
    return [_decimal(each) if shares and not math.isnan(each) else shown(each) for each in figures]


def shown_cells(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return the texts of a wide frame by column: a figure and its interval in one cell.

    >>> import pandas as pd
    >>> shown_cells(pd.DataFrame({"alpha": [0.5], "alpha_low": [0.41], "alpha_high": [0.6]}))
    {'alpha': ['0.500 [0.410, 0.600]']}
    """
    texts = {str(name): shown_column(frame[name]) for name in frame}
    for name in [name for name in texts if f"{name}_low" in texts]:
        ends = zip(texts[name], texts.pop(f"{name}_low"), texts.pop(f"{name}_high"), strict=True)
        texts[name] = [
            value if low == UNDEFINED else f"{value} [{low}, {high}]" for value, low, high in ends
        ]
    return texts


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


def escape(text: str) -> str:
    r"""Text as LaTeX shows it letter by letter.

    >>> escape("50 % of a_b & {c} -- [d]")
    '50 \\% of a\\_b \\& \\{c\\} -{}- [d]'
    """
    apart = _LIGATURES.sub(r"\g<0>\0", clean(text)).translate(_SPECIAL)
    return apart.replace("\0", "{}")


def latex_table(name: str, table: pd.DataFrame, caption: str) -> str:
    """Return a table with its caption and its label `tab:NAME`; a long one breaks across pages."""
    import pandas as pd

    frame = table.head(MOST_LATEX_ROWS)
    layout, escaped = "", {}
    for column, texts in shown_cells(frame).items():
        breaks = max(map(len, texts), default=0) > _LONG_TEXT
        of_text = r"p{0.4\linewidth}" if breaks else "l"
        layout += "r" if is_number(frame[column]) else of_text
        # After the end of a row LaTeX takes [ or * for an option of the line break.
        escaped[escape(column)] = [
            "{}" * text.startswith(("[", "*")) + escape(text) for text in texts
        ]
    if len(table) > MOST_LATEX_ROWS:
        caption = f"{caption} {len(table) - MOST_LATEX_ROWS:,} more rows stand in {name}.csv."
    is_long = len(frame) > _PAGE_ROWS
    text = (
        pd.DataFrame(escaped)
        .style.hide(axis="index")
        .to_latex(
            column_format=layout,
            hrules=True,
            caption=escape(caption),
            label=f"tab:{name}",
            environment="longtable" if is_long else None,
            position_float=None if is_long else "centering",
        )
    )
    return f"% \\usepackage{{booktabs{',longtable' if is_long else ''}}}\n{text}"


def _decimal(number: float) -> str:
    if not math.isfinite(number):
        return "∞" if number > 0 else "−∞"
    if 0 < abs(number) < 0.0005:
        return f"{number:.1e}"
    return f"{number:,.1f}" if abs(number) >= 100 else f"{number:.3f}"
