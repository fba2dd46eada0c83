"""The page of a report. In: a `Report`, its plots. Out: HTML, one file that needs no network."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memeloc.pages import fill_page
from memeloc.reports.cells import clean, is_number, isolate, shown_column
from memeloc.reports.sections import Card, Plot, Report, Section, Table
from memeloc.version import __version__

SHOWN_ROWS = 30
"""Rows of a table on the page; the rest stands in its CSV."""

_SHORT = 16
"""Letters of cells that keep to one line."""
_PAGE = Path(__file__).with_name("sections_page.html")


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


def fill_report(report: Report, plots: Mapping[str, bytes]) -> str:
    """The page.

    Args:
        plots: SVG by the name of the plot; one that had nothing to draw has none.
    """
    return fill_page(
        _PAGE,
        title=clean(report.title),
        heading=isolate(clean(report.heading)),
        facts={name: isolate(clean(text)) for name, text in report.facts.items()},
        labels=[clean(name) for name in report.labels],
        notes_title=report.notes_title,
        notes=[isolate(clean(note)) for note in report.notes],
        methods=[isolate(paragraph) for paragraph in report.methods],
        sections=[_shown(section, report, plots) for section in report.sections],
        data=f"{report.name}.json",
        version=__version__,
    )


def _shown(section: Section, report: Report, plots: Mapping[str, bytes]) -> _Shown:
    return _Shown(
        section.name,
        clean(section.title),
        tuple(isolate(clean(gap)) for gap in section.gaps),
        tuple(map(_table, section.tables)),
        tuple(_picture(plot, plots.get(plot.name, b"")) for plot in section.plots),
        report.cards.get(section.name, ()),
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
