"""Writing a report. In: a `Report`. Out: a folder: page, figures, tables, plots, methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from memeloc.counts import counted
from memeloc.errors import InputError, MissingError
from memeloc.files import file_sha256, replacing
from memeloc.pages import encode_json, fill_page
from memeloc.reports.cells import clean, escape, is_number, isolate, latex_table, shown, shown_cells
from memeloc.reports.drawing import CULTURE_COLOURS, LABEL_COLOURS, Drawing, draw, drawings, picture
from memeloc.reports.figures import COLUMNS, NOT_COMPUTED, gaps, of_analysis, wide, wide_tables
from memeloc.reports.report import Report
from memeloc.reports.texts import AnalysisText, PageText, all_parts, read_texts
from memeloc.statistics.significance import p_text, percent, percent_with_interval, with_interval
from memeloc.tables.writing import write_table
from memeloc.version import __version__

if TYPE_CHECKING:
    import pandas as pd

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
        """Return a text, its spaces joined. Raise InputError if the template is not Jinja2, or
        names what there is not."""
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


_SHOWN_ROWS = 30
"""Rows of a table on the page; the rest stands in its CSV."""
_MOST_NUMBERS = 3  # that a report begins with: they are read at one look
_MOST_NAMES = 6
"""Names that a reason is said of; of more it is said how many others there are."""
_NO_INTERVAL = "no interval: "
"""The beginning of a row's method that says why there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """An analysis as the page shows it.

    Its texts are filled in, tables stand by their files, `computed` has by method the figures that
    were computed so, `reasons` why figures that are drawn with intervals have none.
    """

    name: str
    text: AnalysisText
    tables: dict[str, pd.DataFrame]
    plots: list[Drawing]
    computed: dict[str, str]
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The files of a report.

    Figures are a CSV and a Parquet file, whose metadata say what they were computed with; tables
    are CSV and LaTeX by turns, plots SVG and PNG by turns, methods text and LaTeX.
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
    """Write a report; the same one gives the same bytes. Raise InputError if a file cannot be
    written, or the texts are not as they must be; MissingError if matplotlib is not installed.

    Args:
        out: the folder; files of the same names in it are replaced.
        on_progress: is given how many plots more are drawn, and how many there are.
    """
    if find_spec("matplotlib") is None:
        raise MissingError("Plots need matplotlib: pip install 'memeloc[analyze]'")

    folder = Path(out)
    figures = _write_figures(report, folder)
    people = [votes.culture for cards in report.cards.values() for c in cards for votes in c.votes]
    report = replace(
        report.for_people(),
        cultures=list(dict.fromkeys(map(report.named, report.cultures or people))),
        labels=list(map(clean, report.labels)),
    )
    texts = read_texts(report.texts) if isinstance(report.texts, Path) else report.texts
    writer = Writer(report)
    colours = dict(zip(report.labels, cycle(LABEL_COLOURS), strict=False))
    colours |= zip(report.cultures, cycle(CULTURE_COLOURS), strict=False)
    # An analysis of which nothing is said comes after the others.
    sections = [
        _section(report, analysis, texts.analyses.get(analysis, AnalysisText()), writer, colours)
        for analysis in dict.fromkeys([*texts.analyses, *report.figures["analysis"]])
    ]
    plots = [plot for section in sections for plot in section.plots]
    drawn, plot_files = {}, []
    for plot in plots:
        drawn[plot.name] = draw(plot)
        on_progress(1, len(plots))
        for suffix, content in zip((".svg", ".png"), drawn[plot.name], strict=True):
            plot_files.append(_write(folder / "plots" / f"{plot.name}{suffix}", content))
    tables = []
    for section in sections:
        sentences = filter(None, (section.text.title, section.text.method))
        caption = " ".join(f"{sentence.removesuffix('.')}." for sentence in sentences)
        for file, table in section.tables.items():
            csv = folder / "tables" / f"{file}.csv"
            frame = table.convert_dtypes()  # 7 people stay 7 where others are not known
            cells = frame.astype(object).where(frame.notna(), None)
            write_table(csv, list(map(str, frame)), cells.itertuples(index=False, name=None))
            latex = latex_table(file, table, caption)
            tables += [csv, _write(csv.with_name(f"{file}.tex"), latex)]
    paragraphs = [writer.sentences(texts.page.methods)]
    paragraphs += [section.text.sentence for section in sections]
    methods = [clean(" ".join(sentences)) for sentences in paragraphs if sentences]
    page = _fill_page(report, texts.page, writer, sections, drawn, methods, colours)
    return ReportFiles(
        _write(folder / "report.html", page),
        figures,
        tuple(tables),
        tuple(plot_files),
        (
            _write(folder / "methods.txt", "\n\n".join(map(isolate, methods)) + "\n"),
            _write(folder / "methods.tex", "\n\n".join(map(escape, methods)) + "\n"),
        ),
    )


def as_json_rows(figures: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the figures for JSON: a dictionary a row, None for what is not defined."""

    def plain(name: str, cell: Any) -> Any:
        if isinstance(cell, str):
            return clean(cell)
        if not math.isfinite(cell):
            return None
        return int(cell) if name == "n" else cell

    rows = figures[list(COLUMNS)].to_dict("records")
    return [{str(name): plain(str(name), cell) for name, cell in row.items()} for row in rows]


