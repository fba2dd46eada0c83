"""Reports: rows of figures as a page, tables and plots. In: a `Report`. Out: a folder.

1. `figures` has the one table of figures, which analyses fill.
2. `texts` reads what a TOML says of each analysis: titles, meanings, sentences, plots; `writer`
   fills its templates with figures.
3. `report` puts both together: `Report`, with the cards of items.
4. `drawing` makes plots of rows, with labels in any script; `cells` makes tables.
5. `folder` writes all of it, and fills `page.html`, one file that needs no network.
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
