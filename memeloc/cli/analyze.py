"""`memeloc analyze`. In: a survey, or any table of answers. Out: a report in a folder."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

import memeloc
from memeloc.cli.options import AsJson, split
from memeloc.cli.options import columns as columns_by_key
from memeloc.cli.output import print_json, progress
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
        metavar="[ANSWERS|SURVEY]",
        help="A table of answers (.csv, .xlsx, .jsonl, .parquet), or a survey of the workspace.",
        show_default="the only survey; without any, what was collected",
    ),
    item: str = Option("", metavar="COL", help="Of a table: the column with the item."),
    annotator: str = Option("", metavar="COL", help="Of a table: the column with the annotator."),
    culture: str = Option("", metavar="COL", help="Of a table: the column with the culture."),
    label: str = Option(
        "",
        metavar="COL",
        help="Of a table: the column with the answer; or one a culture, as US=COL,DE=COL.",
    ),
    category: Path | None = Option(
        None, metavar="FILE", help="Of a table: items with their category, topic or template."
    ),
    demographics: str = Option(
        "", metavar="COL,...", help="Of a table: columns with facts about annotators."
    ),
    map_: Path | None = Option(
        None, "--map", metavar="TOML", help="Of a table: what its columns, labels, cultures mean."
    ),
    scale: bool = Option(False, "--scale", help="Of a table: labels that are numbers are a scale."),
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
    as_json: AsJson = False,
) -> None:
    """Analyse what annotators of several cultures answered, and write a report.

    The report is one page that needs no network and prints well, its tables as CSV and LaTeX, its
    plots as SVG and PNG, a methods paragraph for a paper, and all figures as one table (CSV and
    Parquet; --json prints it), a row a figure with its interval, how it was computed and on how
    many. What cannot be computed is named, and the rest is made. The same seed gives the same
    report, byte for byte.

    Example:
      memeloc analyze pilot --pictures out
      memeloc analyze answers.csv --item meme --annotator worker --culture country --label answer
      memeloc analyze answers.csv --map answers.toml --demographics age,gender --out report
    """
    from memeloc.analyze import Settings
    from memeloc.reports import as_json_rows, write_report
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
    columns = {
        "item": item,
        "annotator": annotator,
        "culture": culture,
        "label": columns_by_key(label),
        "scale": scale,
    }
    of_table = {"category": category, "demographics": split(demographics), "mapping": map_}
    further: list[str] = []
    with progress("Analysing", None, unit="analyses") as bar:

        def on_analysis(_: str, done: int, total: int) -> None:
            bar.report(int(done > 0), total)

        if _is_table(source, [*columns.values(), *of_table.values()]):
            report = _of_table(source, {**columns, **of_table}, split(only), settings, on_analysis)
        else:
            report, further = _of_survey(
                source, pictures, models, split(only), settings, on_analysis, as_json=as_json
            )
    with progress("Drawing", None, unit="plots") as bar:
        files = write_report(report, out, on_progress=bar.report)
    explain("Note", report.notes)
    explain("Gap", gaps(report.figures))
    if as_json:
        print_json(as_json_rows(report.figures))
        return
    rows = [
        row
        for analysis, names in _MAIN.items()
        for row in of_analysis(report.figures, analysis, *names).itertuples(index=False)
        if not row.item
    ]
    show(rows, _FIGURES, f"The report: {files.page}", *further, as_json=False)


def _is_table(source: str, options: list[object]) -> bool:
    return Path(source).is_file() or bool(Path(source).suffix) or any(options)


def _of_table(
    source: str,
    options: dict[str, object],
    only: list[str],
    settings: Settings,
    on_analysis: OnAnalysis,
) -> Report:
    from memeloc.analyze import figures, read_answers
    from memeloc.analyze.report import report_of

    if not source:
        raise typer.BadParameter("name the table of answers", param_hint="ANSWERS")
    answers = read_answers(source, **options)  # type: ignore[arg-type]
    return report_of(answers, figures(answers, settings, only, None, on_analysis), settings)


def _of_survey(
    name: str,
    pictures: Path | None,
    models: Path | None,
    only: list[str],
    settings: Settings,
    on_analysis: OnAnalysis,
    *,
    as_json: bool,
) -> tuple[Report, list[str]]:
    """The report, and what comes next."""
    with memeloc.Workspace.find() as workspace:
        collected = any("template" not in key for key in workspace.store.items.count())
        if collected and not name and not workspace.surveys.names():
            return workspace.curating.analyze(settings=settings), []
        survey = workspace.survey(name or workspace.surveys.only())
        report = survey.analysis.analyze(
            settings, pictures=pictures, models=models, only=only, on_analysis=on_analysis
        )
        return report, next_lines(workspace, "analyze", survey=survey.name, as_json=as_json)