def _write_figures(report: Report, folder: Path) -> tuple[Path, Path]:
    import pyarrow as pa
    from pyarrow import parquet

    csv, binary = folder / "figures.csv", folder / "figures.parquet"
    rows = as_json_rows(report.figures)
    write_table(csv, COLUMNS, [tuple(row.values()) for row in rows])
    about = {
        "memeloc": __version__,
        "report": report.name,
        "seed": str(report.settings.get("seed", "")),
        "settings": encode_json(dict(report.settings)),
        "hashes": encode_json({**report.hashes, csv.name: file_sha256(csv)}),
    }
    numbers = dict.fromkeys(("value", "low", "high", "n"), pa.float64())
    fields = [(name, numbers.get(name, pa.string())) for name in COLUMNS]
    with replacing(binary) as temporary:
        parquet.write_table(pa.Table.from_pylist(rows, pa.schema(fields, about)), temporary)
    return csv, binary


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
    by_method = rows[rows["method"] != ""].groupby("method", sort=False)["figure"].unique()
    return Section(
        name,
        text.model_copy(update=filled),
        {f"{name}-{n}" if n > 1 else name: table for n, table in enumerate(tables, 1)},
        [each for plot in text.plot for each in drawings(plot, rows, colours, fill)],
        {str(method): ", ".join(names) for method, names in by_method.items()},
        _reasons(rows, text),
    )


def _reasons(rows: pd.DataFrame, text: AnalysisText) -> list[str]:
    drawn = [name for plot in text.plot if plot.kind == "intervals" for name in plot.figures]
    rows = rows[rows["figure"].isin(drawn) & (rows["method"] != "")]
    others_have = rows["figure"].isin(rows.loc[rows["low"].notna(), "figure"])
    rows = rows[rows["low"].isna() & (others_have | rows["method"].str.startswith(_NO_INTERVAL))]
    reasons = []
    for (figure, method), part in rows.groupby(["figure", "method"], sort=False):
        names = all_parts(part, "group", "item")
        others = f" and {len(names) - _MOST_NAMES} others" if len(names) > _MOST_NAMES else ""
        whose = f"{', '.join(names[:_MOST_NAMES])}{others}"
        why = str(method).removeprefix(_NO_INTERVAL)
        reasons.append(f"{figure} of {whose} without an interval: {why}")
    return reasons


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
    numbers = []
    for number in page.numbers:
        fill = partial(writer.fill, analysis=number.analysis)
        row = writer.row(fill(number.group), fill(number.item), number.analysis)
        value, _, ends = figure_text(row, number.figure, number.percent).partition(" [")
        if value != NOT_DEFINED:
            interval = f"[{ends}" if ends else ""
            numbers.append((number.analysis, fill(number.title), value, interval))
    plots = {plot.name: plot for section in sections for plot in section.plots}
    with_cards = [section for section in sections if report.cards.get(section.name)]
    return fill_page(
        Path(__file__).with_name("page.html"),
        report=report,
        version=__version__,
        colours=colours,
        numbers=numbers[:_MOST_NUMBERS],
        leading=next((plots[name] for name in page.plot if name in plots), None),
        first=next((each for each in with_cards if page.cards in ("", each.name)), None),
        sections=[each for each in sections if each.tables or each in with_cards],
        methods=methods,
        gaps=[
            (section.text.title, gap.split(NOT_COMPUTED)[-1])
            for section in sections
            for gap in gaps(report.figures[report.figures["analysis"] == section.name])
        ],
        most=_SHOWN_ROWS,
        is_number=is_number,
        text=lambda text: isolate(clean(str(text))),
        picture=lambda plot: picture(plot, drawn[plot.name][0]),
        cells=lambda frame: shown_cells(frame.head(_SHOWN_ROWS)),
    )


def _write(path: Path, content: str | bytes) -> Path:
    if isinstance(content, str):
        content = "\n".join(map(clean, content.split("\n"))).encode()
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path
