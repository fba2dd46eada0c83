"""The report of an analysis. In: answers, rows of figures. Out: a `Report`.

`report` puts together what stands at its top, `memes` the items that divide people most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.analyze.report.report import report_of as report_of

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
