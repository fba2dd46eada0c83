"""Texts of a report. In: a TOML of titles, meanings, sentences, plots. Out: texts.

A table of the TOML is an analysis, in the order of the page; `[page]` is what the page begins with.
Titles, methods, axes and sentences are Jinja2 templates; `writer` has what they may name.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from memeloc.settings import read_toml, validate

if TYPE_CHECKING:
    import pandas as pd

PARTS = " · "
"""Between the parts of a group, as in `category: tea · DE–US`."""
MOST_ROWS = 40
"""Rows of a plot that says no other number, and columns of a heatmap."""

Strings = Annotated[
    tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
]
"""One text, or several."""


class _Text(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlotText(_Text):
    """A plot of rows of figures.

    Attributes:
        name: of its files; unlike that of any other plot.
        figures: which are drawn; a name may end in `*`, and then only what stands there is shown.
        axis: what the figures are, for people; `along`, what stands along a line.
        rows: what names a bar, a point, a row, or stands along a line: `group`, `item`, `figure`,
            or a part of them (`group 2` of `category: tea · DE–US` is `DE–US`); by default all that
            differ.
        series: what names a colour, or a column of a heatmap; without it a heatmap shows pairs.
        group, item: patterns of the rows that are drawn.
        each: a plot for each of these, NAME-1, NAME-2; it stands in the title.
        order: `falling` by value; as the rows come by default.
        most: rows that are drawn at most; with `each`, plots.
        stacked: of bars that are shares of one whole.
        counted: of a histogram whose figure is how often its item, a number, came.
        marks: figures that a histogram marks.
    """

    name: str
    kind: Literal["intervals", "bars", "heatmap", "lines", "histogram"]
    figures: Strings
    title: str = ""
    axis: str = ""
    along: str = ""
    rows: Strings = ()
    series: str = ""
    group: str = "*"
    item: str = "*"
    each: str = ""
    order: Literal["", "falling"] = ""
    most: int = MOST_ROWS
    stacked: bool = False
    counted: bool = False
    marks: Strings = ()


class AnalysisText(_Text):
    """Texts of an analysis.

    `group` and `item` head these columns; `method`, for the tables, says how it was computed,
    `sentence` is for the methods paragraph; `figures` has what each means, with unit and range; a
    name may end in `*`.
    """

    title: str = ""
    group: str = "group"
    item: str = "item"
    method: str = ""
    sentence: Strings = ()
    figures: dict[str, str] = {}
    plot: tuple[PlotText, ...] = ()

    def meaning(self, figure: str) -> str:
        """Return what a figure means, empty where nobody said it."""
        return next((text for name, text in self.figures.items() if fnmatchcase(figure, name)), "")


class NumberText(_Text):
    """A figure that the page begins with; title, group and item are templates."""

    title: str
    analysis: str
    figure: str
    group: str = ""
    item: str = ""
    percent: bool = False


class PageText(_Text):
    """The beginning of the page.

    Of `numbers` the first three that are defined are shown, of the names in `plot` the first that
    is drawn, and the cards of the analysis `cards`, of the first that has any by default.
    """

    numbers: tuple[NumberText, ...] = ()
    plot: Strings = ()
    cards: str = ""
    methods: Strings = ()


class Texts(_Text):
    """Texts of a report: of its page, and of each analysis by name."""

    page: PageText = PageText()
    analyses: dict[str, AnalysisText] = {}


def read_texts(path: Path) -> Texts:
    """Read a TOML of texts. Raise InputError if it cannot be read, or has a setting that there is
    not."""
    tables = read_toml(path)
    page = tables.pop("page", {})
    return validate(Texts, {"page": page, "analyses": tables}, "the texts", file=path)


def all_parts(rows: pd.DataFrame, *columns: str, empty: Iterable[str] = repeat("all")) -> list[str]:
    """Return of each row the texts of columns, joined; `empty` where there are none."""
    cells = zip(rows[list(columns)].itertuples(index=False, name=None), empty, strict=False)
    return [PARTS.join(filter(None, parts)) or other for parts, other in cells]
