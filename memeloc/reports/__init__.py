"""Reports: rows of figures as a page, tables and plots. In: a `Report`. Out: a folder.

`figures` has the one table of figures, `texts` what a TOML says of each analysis, filled in by
`writer`; `drawing` makes plots, `cells` tables, `folder` all files, page.html among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.reports.folder import ReportFiles as ReportFiles
    from memeloc.reports.folder import as_json_rows as as_json_rows
    from memeloc.reports.folder import write_report as write_report
    from memeloc.reports.report import Card as Card
    from memeloc.reports.report import Report as Report
    from memeloc.reports.report import Version as Version
    from memeloc.reports.report import Votes as Votes
    from memeloc.reports.texts import AnalysisText as AnalysisText
    from memeloc.reports.texts import Texts as Texts
    from memeloc.reports.texts import read_texts as read_texts

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
