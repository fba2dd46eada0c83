"""Filling the texts of a report. In: a `Report`, Jinja2 templates. Out: texts with its figures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from memeloc.counts import counted
from memeloc.errors import InputError
from memeloc.reports.cells import shown
from memeloc.reports.figures import wide
from memeloc.reports.report import Report
from memeloc.statistics.significance import p_text, percent, percent_with_interval, with_interval
from memeloc.version import __version__

NOT_DEFINED = "not defined"
"""The words of a sentence for a figure that is not defined."""


class Writer:
    """Fills the templates of texts with figures.

    They may name `rows` (the analysis' wide rows, cells as attributes), `row(group, item)` and
    `value(figure, group, item)` (of this analysis, or of `analysis=NAME`), `figures`, `settings`,
    `facts`, `names`, `version`, and call `percent`, `number`, `interval`, `p_text`, `counted`; the
    filter `known(figure)` keeps the rows where a figure is defined.
    """

    def __init__(self, report: Report) -> None:
        from jinja2 import Environment, StrictUndefined

        self._report = report
        self._rows: dict[str, list[SimpleNamespace]] = {}
        # Nothing is escaped: a page escapes otherwise than LaTeX.
        self._environment = Environment(undefined=StrictUndefined, autoescape=False)  # noqa: S701
        self._environment.filters["known"] = lambda rows, figure: [
            row for row in rows if not math.isnan(getattr(row, figure, math.nan))
        ]
        self._environment.globals.update(
            version=__version__,
            figures=report.figures,
            settings=report.settings,
            facts=report.facts,
            names=report.names,
            percent=lambda of, figure="": figure_text(of, figure, True) if figure else percent(of),
            number=lambda of, figure="": figure_text(of, figure) if figure else shown(of),
            interval=figure_text,
            p_text=p_text,
            counted=lambda number, noun, plural="": counted(int(number), noun, plural),
        )

    def rows(self, analysis: str) -> list[SimpleNamespace]:
        """Return the wide rows of an analysis."""
        if analysis not in self._rows:
            table = wide(self._report.figures, analysis)
            cells = (zip(table.columns, row, strict=True) for row in table.to_numpy(object))
            self._rows[analysis] = [SimpleNamespace(**dict(row)) for row in cells]
        return self._rows[analysis]

    def row(self, group: str, item: str, analysis: str) -> SimpleNamespace | None:
        """Return an analysis' row of a group and item, None where there is none."""
        keys = (self._report.named(group), self._report.named(item))
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

        try:
            compiled = self._environment.from_string(template)
            text = compiled.render(rows=self.rows(analysis), row=row, value=value)
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
