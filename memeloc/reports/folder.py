"""Writing a report. In: a `Report`. Out: a folder: page, figures, tables, plots, methods.

The page is one file that needs no network: page.html is its template.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.errors import MissingError
from memeloc.files import file_sha256, replacing
from memeloc.pages import encode_json, fill_page
from memeloc.reports.cells import (
    clean,
    escape,
    is_number,
    isolate,
    latex_table,
    readable,
    shown_column,
)
from memeloc.reports.drawing import (
    CULTURE_COLOURS,
    GRID,
    INK,
    LABEL_COLOURS,
    PAPER,
    Drawing,
    draw,
    drawings,
)
from memeloc.reports.figures import COLUMNS, gaps, of_analysis, wide_tables
from memeloc.reports.report import Report
from memeloc.reports.texts import PARTS, AnalysisText, PageText, named, read_texts
from memeloc.reports.writer import NOT_DEFINED, Writer, figure_text
from memeloc.tables.writing import Column, Kind, write_table
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_ROWS = 30
"""Rows of a table on the page; the rest stands in its CSV."""
_MOST_NUMBERS = 3
_MOST_NAMES = 6
"""Names that a reason is said of; of more it is said how many others there are."""
_NONE = "no interval: "
"""What a row's method begins with where it says why there is none."""
_MOST_READ = 12
"""Values of a plot that somebody hears who cannot see it; the table has all."""
_PAGE = Path(__file__).with_name("page.html")
_DARK = {PAPER: "#17191d", INK: "#e4e6ea", GRID: "#3a3f47"}
_NUMBERS = ("value", "low", "high", "n")
_KINDS: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "number", "b": "truth"}
"""Of a numpy kind the kind of a written column; anything else is text."""


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """What is said and shown of an analysis: texts that are filled in, tables by file, plots."""

    name: str
    text: AnalysisText
    tables: dict[str, pd.DataFrame]
    plots: list[Drawing]


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
    if find_spec("matplotlib") is None:
        raise MissingError("Plots need matplotlib: pip install 'memeloc[analyze]'")
    folder = Path(out)
    figures = _write_figures(report, folder)
    report = _with_names(report)
    texts = read_texts(report.texts) if isinstance(report.texts, Path) else report.texts
    analyses = texts.analyses | {
        name: AnalysisText() for name in report.figures["analysis"] if name not in texts.analyses
    }
    writer = Writer(report)
    colours = dict(zip(report.labels, cycle(LABEL_COLOURS), strict=False))
    colours |= zip(report.cultures, cycle(CULTURE_COLOURS), strict=False)
    sections = [_section(report, name, text, writer, colours) for name, text in analyses.items()]
    plots = [plot for section in sections for plot in section.plots]
    drawn = {}
    for plot in plots:
        drawn[plot.name] = draw(plot)
        on_progress(1, len(plots))
    paragraphs = [writer.sentences(texts.page.methods)]
    paragraphs += [section.text.sentence for section in sections]
    methods = [clean(" ".join(sentences)) for sentences in paragraphs if sentences]
    page = _fill_page(report, texts.page, writer, sections, drawn, methods, colours)
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
    about = {
        "memeloc": __version__,
        "report": report.name,
        "seed": str(report.settings.get("seed", "")),
        "settings": encode_json(dict(report.settings)),
        "hashes": encode_json({**report.hashes, csv.name: file_sha256(csv)}),
    }
    fields = [(name, pa.float64() if name in _NUMBERS else pa.string()) for name in COLUMNS]
    schema = pa.schema(fields, metadata=about)
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


def _fill_page(
    report: Report,
    page: PageText,
    writer: Writer,
    sections: Sequence[Section],
    drawn: Mapping[str, tuple[bytes, bytes]],
    methods: Sequence[str],
    colours: Mapping[str, str],
) -> str:
    """Return the page of a report with names instead of codes; `drawn` has SVG and PNG by plot."""
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
        picture=lambda plot: _picture(plot, drawn[plot.name][0]),
        rows=partial(of_analysis, figures),
        cells=_cells,
        computed=_computed,
        reasons=_reasons,
    )


def _numbers(page: PageText, writer: Writer) -> list[tuple[str, str, str, str]]:
    """Return analysis, title, value and interval of the numbers that are defined."""
    numbers = []
    for number in page.numbers:
        group, item = (writer.fill(text, number.analysis) for text in (number.group, number.item))
        row = writer.row(group, item, number.analysis)
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
    rows = rows[rows["figure"].isin(drawn) & (rows["method"] != "")]
    others_have = rows["figure"].isin(rows.loc[rows["low"].notna(), "figure"])
    rows = rows[rows["low"].isna() & (others_have | rows["method"].str.startswith(_NONE))]
    reasons = []
    for (figure, method), part in rows.groupby(["figure", "method"], sort=False):
        pairs = zip(part["group"], part["item"], strict=True)
        names = [PARTS.join(filter(None, pair)) or "all" for pair in pairs]
        others = f" and {len(names) - _MOST_NAMES} others" if len(names) > _MOST_NAMES else ""
        whose = f"{', '.join(names[:_MOST_NAMES])}{others}"
        why = str(method).removeprefix(_NONE)
        reasons.append(f"{figure} of {whose} without an interval: {why}")
    return reasons


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
