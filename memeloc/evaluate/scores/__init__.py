"""How right models are. In: `ModelAnswers`, `Gold`. Out: an `Evaluation`: figures, sections, page.

    evaluation = score(answers, gold, ScoreSettings(seed=7))
    evaluation.scores[0].accuracy            # a `Value` with its interval, of a condition, culture
    write_evaluation(evaluation, "out")      # report.html, tables, plots, scored.parquet

1. `coded` has answers and gold as numbers, prompt by prompt: `Coded`.
2. `by_culture` scores each condition against each culture: `CultureScores`; `multiple_choice` each
   dimension, where every question has options of its own.
3. Each module of `sections` makes a section of the report of these.
4. `evaluation` computes all of it, `report` puts it on a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.evaluate.scores.coded import Condition as Condition
    from memeloc.evaluate.scores.coded import Prompt as Prompt
    from memeloc.evaluate.scores.evaluation import Evaluation as Evaluation
    from memeloc.evaluate.scores.evaluation import score as score
    from memeloc.evaluate.scores.figures import Agreement as Agreement
    from memeloc.evaluate.scores.figures import Change as Change
    from memeloc.evaluate.scores.figures import ChoiceScores as ChoiceScores
    from memeloc.evaluate.scores.figures import CultureScores as CultureScores
    from memeloc.evaluate.scores.figures import LabelScores as LabelScores
    from memeloc.evaluate.scores.figures import PositionBias as PositionBias
    from memeloc.evaluate.scores.figures import PromptScores as PromptScores
    from memeloc.evaluate.scores.figures import Ranking as Ranking
    from memeloc.evaluate.scores.figures import Rates as Rates
    from memeloc.evaluate.scores.figures import Value as Value
    from memeloc.evaluate.scores.report import report_of as report_of
    from memeloc.evaluate.scores.report import scored_table as scored_table
    from memeloc.evaluate.scores.report import write_evaluation as write_evaluation
    from memeloc.evaluate.scores.settings import ModelFacts as ModelFacts
    from memeloc.evaluate.scores.settings import ScoreSettings as ScoreSettings

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
