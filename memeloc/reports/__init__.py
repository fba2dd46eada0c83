"""Reports: figures as a page, tables and plots. In: `Section`s. Out: a folder.

1. `sections` has what a stage hands over: `Section`s of `Table`s, plots and sentences.
2. `report` puts them below a heading: `Report`; `writing` makes the folder.
3. `plots` draws what sections want plotted, with the labels of any script (`fonts`).
4. `cells` has the figures as people read them, `latex` tables for a paper, `plain` all of it for
   programs.
5. `page` fills `page.html`, one file that needs no network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.reports.plain import as_plain as as_plain
    from memeloc.reports.sections import Report as Report
    from memeloc.reports.sections import Section as Section
    from memeloc.reports.sections import Table as Table
    from memeloc.reports.writing import ReportFiles as ReportFiles
    from memeloc.reports.writing import write_report as write_report

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
