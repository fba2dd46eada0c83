"""Tables for a paper. In: a frame. Out: LaTeX with booktabs.

Text in scripts that a font of the paper lacks needs LuaLaTeX or XeLaTeX and a font that has it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memeloc.reports.cells import clean, is_number, shown_column

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 200
"""Rows of a table in LaTeX; the rest stands in its CSV."""
_PAGE_ROWS = 35
"""Rows that fit a page; a longer table breaks across pages."""
_WIDE = 40
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

    frame = table.head(MOST_ROWS)
    cells = {column: shown_column(frame[column]) for column in frame.columns}
    layout = [
        "r" if is_number(frame[column]) else _text_column(texts) for column, texts in cells.items()
    ]
    escaped = {escape(str(column)): list(map(_cell, texts)) for column, texts in cells.items()}
    if len(table) > MOST_ROWS:
        caption = f"{caption} {len(table) - MOST_ROWS:,} more rows stand in {name}.csv."
    is_long = len(frame) > _PAGE_ROWS
    text = (
        pd.DataFrame(escaped)
        .style.hide(axis="index")
        .to_latex(
            column_format="".join(layout),
            hrules=True,
            caption=escape(caption),
            label=f"tab:{name}",
            environment="longtable" if is_long else None,
            position_float=None if is_long else "centering",
        )
    )
    return f"% \\usepackage{{booktabs{',longtable' if is_long else ''}}}\n{text}"


def _cell(text: str) -> str:
    """Return a cell; after the end of a row LaTeX takes [ or * for an option of the line break."""
    return ("{}" if text[:1] in ("[", "*") else "") + escape(text)


def _text_column(cells: list[str]) -> str:
    return r"p{0.4\linewidth}" if max(map(len, cells), default=0) > _WIDE else "l"
