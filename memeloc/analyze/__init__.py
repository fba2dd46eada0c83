"""What annotations show. In: tables of answers, items and people. Out: tables, figures, sentences.

One answer, from table to report:

1. `answers` takes a long table (item, culture, participant, label) and counts its votes: `Answers`;
   `reading.read_answers` reads that table from a file, with a map of its columns and labels.
2. Each module of an analysis turns `Answers` into a `Section` (`memeloc.reports`): tables, what to
   plot, sentences for a methods paragraph, and what could not be computed and why.
3. `analysis` runs all of them, and `report` writes what they found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.analyze.analysis import Analysis as Analysis
    from memeloc.analyze.analysis import analyze as analyze
    from memeloc.analyze.answers import Answers as Answers
    from memeloc.analyze.reading import read_answers as read_answers
    from memeloc.analyze.settings import Settings as Settings
    from memeloc.reports.sections import Section as Section

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
