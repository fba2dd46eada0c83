"""All that is scored. In: `ModelAnswers`, `Gold`, settings. Out: `Evaluation`."""

from __future__ import annotations

from dataclasses import dataclass

from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.scores.by_culture import scores_of
from memeloc.evaluate.scores.coded import Coded, code
from memeloc.evaluate.scores.figures import CultureScores, Rates
from memeloc.evaluate.scores.sections.overall import accuracy_section
from memeloc.evaluate.scores.sections.scored import Scored
from memeloc.evaluate.scores.sections.validity import rates_of, validity_section
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.reports.sections import Section


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Answers and how right they are.

    Attributes:
        scores: each condition against each culture, in the order of the answers and of the gold.
        rates: of each condition, in the same order.
        sections: of the report.
        notes: what was noticed, a sentence each.
    """

    answers: ModelAnswers
    gold: Gold
    settings: ScoreSettings
    coded: Coded
    scores: tuple[CultureScores, ...]
    rates: tuple[Rates, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...]


def score(answers: ModelAnswers, gold: Gold, settings: ScoreSettings | None = None) -> Evaluation:
    """How right answers are in the eyes of each culture, with the sections of the report.

    Raises:
        InputError: answers and gold do not fit; the sentence says how.
        MissingError: pandas or scipy is not installed.
    """
    settings = settings or ScoreSettings()
    coded = code(answers, gold)
    scores = tuple(
        scores_of(coded, answered, culture, settings)
        for answered in coded.answered
        for culture in range(len(coded.cultures))
    )
    rates = tuple(rates_of(coded, answered, settings) for answered in coded.answered)
    scored = Scored(coded, gold, scores, settings)
    sections = [accuracy_section(scored), validity_section(scored, rates, answers)]
    return Evaluation(answers, gold, settings, coded, scores, rates, tuple(sections), coded.notes)
