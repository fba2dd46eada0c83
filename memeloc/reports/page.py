"""The page of a report. In: a `Report`, its tables, its plots. Out: HTML that needs no network."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.pages import fill_page
from memeloc.reports.cells import clean, is_number, isolate, readable, shown_column
from memeloc.reports.drawing import GRID, INK, PAPER, Drawing
from memeloc.reports.figures import gaps, of_analysis
from memeloc.reports.report import Report
from memeloc.reports.texts import (
    PARTS,
    AnalysisText,
    NumberText,
    PageText,
    Writer,
    figure_text,
    named,
)
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

SHOWN_ROWS = 30
"""Rows of a table on the page; the rest stands in its CSV."""
MOST_NUMBERS = 3
_MOST_NAMES = 6
"""Names that a reason is said of; of more it is said how many others there are."""
_MOST_READ = 12
"""Values of a plot that somebody hears who cannot see it; the table has all."""
_PAGE = Path(__file__).with_name("page.html")
_DARK = {PAPER: "#17191d", INK: "#e4e6ea", GRID: "#3a3f47"}


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """What is said and shown of an analysis, each table with the name of its file."""

    name: str
    title: str
    method: str
    sentences: list[str]
    text: AnalysisText
    tables: list[tuple[str, pd.DataFrame]]
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
    figures, titles = report.figures, {section.name: section.title for section in sections}
    wanted = [page.plot] if isinstance(page.plot, str) else page.plot
    plots = {plot.name: plot for section in sections for plot in section.plots}
    leading = next((plots[name] for name in wanted if name in plots), None)
    first = page.cards or next((name for name in titles if report.cards.get(name)), "")
    return fill_page(
        _PAGE,
        title=_text(report.title),
        question=_text(report.question),
        facts={name: _text(text) for name, text in report.facts.items()},
        numbers=_numbers(page.numbers, writer),
        plot=_picture(leading, svgs) if leading else None,
        cards=report.cards.get(first, ()),
        cards_title=_text(titles.get(first, "")),
        labels=report.labels,
        colours=colours,
        name=lambda code: clean(named(code, report.names)),
        sections=[
            {
                "name": section.name,
                "title": _text(section.title),
                "sentences": list(map(_text, section.sentences)),
                "plots": [_picture(plot, svgs) for plot in section.plots if plot is not leading],
                "tables": [_table(file, frame, section.text) for file, frame in section.tables],
                "method": _text(section.method),
                "methods": _methods(of_analysis(figures, section.name)),
                "reasons": _reasons(of_analysis(figures, section.name), section.text),
                "cards": report.cards.get(section.name, ()) if section.name != first else (),
            }
            for section in sections
            if section.tables or report.cards.get(section.name)
        ],
        methods=list(map(_text, methods)),
        notes=list(map(_text, report.notes)),
        gaps=[
            (_text(title), _text(gap))
            for name, title in titles.items()
            for gap in gaps(figures[figures["analysis"] == name])
        ],
        version=__version__,
    )


def _text(text: str) -> str:
    return isolate(clean(text))


def _numbers(numbers: Sequence[NumberText], writer: Writer) -> list[dict[str, str]]:
    """Return title, value, interval and analysis of the first numbers that are defined."""
    chosen = []
    for number in numbers:
        row = writer.row(number.group, number.item, number.analysis)
        if isnan(getattr(row, number.figure, float("nan"))):
            continue
        value, _, rest = figure_text(row, number.figure, number.percent).partition(" [")
        title = writer.fill(number.title, number.analysis)
        chosen.append(
            {
                "analysis": number.analysis,
                "title": _text(title),
                "value": value,
                "interval": f"[{rest}" if rest else "",
            }
        )
    return chosen[:MOST_NUMBERS]


def _picture(drawing: Drawing, svgs: Mapping[str, bytes]) -> dict[str, str]:
    """Return the address of a plot that turns dark with the page, and what it shows."""
    frame = drawing.frame.head(_MOST_READ)
    cells = zip(frame["row"], frame["series"], shown_column(frame["value"]), strict=True)
    points = [" ".join(filter(None, texts)) for texts in cells]
    css = "".join(f"--c{number}:{colour};" for number, colour in enumerate(_DARK))
    dark = "".join(f"--c{number}:{colour};" for number, colour in enumerate(_DARK.values()))
    text = svgs[drawing.name].decode()
    for number, colour in enumerate(_DARK):
        text = text.replace(colour, f"var(--c{number})")
    style = (
        f"<style>svg{{{css}}}@media screen and (prefers-color-scheme:dark){{svg{{{dark}}}}}</style>"
    )
    start = text.index(">", text.index("<svg")) + 1
    content = base64.b64encode(f"{text[:start]}{style}{text[start:]}".encode()).decode()
    return {
        "address": f"data:image/svg+xml;base64,{content}",
        "alternative": f"{drawing.title}. {drawing.axis}: {'; '.join(points)}",
    }


def _table(file: str, frame: pd.DataFrame, text: AnalysisText) -> dict[str, Any]:
    table = readable(frame.head(SHOWN_ROWS))
    cells = [shown_column(table[name]) for name in table.columns]
    columns = [
        {
            "name": clean(str(name)),
            "meaning": clean(text.meaning(str(name))),
            "is_number": is_number(frame[name]),
        }
        for name in table.columns
    ]
    return {
        "file": file,
        "columns": columns,
        "rows": list(zip(*cells, strict=True)),
        "count": len(frame),
        "left_out": max(0, len(frame) - SHOWN_ROWS),
    }


def _methods(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return how figures were computed, and which."""
    rows = rows[rows["method"] != ""]
    by_method = rows.groupby("method", sort=False)["figure"].unique()
    return [(clean(", ".join(names)), _text(str(method))) for method, names in by_method.items()]


def _reasons(rows: pd.DataFrame, text: AnalysisText) -> list[str]:
    """Return why figures that are drawn with intervals have none."""
    drawn = [name for plot in text.plot if plot.kind == "intervals" for name in plot.figures]
    rows = rows[rows["figure"].isin(drawn) & rows["low"].isna() & (rows["method"] != "")]
    reasons = []
    for (figure, method), part in rows.groupby(["figure", "method"], sort=False):
        pairs = zip(part["group"], part["item"], strict=True)
        names = [PARTS.join(filter(None, pair)) or "all" for pair in pairs]
        more = f" and {len(names) - _MOST_NAMES} others" if len(names) > _MOST_NAMES else ""
        named = f"{', '.join(names[:_MOST_NAMES])}{more}"
        reasons.append(_text(f"{figure} of {named} without an interval: {method}"))
    return reasons
