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
    """Return a table with its caption and its label `tab:NAME`."""
    frame = table.head(MOST_ROWS)
    columns = {str(column): shown_column(frame[column]) for column in frame.columns}
    numbers = [is_number(frame[column]) for column in frame.columns]
    layout = "".join(
        "r" if number else _text_column(cells)
        for cells, number in zip(columns.values(), numbers, strict=True)
    )
    heading = _row([escape(column) for column in columns])
    rows = [_row([escape(cell) for cell in cells]) for cells in zip(*columns.values(), strict=True)]
    if len(table) > MOST_ROWS:
        more = f"{len(table) - MOST_ROWS:,} more rows: {name}.csv"
        rows.append(rf"\multicolumn{{{len(columns)}}}{{l}}{{{escape(more)}}} \\")
    write = _long if len(rows) > _PAGE_ROWS else _short
    return write(name, escape(caption), layout, heading, rows)


def _short(name: str, caption: str, layout: str, heading: str, rows: list[str]) -> str:
    return "\n".join(
        [
            "% \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{caption}}}",
            f"\\label{{tab:{name}}}",
            f"\\begin{{tabular}}{{{layout}}}",
            "\\toprule",
            heading,
            "\\midrule",
            *rows,
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def _long(name: str, caption: str, layout: str, heading: str, rows: list[str]) -> str:
    return "\n".join(
        [
            "% \\usepackage{booktabs,longtable}",
            f"\\begin{{longtable}}{{{layout}}}",
            f"\\caption{{{caption}}}\\label{{tab:{name}}}\\\\",
            "\\toprule",
            heading,
            "\\midrule",
            "\\endhead",
            "\\bottomrule",
            "\\endfoot",
            *rows,
            "\\end{longtable}",
            "",
        ]
    )


def _row(cells: list[str]) -> str:
    # After \\ of the row before, LaTeX takes a [ or * for an option of the line break.
    guarded = ["{}" + cell if cell[:1] in ("[", "*") else cell for cell in cells]
    return " & ".join(guarded) + r" \\"


def _text_column(cells: list[str]) -> str:
    return r"p{0.4\linewidth}" if max(map(len, cells), default=0) > _WIDE else "l"
