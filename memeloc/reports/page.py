"""The page of a report. In: a `Report`, its tables, its plots. Out: HTML that needs no network."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.pages import fill_page
from memeloc.reports.cells import clean, is_number, isolate, readable, shown_column
from memeloc.reports.drawing import GRID, INK, PAPER, Drawing
from memeloc.reports.figures import gaps, of_analysis
from memeloc.reports.report import Report
from memeloc.reports.texts import (
    NOT_DEFINED,
    PARTS,
    AnalysisText,
    PageText,
    Writer,
    figure_text,
    named,
)
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_ROWS = 30
"""Rows of a table on the page; the rest stands in its CSV."""
_MOST_NUMBERS = 3
_MOST_NAMES = 6
"""Names that a reason is said of; of more it is said how many others there are."""
_MOST_READ = 12
"""Values of a plot that somebody hears who cannot see it; the table has all."""
_PAGE = Path(__file__).with_name("page.html")
_DARK = {PAPER: "#17191d", INK: "#e4e6ea", GRID: "#3a3f47"}


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """What is said and shown of an analysis: texts that are filled in, tables by file, plots."""

    name: str
    text: AnalysisText
    tables: dict[str, pd.DataFrame]
    plots: list[Drawing]


def fill_report(
    report: Report,
    page: PageText,
    writer: Writer,
    sections: Sequence[Section],
    svgs: Mapping[str, bytes],
    methods: Sequence[str],
    colours: Mapping[str, str],
) -> str:
    """Return the page.

    Args:
        report: with names instead of codes.
        svgs: by the name of a plot.
        colours: of labels and cultures.
    """
    figures = report.figures
    plots = {plot.name: plot for section in sections for plot in section.plots}
    with_cards = [section for section in sections if report.cards.get(section.name)]
    return fill_page(
        _PAGE,
        report=report,
        version=__version__,
        colours=colours,
        numbers=_numbers(page, writer)[:_MOST_NUMBERS],
        leading=next((plots[name] for name in page.plot if name in plots), None),
        first=next((each for each in with_cards if page.cards in ("", each.name)), None),
        sections=[each for each in sections if each.tables or each in with_cards],
        methods=methods,
        gaps=[
            (section.text.title, gap)
            for section in sections
            for gap in gaps(figures[figures["analysis"] == section.name])
        ],
        most=_SHOWN_ROWS,
        is_number=is_number,
        name=lambda code: clean(named(code, report.names)),
        text=lambda text: isolate(clean(str(text))),
        picture=lambda plot: _picture(plot, svgs[plot.name]),
        rows=partial(of_analysis, figures),
        cells=_cells,
        computed=_computed,
        reasons=_reasons,
    )


def _numbers(page: PageText, writer: Writer) -> list[tuple[str, str, str, str]]:
    """Return analysis, title, value and interval of the numbers that are defined."""
    numbers = []
    for number in page.numbers:
        row = writer.row(number.group, number.item, number.analysis)
        value, _, ends = figure_text(row, number.figure, number.percent).partition(" [")
        title = writer.fill(number.title, number.analysis)
        numbers.append((number.analysis, title, value, f"[{ends}" if ends else ""))
    return [number for number in numbers if number[2] != NOT_DEFINED]


def _picture(plot: Drawing, svg: bytes) -> tuple[str, str]:
    """Return the address of a plot that turns dark with the page, and what it shows."""
    text = svg.decode()
    colours = [
        "".join(f"--c{number}:{colour};" for number, colour in enumerate(each))
        for each in (_DARK, _DARK.values())
    ]
    for number, colour in enumerate(_DARK):
        text = text.replace(colour, f"var(--c{number})")
    dark = f"@media screen and (prefers-color-scheme:dark){{svg{{{colours[1]}}}}}"
    start = text.index(">", text.index("<svg")) + 1
    themed = f"{text[:start]}<style>svg{{{colours[0]}}}{dark}</style>{text[start:]}"
    address = f"data:image/svg+xml;base64,{base64.b64encode(themed.encode()).decode()}"
    frame = plot.frame.head(_MOST_READ)
    points = zip(frame["row"], frame["series"], shown_column(frame["value"]), strict=True)
    values = "; ".join(" ".join(filter(None, point)) for point in points)
    return address, f"{plot.title}. {plot.axis}: {values}"


def _cells(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return the columns of a table's first rows as people read them."""
    table = readable(frame.head(_SHOWN_ROWS))
    return {str(name): shown_column(table[name]) for name in table.columns}


def _computed(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return which figures were computed how."""
    by_method = rows[rows["method"] != ""].groupby("method", sort=False)["figure"].unique()
    return [(", ".join(names), str(method)) for method, names in by_method.items()]


def _reasons(rows: pd.DataFrame, text: AnalysisText) -> list[str]:
    """Return why figures that are drawn with intervals have none."""
    drawn = [name for plot in text.plot if plot.kind == "intervals" for name in plot.figures]
    rows = rows[rows["figure"].isin(drawn) & rows["low"].isna() & (rows["method"] != "")]
    reasons = []
    for (figure, method), part in rows.groupby(["figure", "method"], sort=False):
        pairs = zip(part["group"], part["item"], strict=True)
        names = [PARTS.join(filter(None, pair)) or "all" for pair in pairs]
        others = f" and {len(names) - _MOST_NAMES} others" if len(names) > _MOST_NAMES else ""
        whose = f"{', '.join(names[:_MOST_NAMES])}{others}"
        reasons.append(f"{figure} of {whose} without an interval: {method}")
    return reasons
