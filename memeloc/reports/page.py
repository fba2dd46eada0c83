"""The page of a report. In: a `Report`, its tables, its plots. Out: HTML that needs no network."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.pages import fill_page
from memeloc.reports.cells import clean, is_number, isolate, readable, shown_column
from memeloc.reports.drawing import GRID, INK, PAPER, Drawing
from memeloc.reports.figures import gaps, of_analysis
from memeloc.reports.report import Report
from memeloc.reports.texts import PARTS, AnalysisText, NumberText, Texts, Writer, figure_text
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

SHOWN_ROWS = 30
"""Rows of a table on the page; the rest stands in its CSV."""
MOST_NUMBERS = 3
_MOST_NAMES = 6
"""Names that a reason is said of; of more it is said how many others there are."""
_PAGE = Path(__file__).with_name("page.html")
_DARK = {PAPER: "#17191d", INK: "#e4e6ea", GRID: "#3a3f47"}

Tables = Mapping[str, Sequence[tuple[str, "pd.DataFrame"]]]
"""By analysis the names of its tables' files, and the tables for people."""
Plots = Mapping[str, Sequence[tuple[Drawing, bytes]]]
"""By analysis its plots, and each as SVG."""


def fill_report(
    report: Report,
    texts: Texts,
    writer: Writer,
    tables: Tables,
    plots: Plots,
    methods: Sequence[str],
    colours: Mapping[str, str],
) -> str:
    """Return the page; the report has names instead of codes."""
    leading = _leading_plot(texts, plots)
    first_cards = texts.page.cards or next((n for n in texts.analyses if report.cards.get(n)), "")
    sections = [
        {
            "name": name,
            "title": _text(writer.fill(text.title, name) or name),
            "sentences": [_text(each) for each in writer.sentences(text.sentence, name)],
            "plots": [_picture(*plot) for plot in plots.get(name, ()) if plot is not leading],
            "tables": [_table(file, frame, text) for file, frame in tables.get(name, ())],
            "method": _text(writer.fill(text.method, name)) if text.method else "",
            "methods": _methods(report.figures, name),
            "reasons": _reasons(report.figures, name, text),
            "cards": report.cards.get(name, ()) if name != first_cards else (),
        }
        for name, text in texts.analyses.items()
        if tables.get(name) or plots.get(name) or report.cards.get(name)
    ]
    return fill_page(
        _PAGE,
        title=_text(report.title),
        question=_text(report.question),
        facts={name: _text(text) for name, text in report.facts.items()},
        numbers=_numbers(texts.page.numbers, writer),
        plot=_picture(*leading) if leading else None,
        cards=report.cards.get(first_cards, ()),
        cards_title=_text(_title(texts, writer, first_cards)),
        labels=report.labels,
        colours=colours,
        sections=sections,
        methods=[_text(paragraph) for paragraph in methods],
        notes=[_text(note) for note in report.notes],
        gaps=[
            (_text(_title(texts, writer, name)), _text(gap))
            for name in dict.fromkeys([*texts.analyses, *report.figures["analysis"]])
            for gap in gaps(report.figures[report.figures["analysis"] == name])
        ],
        version=__version__,
    )


def _text(text: str) -> str:
    return isolate(clean(text))


def _title(texts: Texts, writer: Writer, analysis: str) -> str:
    text = texts.analyses.get(analysis)
    return (writer.fill(text.title, analysis) if text else "") or analysis


def _leading_plot(texts: Texts, plots: Plots) -> tuple[Drawing, bytes] | None:
    names = [texts.page.plot] if isinstance(texts.page.plot, str) else texts.page.plot
    drawn = {plot[0].name: plot for section in plots.values() for plot in section}
    return next((drawn[name] for name in names if name in drawn), None)


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


def _picture(drawing: Drawing, svg: bytes) -> dict[str, str]:
    """Return the address of a plot that turns dark with the page, and what it shows."""
    css = "".join(f"--c{number}:{colour};" for number, colour in enumerate(_DARK))
    dark = "".join(f"--c{number}:{colour};" for number, colour in enumerate(_DARK.values()))
    text = svg.decode()
    for number, colour in enumerate(_DARK):
        text = text.replace(colour, f"var(--c{number})")
    style = (
        f"<style>svg{{{css}}}@media screen and (prefers-color-scheme:dark){{svg{{{dark}}}}}</style>"
    )
    start = text.index(">", text.index("<svg")) + 1
    content = base64.b64encode(f"{text[:start]}{style}{text[start:]}".encode()).decode()
    return {
        "address": f"data:image/svg+xml;base64,{content}",
        "alternative": clean(drawing.alternative),
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


def _methods(figures: pd.DataFrame, analysis: str) -> list[tuple[str, str]]:
    """Return how figures were computed, and which."""
    rows = of_analysis(figures, analysis)
    rows = rows[rows["method"] != ""]
    by_method = rows.groupby("method", sort=False)["figure"].unique()
    return [(clean(", ".join(names)), _text(str(method))) for method, names in by_method.items()]


def _reasons(figures: pd.DataFrame, analysis: str, text: AnalysisText) -> list[str]:
    """Return why figures that are drawn with intervals have none."""
    drawn = [name for plot in text.plot if plot.kind == "intervals" for name in plot.figures]
    rows = of_analysis(figures, analysis, *drawn) if drawn else figures.iloc[:0]
    rows = rows[rows["low"].isna() & (rows["method"] != "")]
    reasons = []
    for (figure, method), part in rows.groupby(["figure", "method"], sort=False):
        pairs = zip(part["group"], part["item"], strict=True)
        names = [PARTS.join(filter(None, pair)) or "all" for pair in pairs]
        more = f" and {len(names) - _MOST_NAMES} others" if len(names) > _MOST_NAMES else ""
        named = f"{', '.join(names[:_MOST_NAMES])}{more}"
        reasons.append(_text(f"{figure} of {named} without an interval: {method}"))
    return reasons
