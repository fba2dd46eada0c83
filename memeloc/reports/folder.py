"""Writing a report. In: a `Report` and a folder. Out: a page, the figures, tables, plots, texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.files import file_sha256, replacing
from memeloc.pages import encode_json
from memeloc.reports.cells import clean, isolate, readable
from memeloc.reports.drawing import (
    CULTURE_COLOURS,
    LABEL_COLOURS,
    check_matplotlib,
    draw,
    drawings,
)
from memeloc.reports.figures import COLUMNS, of_analysis, wide_tables
from memeloc.reports.latex import escape, latex_table
from memeloc.reports.page import Section, fill_report
from memeloc.reports.report import Report
from memeloc.reports.texts import AnalysisText, Writer, named, read_texts
from memeloc.tables.writing import Column, Kind, write_table
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("value", "low", "high", "n")
_KINDS: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "number", "b": "truth"}
"""Of a numpy kind the kind of a written column; anything else is text."""


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """What a report consists of.

    Attributes:
        page: `report.html`: one file that needs no network.
        figures: all figures as CSV and as Parquet, whose metadata say what they were computed with.
        tables: CSV and LaTeX by turns, in the order of the report.
        plots: SVG and PNG by turns.
        methods: the methods paragraph as text and as LaTeX.
    """

    page: Path
    figures: tuple[Path, ...]
    tables: tuple[Path, ...]
    plots: tuple[Path, ...]
    methods: tuple[Path, ...]


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
        InputError: a file cannot be written, or the texts are not as they must be.
        MissingError: matplotlib is not installed.
    """
    check_matplotlib()
    folder = Path(out)
    figures = _write_figures(report, folder)
    report = _with_names(report)
    texts = read_texts(report.texts) if isinstance(report.texts, Path) else report.texts
    analyses = texts.analyses | {
        name: AnalysisText() for name in report.figures["analysis"] if name not in texts.analyses
    }
    writer, colours = Writer(report), _colours(report)
    sections = [_section(report, name, text, writer, colours) for name, text in analyses.items()]
    plots = [plot for section in sections for plot in section.plots]
    drawn = {}
    for plot in plots:
        drawn[plot.name] = draw(plot)
        on_progress(1, len(plots))
    paragraphs = [writer.sentences(texts.page.methods)]
    paragraphs += [section.text.sentence for section in sections]
    methods = [clean(" ".join(sentences)) for sentences in paragraphs if sentences]
    svgs = {name: svg for name, (svg, _) in drawn.items()}
    page = fill_report(report, texts.page, writer, sections, svgs, methods, colours)
    return ReportFiles(
        _write(folder / "report.html", page),
        figures,
        tuple(path for section in sections for path in _write_tables(section, folder / "tables")),
        tuple(
            _write(folder / "plots" / f"{name}{suffix}", content)
            for name, contents in drawn.items()
            for suffix, content in zip((".svg", ".png"), contents, strict=True)
        ),
        (
            _write(folder / "methods.txt", "\n\n".join(map(isolate, methods)) + "\n"),
            _write(folder / "methods.tex", "\n\n".join(map(escape, methods)) + "\n"),
        ),
    )


def as_json_rows(figures: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the figures for JSON: a dictionary a row, None for what is not defined."""

    def plain(cell: Any) -> Any:
        if isinstance(cell, str):
            return clean(cell)
        return cell if math.isfinite(cell) else None

    rows = figures[list(COLUMNS)].itertuples(index=False, name=None)
    cells = (dict(zip(COLUMNS, map(plain, row), strict=True)) for row in rows)
    return [row | {"n": None if row["n"] is None else int(row["n"])} for row in cells]


def _write_figures(report: Report, folder: Path) -> tuple[Path, Path]:
    import pyarrow as pa
    from pyarrow import parquet

    csv, binary = folder / "figures.csv", folder / "figures.parquet"
    rows = as_json_rows(report.figures)
    columns = [Column(name, "number" if name in _NUMBERS else "text") for name in COLUMNS]
    write_table(csv, columns, [tuple(row.values()) for row in rows])
    types = [pa.float64() if name in _NUMBERS else pa.string() for name in COLUMNS]
    about = {
        "memeloc": __version__,
        "report": report.name,
        "seed": str(report.settings.get("seed", "")),
        "settings": encode_json(dict(report.settings)),
        "hashes": encode_json({**report.hashes, csv.name: file_sha256(csv)}),
    }
    schema = pa.schema(zip(COLUMNS, types, strict=True), metadata=about)
    with replacing(binary) as temporary:
        parquet.write_table(pa.Table.from_pylist(rows, schema), temporary)
    return csv, binary


def _with_names(report: Report) -> Report:
    """Return the report with names for people where codes stand."""

    def names(codes: Iterable[str]) -> list[str]:
        return [clean(named(code, report.names)) for code in codes]

    voters = (votes.culture for cards in report.cards.values() for c in cards for votes in c.votes)
    figures = report.figures
    return replace(
        report,
        figures=figures.assign(group=names(figures["group"]), item=names(figures["item"])),
        cultures=list(dict.fromkeys(names(report.cultures or voters))),
        labels=list(map(clean, report.labels)),
    )


def _colours(report: Report) -> dict[str, str]:
    """Return the colour of each label and each culture."""
    labels = zip(report.labels, cycle(LABEL_COLOURS), strict=False)
    return dict(labels) | dict(zip(report.cultures, cycle(CULTURE_COLOURS), strict=False))


def _section(
    report: Report, name: str, text: AnalysisText, writer: Writer, colours: dict[str, str]
) -> Section:
    """Return what is said and shown of an analysis; nothing where it has no figures."""
    rows = of_analysis(report.figures, name)
    fill = partial(writer.fill, analysis=name)
    tables = []
    for frame in wide_tables(rows, name):
        empty = [key for key in ("group", "item") if not frame[key].any()]
        headings = {"group": text.group, "item": text.item}
        tables.append(frame.drop(columns=empty).rename(columns=headings))
    if name in report.tables:
        tables.append(report.tables[name])
    filled = {
        "title": clean(fill(text.title)) or name,
        "method": clean(fill(text.method)) if len(rows) else "",
        "sentence": writer.sentences(text.sentence, name) if len(rows) else (),
    }
    return Section(
        name,
        text.model_copy(update=filled),
        {f"{name}-{n}" if n > 1 else name: table for n, table in enumerate(tables, 1)},
        [each for plot in text.plot for each in drawings(plot, rows, colours, fill)],
    )


def _write_tables(section: Section, folder: Path) -> Iterator[Path]:
    sentences = (section.text.title, section.text.method)
    caption = " ".join(f"{sentence.removesuffix('.')}." for sentence in sentences if sentence)
    for file, table in section.tables.items():
        frame = table.convert_dtypes()
        csv = folder / f"{file}.csv"
        columns = [Column(str(name), _KINDS.get(frame[name].dtype.kind, "text")) for name in frame]
        cells = frame.astype(object).where(frame.notna(), None)
        write_table(csv, columns, cells.itertuples(index=False, name=None))
        yield csv
        yield _write(folder / f"{file}.tex", latex_table(file, readable(table), caption))


def _write(path: Path, content: str | bytes) -> Path:
    if isinstance(content, str):
        content = "\n".join(map(clean, content.split("\n"))).encode()
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path
