"""Writing a report. In: a `Report` and a folder. Out: a page, the figures, tables, plots, texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.engine import ShardResult, map_shards
from memeloc.errors import InputError
from memeloc.files import file_sha256, replacing
from memeloc.pages import encode_json
from memeloc.reports.cells import clean, isolate, readable
from memeloc.reports.drawing import (
    CULTURE_COLOURS,
    LABEL_COLOURS,
    Drawing,
    check_matplotlib,
    draw,
    drawings,
)
from memeloc.reports.figures import COLUMNS, of_analysis, wide_tables
from memeloc.reports.latex import escape, latex_table
from memeloc.reports.page import fill_report
from memeloc.reports.report import Report
from memeloc.reports.texts import AnalysisText, Texts, Writer, named, read_texts
from memeloc.tables.writing import Column, Kind, write_table
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_KINDS: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "number", "b": "truth"}
"""Of a numpy kind the kind of a written column; anything else is text."""
_FEWEST = 6
"""Plots that are worth a process of their own: matplotlib takes as long to load as it draws two."""


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
    texts, report = _texts_of(report), _with_names(report)
    writer = Writer(report.figures, report.settings, report.facts, report.names)
    colours = _colours(report)
    plots = {
        name: [
            drawing
            for plot in text.plot
            for drawing in drawings(
                plot, name, report.figures, colours, partial(writer.fill, analysis=name)
            )
        ]
        for name, text in texts.analyses.items()
    }
    drawn = _draw_all([each for own in plots.values() for each in own], report.jobs, on_progress)
    svgs = {name: [(each, drawn[each.name][0]) for each in own] for name, own in plots.items()}
    methods = _methods(report, texts, writer)
    tables = {name: _tables(report, name, text) for name, text in texts.analyses.items()}
    page = fill_report(report, texts, writer, tables, svgs, methods, colours)
    return ReportFiles(
        _write(folder / "report.html", page),
        figures,
        tuple(
            path
            for name, own in tables.items()
            for file, frame in own
            for path in _write_table(
                file, frame, _caption(texts.analyses[name], name, writer), folder / "tables"
            )
        ),
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
    table = figures[list(COLUMNS)].astype({"n": "Int64"}).astype(object)
    rows = table.where(table.notna(), None).itertuples(index=False, name=None)
    return [
        {
            name: clean(cell) if isinstance(cell, str) else cell
            for name, cell in zip(COLUMNS, row, strict=True)
        }
        for row in rows
    ]


def _write_figures(report: Report, folder: Path) -> tuple[Path, Path]:
    import pyarrow as pa
    from pyarrow import parquet

    csv, binary = folder / "figures.csv", folder / "figures.parquet"
    numbers = ("value", "low", "high", "n")
    columns = [Column(name, "number" if name in numbers else "text") for name in COLUMNS]
    rows = [tuple(row.values()) for row in as_json_rows(report.figures)]
    write_table(csv, columns, rows)
    types = {"text": pa.string(), "number": pa.float64()}
    schema = pa.schema([(column.name, types[column.kind]) for column in columns])
    about = {
        "memeloc": __version__,
        "report": report.name,
        "seed": str(report.settings.get("seed", "")),
        "settings": encode_json(dict(report.settings)),
        "hashes": encode_json({**report.hashes, "figures.csv": file_sha256(csv)}),
    }
    table = pa.Table.from_pylist(as_json_rows(report.figures), schema.with_metadata(about))
    with replacing(binary) as temporary:
        parquet.write_table(table, temporary)
    return csv, binary


def _texts_of(report: Report) -> Texts:
    """Return the texts, with empty ones of analyses that they do not have."""
    texts = read_texts(report.texts) if isinstance(report.texts, Path) else report.texts
    others = dict.fromkeys(report.figures["analysis"], AnalysisText())
    return texts.model_copy(update={"analyses": texts.analyses | (others | texts.analyses)})


def _with_names(report: Report) -> Report:
    """Return the report with names for people where codes stand."""

    def name(code: str) -> str:
        return clean(named(code, report.names))

    figures = report.figures
    groups, items = ([name(text) for text in figures[column]] for column in ("group", "item"))
    cards = {
        analysis: [
            replace(
                card,
                versions=tuple(replace(one, culture=name(one.culture)) for one in card.versions),
                votes=tuple(replace(one, culture=name(one.culture)) for one in card.votes),
            )
            for card in cards
        ]
        for analysis, cards in report.cards.items()
    }
    cultures = list(map(name, report.cultures))
    figures = figures.assign(group=groups, item=items)
    return replace(report, figures=figures, cultures=cultures, cards=cards)


def _colours(report: Report) -> dict[str, str]:
    """Return a colour for each label and each culture."""
    voters = (votes.culture for cards in report.cards.values() for c in cards for votes in c.votes)
    cultures = dict.fromkeys(report.cultures or voters)
    labels = zip(map(clean, report.labels), cycle(LABEL_COLOURS), strict=False)
    return dict(labels) | dict(zip(cultures, cycle(CULTURE_COLOURS), strict=False))


def _methods(report: Report, texts: Texts, writer: Writer) -> list[str]:
    """Return the paragraphs for a paper."""
    paragraphs = [writer.sentences(texts.page.methods)]
    paragraphs += [
        writer.sentences(text.sentence, name)
        for name, text in texts.analyses.items()
        if len(of_analysis(report.figures, name))
    ]
    return [clean(" ".join(sentences)) for sentences in paragraphs if sentences]


def _tables(report: Report, analysis: str, text: AnalysisText) -> list[tuple[str, pd.DataFrame]]:
    """Return an analysis' tables, each with the name of its file."""
    frames = []
    for frame in wide_tables(report.figures, analysis):
        empty = [name for name in ("group", "item") if not frame[name].any()]
        frames.append(
            frame.drop(columns=empty).rename(columns={"group": text.group, "item": text.item})
        )
    if analysis in report.tables:
        frames.append(report.tables[analysis])
    return [(f"{analysis}-{n}" if n > 1 else analysis, frame) for n, frame in enumerate(frames, 1)]


