"""The report of an analysis. In: an `Analysis`. Out: a folder with a page, tables and plots.

1. `writing` makes the folder: `write_report`.
2. `plots` draws what sections want plotted, with the labels of any script (`fonts`).
3. `cells` has the figures as people read them, `latex` tables for a paper, `plain` all of it for
   programs, and `memes` the items that divide people most, with their pictures.
4. `page` fills `page.html`, one file that needs no network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.analyze.report.plain import as_plain
    from memeloc.analyze.report.writing import ReportFiles, write_report

__all__ = ["ReportFiles", "as_plain", "write_report"]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.analyze.report.plain": ["as_plain"],
        "memeloc.analyze.report.writing": ["ReportFiles", "write_report"],
    },
)
