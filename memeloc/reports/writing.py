"""Writing a report. In: a `Report` and a folder. Out: `report.html`, tables, plots, text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memeloc.engine import ShardResult, map_shards
from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.pages import encode_json
from memeloc.reports.cells import clean, isolate
from memeloc.reports.latex import escape, latex_table
from memeloc.reports.plain import as_plain
from memeloc.reports.plots import check_matplotlib, draw, is_empty
from memeloc.reports.sections import Plot, Report, Table
from memeloc.reports.sections_page import fill_report
from memeloc.tables.writing import Column, Kind, write_table

_KINDS: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "number", "b": "truth"}
"""Of a numpy kind the kind of a written column; anything else is text."""


_FEWEST = 6
"""Plots that are worth a process of their own: matplotlib takes as long to load as it draws two."""


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """What a report consists of.

    Attributes:
        page: `report.html`: one file that needs no network.
        tables: CSV and LaTeX by turns, in the order of the report.
        plots: SVG and PNG by turns.
        methods: the methods paragraph as text and as LaTeX.
        data: all of it as JSON.
    """

    page: Path
    tables: tuple[Path, ...]
    plots: tuple[Path, ...]
    methods: tuple[Path, ...]
    data: Path


def write_report(
    report: Report,
    out: str | Path,
    *,
    on_progress: Callable[[int, int], None] = lambda more, total: None,
) -> ReportFiles:
    """Write a report; the same one gives the same bytes.

    Args:
        out: the folder; files of the same names in it are replaced.
        on_progress: is given how many plots more are drawn, and how many there are.

    Raises:
        InputError: a file cannot be written.
        MissingError: matplotlib is not installed.
    """
    check_matplotlib()
    folder = Path(out)
    tables: list[Path] = []
    for table in (each for section in report.sections for each in section.tables):
        tables += _write_table(table, folder / "tables")
    plots = [plot for section in report.sections for plot in section.plots if not is_empty(plot)]
    drawn = _draw_all(plots, report.jobs, on_progress)
    pictures: list[Path] = []
    for plot in plots:
        pictures += _write_plot(plot, *drawn[plot.name], folder / "plots")
    svgs = {name: svg for name, (svg, _) in drawn.items()}
    page = _write(folder / "report.html", fill_report(report, svgs))
    return ReportFiles(
        page,
        tuple(tables),
        tuple(pictures),
        (
            _write(folder / "methods.txt", "\n\n".join(map(isolate, report.methods)) + "\n"),
            _write(folder / "methods.tex", "\n\n".join(map(escape, report.methods)) + "\n"),
        ),
        _write(folder / f"{report.name}.json", encode_json(as_plain(report)) + "\n"),
    )


def _draw_all(
    plots: Sequence[Plot], jobs: int, on_progress: Callable[[int, int], None]
) -> dict[str, tuple[bytes, bytes]]:
    """By the name of a plot its SVG and PNG."""
    drawn: dict[str, tuple[bytes, bytes]] = {}

    def keep(result: ShardResult[Plot, tuple[bytes, bytes]]) -> None:
        if result.value is None:
            raise InputError(f"The plot {result.shard.name} could not be drawn: {result.failure}.")
        drawn[result.shard.name] = result.value
        on_progress(1, len(plots))

    map_shards(draw, plots, jobs=max(1, min(jobs, len(plots) // _FEWEST)), on_done=keep)
    return drawn


def _write_table(table: Table, folder: Path) -> list[Path]:
    frame, csv = table.frame, folder / f"{table.name}.csv"
    columns = [Column(str(name), _KINDS.get(frame[name].dtype.kind, "text")) for name in frame]
    cells = frame.astype(object).where(frame.notna(), None)
    caption = f"{table.title}. {table.method}"
    write_table(csv, columns, cells.itertuples(index=False, name=None))
    return [csv, _write(folder / f"{table.name}.tex", latex_table(table.name, frame, caption))]


def _write_plot(plot: Plot, svg: bytes, png: bytes, folder: Path) -> list[Path]:
    paths = []
    for suffix, content in ((".svg", svg), (".png", png)):
        path = folder / f"{plot.name}{suffix}"
        with replacing(path) as temporary:
            temporary.write_bytes(content)
        paths.append(path)
    return paths


def _write(path: Path, text: str) -> Path:
    with replacing(path) as temporary:
        temporary.write_text(
            text if text.isprintable() else "\n".join(map(clean, text.split("\n"))),
            encoding="utf-8",
            newline="\n",
        )
    return path
