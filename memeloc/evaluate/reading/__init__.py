"""Answers made elsewhere. In: tables of answers and of labels. Out: `ScoredFiles`.

1. `columns` finds out which column is what;
2. `prompts` reads from a prompt's number or text which wording and order it is, and which options
   were shown;
3. `questions` reads what a choice of each answer is, `labels` what is right;
4. `scoring` scores them like answers of a run, `summary` is the result as plain values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.reading.columns import AnswerColumns as AnswerColumns
    from memeloc.evaluate.reading.scoring import ScoredFiles as ScoredFiles
    from memeloc.evaluate.reading.scoring import score_answers as score_answers

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
