"""All that is scored. In: `ModelAnswers`, `Gold`, settings. Out: `Evaluation`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.scores.baselines import (
    baseline_scores,
    beside_baselines,
    place_scores,
    rule_rightness,
)
from memeloc.evaluate.scores.by_culture import scores_of
from memeloc.evaluate.scores.coded import Coded, code
from memeloc.evaluate.scores.figures import (
    Agreement,
    BaselineScores,
    BesideBaseline,
    Change,
    ChoiceScores,
    CultureScores,
    PlaceScores,
    PositionBias,
    Ranking,
    Rates,
)
from memeloc.evaluate.scores.multiple_choice import choice_scores
from memeloc.evaluate.scores.sections.agreement import agreement_section, agreements_of
from memeloc.evaluate.scores.sections.baselines import baselines_section
from memeloc.evaluate.scores.sections.changes import changes_of, changes_section
from memeloc.evaluate.scores.sections.dimensions import dimensions_section
from memeloc.evaluate.scores.sections.models import models_section
from memeloc.evaluate.scores.sections.overall import accuracy_section
from memeloc.evaluate.scores.sections.positions import position_bias, positions_section
from memeloc.evaluate.scores.sections.ranks import ranking_of, ranks_section
from memeloc.evaluate.scores.sections.scored import Scored
from memeloc.evaluate.scores.sections.tasks import (
    Groups,
    Tasks,
    groups_of,
    groups_section,
    tasks_of,
    tasks_section,
)
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
        rankings: of each condition with two cultures or more, which it agrees with best.
        changes: each two conditions that differ in one thing, by culture.
        positions: of each condition, what the place of an option does.
        agreements: of each two cultures, then of each condition with each culture.
        tasks: by the name of a coarser task its scores.
        groups: by grouping and group of items its scores.
        choices: of multiple choice with dimensions, each condition against each culture.
        places: of multiple choice whose questions are known, by place of the right option.
        baselines: of the same what rules reach that read no meme.
        beside_baselines: each condition beside these, and beside the same model without picture.
    """

    answers: ModelAnswers
    gold: Gold
    settings: ScoreSettings
    coded: Coded
    scores: tuple[CultureScores, ...]
    rates: tuple[Rates, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    rankings: tuple[Ranking, ...] = ()
    changes: tuple[Change, ...] = ()
    positions: tuple[PositionBias, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    tasks: Tasks = field(default_factory=dict)
    groups: Groups = field(default_factory=dict)
    choices: tuple[ChoiceScores, ...] = ()
    places: tuple[PlaceScores, ...] = ()
    baselines: tuple[BaselineScores, ...] = ()
    beside_baselines: tuple[BesideBaseline, ...] = ()


def score(answers: ModelAnswers, gold: Gold, settings: ScoreSettings | None = None) -> Evaluation:
    """How right answers are in the eyes of each culture, with the sections of the report.

    Raises:
        InputError: answers and gold do not fit; the sentence says how.
        MissingError: pandas or scipy is not installed.
    """
    settings = settings or ScoreSettings()
    coded = code(answers, gold)
    cultures = range(len(coded.cultures))
    pairs = [(answered, culture) for answered in coded.answered for culture in cultures]
    scores = tuple(scores_of(coded, *pair, settings) for pair in pairs)
    scored = Scored(coded, gold, scores, settings)
    several = len(coded.cultures) > 1
    asked = gold.questions
    rules = [(culture, rule_rightness(coded, culture, asked)) for culture in cultures]
    evaluation = Evaluation(
        answers,
        gold,
        settings,
        coded,
        scores,
        tuple(rates_of(coded, answered, settings) for answered in coded.answered),
        (),
        coded.notes,
        tuple(filter(None, map(ranking_of, scored.by_condition.values()))),
        tuple(changes_of(scored)),
        tuple(position_bias(coded, answered, settings) for answered in coded.answered),
        tuple(agreements_of(scored)) if several else (),
        tasks_of(scored),
        groups_of(scored),
        tuple(choice_scores(coded, *pair, settings) for pair in pairs) if coded.dimensions else (),
        tuple(p for pair in pairs for p in place_scores(coded, *pair, asked, settings)),
        tuple(each for pair in rules for each in baseline_scores(coded, *pair, settings)),
        tuple(each for pair in rules for each in beside_baselines(coded, *pair, settings))
        if coded.is_choice
        else (),
    )
    return replace(evaluation, sections=tuple(_sections(scored, evaluation)))


def _sections(scored: Scored, evaluation: Evaluation) -> Iterator[Section]:
    """Those that the answers have something for."""
    yield accuracy_section(scored)
    if evaluation.choices:
        yield dimensions_section(scored, evaluation.choices)
    if evaluation.baselines or evaluation.beside_baselines:
        yield baselines_section(scored, evaluation.baselines, evaluation.beside_baselines)
    yield validity_section(scored, evaluation.rates, evaluation.answers)
    if evaluation.rankings:
        yield ranks_section(scored, evaluation.rankings)
    if evaluation.agreements:
        yield agreement_section(scored, evaluation.agreements)
    if any(each.shares or each.pairs for each in evaluation.positions):
        yield positions_section(scored, evaluation.positions, evaluation.places)
    if evaluation.changes:
        yield changes_section(scored, evaluation.changes)
    models = models_section(scored)
    if models is not None:
        yield models
    if evaluation.tasks:
        yield tasks_section(scored, evaluation.tasks)
    if evaluation.groups:
        yield groups_section(scored, evaluation.groups)
