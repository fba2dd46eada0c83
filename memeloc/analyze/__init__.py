"""Analyses of annotations. In: tables of answers, items and people. Out: rows of figures, a report.

`read_answers` or `Answers.of` count the votes of a table; each analysis is a function from
`Answers` and `Settings` to rows (`memeloc.reports.figures`), `figures` runs all of them, and
`report.report_of` adds their texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.analyze.analysis import agreement as agreement
    from memeloc.analyze.analysis import figures as figures
    from memeloc.analyze.analysis import random_groups as random_groups
    from memeloc.analyze.answers import Answers as Answers
    from memeloc.analyze.answers import Settings as Settings
    from memeloc.analyze.reading import read_answers as read_answers

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
