"""What a report says of its figures. In: a TOML of titles, meanings, sentences, plots. Out: texts.

A table of the TOML is an analysis, in the order of the page; `[page]` is what the page begins with.
Titles, methods, axes and sentences are Jinja2 templates; `Writer` has what they may name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.cells import shown
from memeloc.reports.figures import BETWEEN, wide
from memeloc.settings import read_toml, validate
from memeloc.statistics.intervals import percent, percent_with_interval, with_interval
from memeloc.statistics.significance import p_text
from memeloc.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

    from memeloc.reports.report import Report

PARTS = " · "
"""Between the parts of a group, as in `category: tea · DE–US`."""
NOT_DEFINED = "not defined"
"""What a sentence says of a figure that is not."""


Strings = Annotated[
    tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
]
"""One text, or several."""


class _Text(BaseModel):
    """A table of the TOML."""

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
        most: rows that are drawn at most.
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
    most: int = 40
    stacked: bool = False
    counted: bool = False
    marks: Strings = ()


class AnalysisText(_Text):
    """What is said of an analysis.

    Attributes:
        group, item: headings of these columns; a column that is empty throughout is not shown.
        method: how it was computed, for the tables.
        sentence: one or several, for the methods paragraph.
        figures: what each figure means, with unit and range; a name may end in `*`.
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
    """What the page begins with.

    Attributes:
        numbers: of these the first three that are defined.
        plot: of these names the first that is drawn.
        cards: the analysis whose cards are shown; the first that has any by default.
        methods: sentences that the methods paragraph begins with.
    """

    numbers: tuple[NumberText, ...] = ()
    plot: Strings = ()
    cards: str = ""
    methods: Strings = ()


class Texts(_Text):
    """The whole file."""

    page: PageText = PageText()
    analyses: dict[str, AnalysisText] = {}


def read_texts(path: Path) -> Texts:
    """Read a TOML of texts.

    Raises:
        InputError: it cannot be read, or has a setting that there is not.
    """
    tables = read_toml(path)
    page = tables.pop("page", {})
    return validate(Texts, {"page": page, "analyses": tables}, "the texts", file=path)


def named(text: str, names: Mapping[str, str]) -> str:
    """Return a group or item with the names of its codes.

    >>> named("category: tea · DE–US", {"DE": "Germany", "US": "United States"})
    'category: tea · Germany–United States'
    """
    if text in names:
        return names[text]
    parts = (part.split(BETWEEN) for part in text.split(PARTS))
    return PARTS.join(BETWEEN.join(names.get(name, name) for name in part) for part in parts)


class Writer:
    """Fills the templates of texts with figures.

    They may name `rows` (the analysis' wide rows, cells as attributes), `row(group, item)` and
    `value(figure, group, item)` (of this analysis, or of `analysis=NAME`), `figures`, `settings`,
    `facts`, `names`, `version`, and call `percent`, `number`, `interval`, `p_text`, `counted`; the
    filter `known(figure)` keeps the rows where a figure is defined.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._rows: dict[str, list[SimpleNamespace]] = {}

    def rows(self, analysis: str) -> list[SimpleNamespace]:
        """Return the wide rows of an analysis."""
        if analysis not in self._rows:
            table = wide(self._report.figures, analysis)
            cells = (zip(table.columns, row, strict=True) for row in table.to_numpy(object))
            self._rows[analysis] = [SimpleNamespace(**dict(row)) for row in cells]
        return self._rows[analysis]

    def row(self, group: str, item: str, analysis: str) -> SimpleNamespace | None:
        """Return an analysis' row of a group and item, None where there is none."""
        keys = tuple(named(text, self._report.names) for text in (group, item))
        return next((row for row in self.rows(analysis) if (row.group, row.item) == keys), None)

    def fill(self, template: str, analysis: str = "") -> str:
        """Return a text, its spaces joined.

        Raises:
            InputError: the template is not Jinja2, or names what there is not.
        """
        from jinja2 import TemplateError

        def row(group: str = "", item: str = "", analysis: str = analysis) -> Any:
            return self.row(group, item, analysis)

        def value(figure: str, group: str = "", item: str = "", analysis: str = analysis) -> float:
            return float(getattr(row(group, item, analysis), figure, math.nan))

        report = self._report
        try:
            text = (
                _environment()
                .from_string(template)
                .render(
                    rows=self.rows(analysis),
                    row=row,
                    value=value,
                    figures=report.figures,
                    settings=report.settings,
                    facts=report.facts,
                    names=report.names,
                )
            )
        except TemplateError as error:
            message = f"The text {template[:60]!r} of {analysis or 'the page'}: {error}"
            raise InputError(message) from error
        return " ".join(text.split())

    def sentences(self, templates: Iterable[str], analysis: str = "") -> tuple[str, ...]:
        """Return those texts that say something."""
        return tuple(filter(None, (self.fill(template, analysis) for template in templates)))


def figure_text(row: Any, figure: str, percent: bool = False) -> str:
    """Return a figure of a row with its interval, for a sentence."""
    value, low, high = (
        float(getattr(row, f"{figure}{end}", math.nan)) for end in ("", "_low", "_high")
    )
    if percent:
        return percent_with_interval(value, low, high)
    if math.isnan(value):
        return NOT_DEFINED
    return shown(value) if math.isnan(low) else with_interval(value, low, high)


def _percent(value: Any, figure: str = "") -> str:
    return figure_text(value, figure, True) if figure else percent(value)


def _number(value: Any, figure: str = "") -> str:
    return figure_text(value, figure) if figure else shown(value)


def _known(rows: Iterable[Any], figure: str) -> list[Any]:
    return [row for row in rows if not math.isnan(getattr(row, figure, math.nan))]


@cache
def _environment() -> Environment:
    """Return what fills texts; it escapes nothing: a page escapes otherwise than LaTeX."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, autoescape=False)  # noqa: S701
    environment.globals.update(
        version=__version__,
        percent=_percent,
        number=_number,
        interval=figure_text,
        p_text=p_text,
        counted=lambda number, noun, plural="": counted(int(number), noun, plural),
    )
    environment.filters["known"] = _known
    return environment
