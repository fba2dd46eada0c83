"""Scores of models. In: `ModelAnswers`, `Gold`. Out: rows of the table of figures, a page.

    figures = score(answers, gold, ScoreSettings(seed=7))
    value_of(figures, "accuracy", "accuracy", "cat", "US")    # of a condition's title and a culture
    write_evaluation(answers, gold, "out")                    # report.html, tables, scored.parquet

`joining` has answers and gold as places of labels; `scores` makes rows of them and the page,
`comparisons` those of multiple choice, cultures, changes and models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.scores.joining import Condition as Condition
    from memeloc.evaluate.scores.joining import ModelFacts as ModelFacts
    from memeloc.evaluate.scores.joining import ScoreSettings as ScoreSettings
    from memeloc.evaluate.scores.joining import conditions_of as conditions_of
    from memeloc.evaluate.scores.scores import report_of as report_of
    from memeloc.evaluate.scores.scores import score as score
    from memeloc.evaluate.scores.scores import scored_table as scored_table
    from memeloc.evaluate.scores.scores import write_evaluation as write_evaluation

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
