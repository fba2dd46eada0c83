"""Answers made elsewhere. In: tables of answers and of labels. Out: `ScoredFiles`.

1. `prompts` reads from a prompt's number or text which wording and order it is, and which options
   were shown;
2. `answers` reads the tables, and what each answer chooses;
3. `scoring` scores them like answers of a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.reading.scoring import ScoredFiles as ScoredFiles
    from memeloc.evaluate.reading.scoring import score_answers as score_answers

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
