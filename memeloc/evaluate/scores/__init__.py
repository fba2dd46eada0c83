"""Scores of models. In: `ModelAnswers`, `Gold`. Out: rows of the table of figures, a page.

    figures = score(answers, gold, ScoreSettings(seed=7))
    value_of(figures, "accuracy", "accuracy", "cat", "US")    # of a condition's title and a culture
    write_evaluation(answers, gold, "out")                    # report.html, tables, scored.parquet

`join` has answers and gold as places of labels; `scoring` makes rows of them, `choice` those of
multiple choice, `comparing` those of cultures, changes and models; `report` makes the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.scores.join import Condition as Condition
    from memeloc.evaluate.scores.join import conditions_of as conditions_of
    from memeloc.evaluate.scores.report import report_of as report_of
    from memeloc.evaluate.scores.report import scored_table as scored_table
    from memeloc.evaluate.scores.report import write_evaluation as write_evaluation
    from memeloc.evaluate.scores.scoring import score as score
    from memeloc.evaluate.scores.settings import ModelFacts as ModelFacts
    from memeloc.evaluate.scores.settings import ScoreSettings as ScoreSettings

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
