"""`memeloc analyze`. In: a survey, or any table of answers. Out: a report in a folder."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli import output
from memeloc.cli.options import ColumnMapOption, column_map, split
from memeloc.cli.output import progress
from memeloc.cli.show import Table, explain, next_lines, show

if TYPE_CHECKING:
    from memeloc.analyze import Settings
    from memeloc.analyze.analysis import OnAnalysis
    from memeloc.reports.report import Report

_MAIN = {
    "agreement-within": ("alpha",),
    "agreement-between": ("agreement",),
    "chi-squared": ("cramers_v", "p_permuted"),
    "random-groups": ("p_people_holm", "z"),
    "dataset": ("memes",),
}
"""By analysis the figures that the screen shows; all of them stand in the report."""
_FIGURES = Table(
    "Main figures",
    lambda rows: rows,
    (
        ("figure", lambda row: f"{row.figure} ({row.analysis})"),
        ("of", lambda row: row.group or "all"),
        ("value", lambda row: _value(row)),
        ("n", lambda row: "" if isnan(row.n) else int(row.n)),
    ),
)


def _value(row: Any) -> str:
    from memeloc.statistics.significance import with_interval

    return with_interval(*row[4:7]) if row.value % 1 else f"{row.value:,.0f}"


def analyze(
    source: str = Argument(
        "",
        metavar="ANSWERS|SURVEY",
        help="A table of answers (.csv, .xlsx, .jsonl, .parquet), or a survey of the workspace.",
        show_default="the only survey; without any, what was collected",
    ),
    map_: ColumnMapOption = None,
    category: Path | None = Option(
        None, metavar="FILE", help="Of a table: items with their category, topic or template."
    ),
    pictures: Path | None = Option(
        None, metavar="DIR", help="Of a survey: a folder that `memeloc render` made."
    ),
    models: Path | None = Option(
        None, metavar="FILE", help="Of a survey: what models answered (meme_id, model, label)."
    ),
    out: Path = Option(Path("analysis"), metavar="DIR", help="Where the report is written."),
    only: str = Option("", metavar="NAME,...", help="Analyses to make.", show_default="all"),
    pair: str = Option(
        "",
        metavar="A,B",
        help="Two cultures whose differing items are listed.",
        show_default="those that agree least",
    ),
    seed: int = Option(0, help="Of everything drawn at random."),
    repetitions: int = Option(10_000, min=2, help="Of random groups of annotators."),
    permutations: int = Option(1_999, min=19, help="Of people between cultures, for p-values."),
    smallest_cell: int = Option(5, min=1, help="People whom a demographic cell shown must have."),
) -> None:
    """Analyse what annotators of several cultures answered, and write a report.

    The report is one page that needs no network and prints well, its tables as CSV and LaTeX, its
    plots as SVG and PNG, a methods paragraph for a paper, and all figures as one table (CSV and
    Parquet; --json prints it), a row a figure with its interval, how it was computed and on how
    many. What cannot be computed is named, and the rest is made. The same seed gives the same
    report, byte for byte.

    Example:
      memeloc analyze pilot --pictures out
      memeloc analyze answers.csv --map item=meme,annotator=worker,culture=country,label=answer
      memeloc analyze answers.csv --map answers.toml --map demographics=age --out report
    """
    from memeloc.analyze import Settings, figures, read_answers
    from memeloc.analyze.report import report_of
    from memeloc.reports import write_report
    from memeloc.reports.figures import gaps, of_analysis

    two = tuple(split(pair))
    if two and len(two) != 2:
        raise typer.BadParameter("two cultures, with a comma between", param_hint="--pair")
    settings = Settings(
        seed=seed,
        repetitions=repetitions,
        permutations=permutations,
        smallest_cell=smallest_cell,
        pair=(two[0], two[1]) if two else None,
    )
    next_line: list[str] = []
    with progress("Analysing", None, unit="analyses") as bar:

        def on_analysis(_: str, done: int, total: int) -> None:
            bar.report(int(done > 0), total)

        if Path(source).is_file() or Path(source).suffix or map_ or category:
            if not source:
                raise typer.BadParameter("name the table of answers", param_hint="ANSWERS")
            answers = read_answers(source, column_map(map_), category=category)
            computed = figures(answers, settings, split(only), None, on_analysis)
            report = report_of(answers, computed, settings)
        else:
            report, next_line = _of_survey(
                source, pictures, models, split(only), settings, on_analysis
            )
    with progress("Drawing", None, unit="plots") as bar:
        files = write_report(report, out, on_progress=bar.report)
    explain("Note", report.notes)
    explain("Gap", gaps(report.figures))
    if output.as_json:
        show(report.figures)
        return
    rows = [
        row
        for analysis, names in _MAIN.items()
        for row in of_analysis(report.figures, analysis, *names).itertuples(index=False)
        if not row.item
    ]
    show(rows, _FIGURES, f"The report: {files.page}", *next_line)


def _of_survey(
    name: str,
    pictures: Path | None,
    models: Path | None,
    only: list[str],
    settings: Settings,
    on_analysis: OnAnalysis,
) -> tuple[Report, list[str]]:
    """Return the report, and what comes next."""
    with memeloc.Workspace.find() as workspace:
        collected = any("template" not in key for key in workspace.store.items.count())
        if collected and not name and not workspace.surveys.names():
            return workspace.curating.analyze(settings=settings), []
        survey = workspace.survey(name or workspace.surveys.only())
        report = survey.analysis.analyze(
            settings, pictures=pictures, models=models, only=only, on_analysis=on_analysis
        )
        return report, next_lines(workspace, "analyze", survey=survey.name)