def _caption(text: AnalysisText, analysis: str, writer: Writer) -> str:
    parts = writer.fill(text.title, analysis) or analysis, writer.fill(text.method, analysis)
    return ". ".join(part.removesuffix(".") for part in parts if part) + "."


def _draw_all(
    plots: Sequence[Drawing], jobs: int, on_progress: Callable[[int, int], None]
) -> dict[str, tuple[bytes, bytes]]:
    """Return SVG and PNG by the name of a plot."""
    drawn: dict[str, tuple[bytes, bytes]] = {}

    def keep(result: ShardResult[Drawing, tuple[bytes, bytes]]) -> None:
        if result.value is None:
            raise InputError(f"The plot {result.shard.name} could not be drawn: {result.failure}.")
        drawn[result.shard.name] = result.value
        on_progress(1, len(plots))

    map_shards(draw, plots, jobs=max(1, min(jobs, len(plots) // _FEWEST)), on_done=keep)
    return {plot.name: drawn[plot.name] for plot in plots}


def _write_table(file: str, frame: pd.DataFrame, caption: str, folder: Path) -> tuple[Path, Path]:
    csv = folder / f"{file}.csv"
    columns = [Column(str(name), _KINDS.get(frame[name].dtype.kind, "text")) for name in frame]
    cells = frame.astype(object).where(frame.notna(), None)
    write_table(csv, columns, cells.itertuples(index=False, name=None))
    return csv, _write(folder / f"{file}.tex", latex_table(file, readable(frame), caption))


def _write(path: Path, content: str | bytes) -> Path:
    if isinstance(content, str):
        lines = content.split("\n") if not content.isprintable() else [content]
        content = "\n".join(map(clean, lines)).encode()
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path
