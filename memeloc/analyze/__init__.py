"""What annotations show. In: tables of answers, items and people. Out: rows of figures, a report.

One answer, from table to report:

1. `answers` takes a long table (item, culture, participant, label) and counts its votes: `Answers`;
   `reading.read_answers` reads that table from a file, with a map of its columns and labels.
2. Each analysis is a function from `Answers` and `Settings` to rows (`memeloc.reports.figures`);
   `analysis.figures` runs all of them.
3. `report.report_of` puts a title, the items that divide people most and `report.toml`, what is
   said of each analysis, to the rows; `memeloc.reports.write_report` makes page and files of it.
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
