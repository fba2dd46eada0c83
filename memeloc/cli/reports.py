"""Showing a report. In: a `Report`. Out: its rows as JSON, or tables and sentences; its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.cli.output import print_json
from memeloc.cli.show import View, explain, show

if TYPE_CHECKING:
    from memeloc.reports import Report


def show_report(report: Report, *views: View, out: Path | None, as_json: bool) -> None:
    """Write a report where a folder is named, and print its rows, or views and its sentences."""
    from memeloc.reports import as_json_rows, sentences, write_report
    from memeloc.reports.figures import gaps

    if out is not None:
        write_report(report, out)
    if as_json:
        print_json(as_json_rows(report.figures))
    else:
        show(report, *views, lambda _: [*sentences(report), *gaps(report.figures)], as_json=False)
    explain("Note", report.notes)


def wide_rows(report: Report, analysis: str) -> list[dict[str, Any]]:
    """Return the figures of an analysis, a dictionary a row."""
    from memeloc.reports.figures import wide

    return wide(report.figures, analysis).to_dict("records")
