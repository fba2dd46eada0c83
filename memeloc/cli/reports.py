"""Showing a report. In: a `Report`. Out: its rows as JSON, or tables and sentences; its folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.cli import output
from memeloc.cli.show import View, explain, show

if TYPE_CHECKING:
    from memeloc.reports import Report


def show_report(report: Report, *views: View, out: Path | None) -> None:
    """Write a report where a folder is named, and print its rows, or views and its sentences."""
    from memeloc.reports import write_report

    if out is not None:
        write_report(report, out)
    if output.as_json:
        show(report.figures)
    else:
        show(report, *views, sentences)
    explain("Note", report.notes)


def sentences(report: Report) -> Iterator[str]:
    """Yield its facts, what its texts say of each analysis, and what could not be computed."""
    from memeloc.reports.figures import gaps, of_analysis
    from memeloc.reports.folder import Writer
    from memeloc.reports.texts import read_texts

    if report.facts:
        yield "; ".join(f"{name}: {value}" for name, value in report.facts.items())
    texts = read_texts(report.texts) if isinstance(report.texts, Path) else report.texts
    writer = Writer(report.for_people())
    for name, text in texts.analyses.items():
        if len(of_analysis(report.figures, name)):
            yield from writer.sentences(text.sentence, name)
    yield from gaps(report.figures)


def wide_rows(report: Report, analysis: str) -> list[dict[str, Any]]:
    """Return the figures of an analysis, a dictionary a row."""
    from memeloc.reports.figures import wide

    return [
        {str(name): cell for name, cell in row.items()}
        for row in wide(report.figures, analysis).to_dict("records")
    ]
