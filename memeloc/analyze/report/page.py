"""The page of a report. In: an `Analysis`, its plots. Out: HTML, one file that needs no network."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from memeloc.analyze.analysis import Analysis
from memeloc.analyze.report.cells import clean, is_number, isolate, shown, shown_column
from memeloc.analyze.report.memes import Card, cards
from memeloc.analyze.report.methods import methods
from memeloc.analyze.sections import Plot, Section, Table
from memeloc.pages import fill_page
from memeloc.version import __version__

SHOWN_ROWS = 30
"""Rows of a table on the page; the rest stands in its CSV."""

_SHORT = 16
"""Letters of cells that keep to one line."""
_PAGE = Path(__file__).with_name("page.html")


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    meaning: str
    is_number: bool
    is_caption: bool
    is_short: bool


@dataclass(frozen=True, slots=True)
class _Table:
    """A table as the page shows it."""

    name: str
    title: str
    method: str
    columns: tuple[_Column, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class _Picture:
    """A plot as the page shows it; `address` is empty where there was nothing to draw."""

    title: str
    method: str
    address: str


@dataclass(frozen=True, slots=True)
class _Shown:
    """A section as the page shows it."""

    name: str
    title: str
    gaps: tuple[str, ...]
    tables: tuple[_Table, ...]
    plots: tuple[_Picture, ...]
    cards: tuple[Card, ...]


def fill_report(analysis: Analysis, plots: Mapping[str, bytes]) -> str:
    """The page.

    Args:
        analysis: of `analyze`.
        plots: SVG by the name of the plot; one that had nothing to draw has none.
    """
    answers = analysis.answers
    settings = {
        name.replace("_", " "): shown(value)
        for name, value in asdict(analysis.settings).items()
        if name != "jobs"  # results do not depend on it
    }
    return fill_page(
        _PAGE,
        answers=len(answers.table),
        people=int(answers.table["participant"].nunique()),
        items=len(answers.names),
        cultures=[clean(name) for name in answers.cultures],
        labels=[clean(name) for name in answers.labels],
        abstentions=sorted(map(clean, answers.abstentions)),
        settings=settings,
        notes=[isolate(clean(note)) for note in analysis.notes],
        methods=[isolate(paragraph) for paragraph in methods(analysis)],
        sections=[_shown(section, analysis, plots) for section in analysis.sections],
        version=__version__,
    )


def _shown(section: Section, analysis: Analysis, plots: Mapping[str, bytes]) -> _Shown:
    return _Shown(
        section.name,
        clean(section.title),
        tuple(isolate(clean(gap)) for gap in section.gaps),
        tuple(map(_table, section.tables)),
        tuple(_picture(plot, plots.get(plot.name, b"")) for plot in section.plots),
        cards(analysis.answers, section.items, analysis.settings.pair),
    )


def _table(table: Table) -> _Table:
    frame = table.frame.head(SHOWN_ROWS)
    cells = [shown_column(frame[name]) for name in frame.columns]
    columns = tuple(
        _Column(
            clean(str(name)),
            clean(table.columns.get(str(name), "")),
            is_number(frame[name]),
            str(name) in table.captions,
            max(map(len, column), default=0) <= _SHORT,
        )
        for name, column in zip(frame.columns, cells, strict=True)
    )
    return _Table(
        table.name,
        clean(table.title),
        clean(table.method),
        columns,
        tuple(zip(*cells, strict=True)),
        len(table.frame) - len(frame),
    )


def _picture(plot: Plot, svg: bytes) -> _Picture:
    address = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}" if svg else ""
    return _Picture(clean(plot.title), clean(plot.method), address)
