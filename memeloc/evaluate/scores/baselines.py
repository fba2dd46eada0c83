"""Baselines of multiple choice. In: `Coded`, questions. Out: what rules reach, and differences.

Rules read no meme: they guess, take the longest option, or the one that shares most words with the
question or the caption. Beside them stands the same model without the picture. All are compared on
the same questions, question by question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Bools, Floats, Ints
from memeloc.evaluate.gold import ChoiceQuestion
from memeloc.evaluate.scores.coded import INPUT_NAMES, NO_GOLD, Answered, Coded, Condition
from memeloc.evaluate.scores.figures import BaselineScores, BesideBaseline, PlaceScores
from memeloc.evaluate.scores.multiple_choice import toxicity_of
from memeloc.evaluate.scores.right import rightness, shares, units_of
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.statistics.guessing import RULES, right_by_rules

Questions = Mapping[str, ChoiceQuestion]
Rules = Mapping[str, Floats]
"""By rule how probably it answers each item right; NaN where it says nothing about it."""
_ALONE = {**INPUT_NAMES, "text": "caption alone"}
_LESS = {"none": (), "text": ("none",)}
"""By input those with less of the meme; all others have both."""


def rule_rightness(coded: Coded, culture: int, questions: Questions) -> Rules:
    """What the rules answer; without those that say nothing about any item."""
    rules = {name: np.full(len(coded.items), nan) for name in RULES}
    for index, question, right in _known(coded, culture, questions):
        texts = question.language, question.question, question.text
        for name, share in right_by_rules(question.options, right, *texts).items():
            rules[name][index] = share
    return {name: values for name, values in rules.items() if np.isfinite(values).any()}


def _known(
    coded: Coded, culture: int, questions: Questions
) -> Iterator[tuple[int, ChoiceQuestion, int]]:
    """Items whose options are known: place, question, and the place of the right option."""
    for index, item in enumerate(coded.items):
        question, gold = questions.get(item), coded.gold[index, culture]
        if question is not None and gold != NO_GOLD and coded.labels[gold] in question.options:
            yield index, question, question.options.index(coded.labels[gold])


def baseline_scores(
    coded: Coded, culture: int, rules: Rules, settings: ScoreSettings
) -> tuple[BaselineScores, ...]:
    """What each rule reaches on all questions that were asked and have a right answer."""
    asked = np.any([each.asked.any(axis=1) for each in coded.answered], axis=0)
    return tuple(
        _scores(coded, culture, name, np.where(asked, right, nan), settings)
        for name, right in rules.items()
    )


def _scores(
    coded: Coded, culture: int, name: str, right: Floats, settings: ScoreSettings
) -> BaselineScores:
    known = np.isfinite(right)
    parts = _by_dimension(coded, known)
    toxic = known & False
    if parts:
        toxic = parts.get(toxicity_of(tuple(parts), settings), toxic)
    units = units_of(coded)
    whole = np.ones(int(units.max()) + 1)
    np.multiply.at(whole, units[known], right[known])
    paired = np.isin(np.arange(len(whole)), units[toxic])
    paired &= np.isin(np.arange(len(whole)), units[known & ~toxic])
    by_dimension = tuple((n, int(part.sum()), _mean(right[part])) for n, part in parts.items())
    return BaselineScores(
        name,
        coded.cultures[culture],
        int(known.sum()),
        by_dimension,
        _mean(right[known]),
        _mean(right[toxic]),
        _mean(right[known & ~toxic]),
        _mean([value for _, _, value in by_dimension]),
        int(paired.sum()),
        _mean(whole[paired]),
    )


def _by_dimension(coded: Coded, known: Bools) -> dict[str, Bools]:
    """By dimension which of the known items are of it; empty without dimensions."""
    dimension = np.array(coded.dimensions)
    names = dict.fromkeys(coded.dimensions)
    parts = {name: known & (dimension == name) for name in names}
    return {name: part for name, part in parts.items() if part.any()}


def _mean(values: Sequence[float] | Floats) -> float:
    return float(np.mean(values)) if len(values) else nan


def beside_baselines(
    coded: Coded, culture: int, rules: Rules, settings: ScoreSettings
) -> Iterator[BesideBaseline]:
    """Each condition beside each rule, and beside the same model with less of the meme."""
    units = units_of(coded)
    by_condition = {each.condition: _means(coded, each, culture) for each in coded.answered}
    for condition, right in by_condition.items():
        less = {
            _ALONE[other.input]: values
            for other, values in by_condition.items()
            if other in _with_less(condition)
        }
        for name, values in {**rules, **less}.items():
            pair = (condition, right), (name, values)
            yield from _beside(coded, culture, *pair, units, settings)


def _with_less(condition: Condition) -> list[Condition]:
    less = _LESS.get(condition.input, ("text", "none"))
    return [condition._replace(input=input) for input in less]


def _means(coded: Coded, answered: Answered, culture: int) -> Floats:
    """By item the share of right answers over the prompts; NaN without answer or gold."""
    gold = coded.gold[:, culture]
    right = rightness(gold, answered.predicted)
    asked = (right >= 0) & (gold != NO_GOLD)[:, None]
    counts = asked.sum(axis=1)
    sums = ((right == 1) & asked).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), nan)


def _beside(
    coded: Coded,
    culture: int,
    model: tuple[Condition, Floats],
    baseline: tuple[str, Floats],
    units: Ints,
    settings: ScoreSettings,
) -> Iterator[BesideBaseline]:
    (condition, right), (name, expected) = model, baseline
    known: NDArray[np.bool_] = np.isfinite(right) & np.isfinite(expected)
    if not known.any():
        return
    parts = {"": known, **_by_dimension(coded, known)}
    asked = np.column_stack(list(parts.values())).astype(np.float64)
    apart = np.where(known, right - expected, 0.0)[:, None] * asked
    use = f"beside {coded.cultures[culture]} {name} {'|'.join(condition)}"
    differences = shares(apart, asked, units, settings, use)
    for (dimension, part), difference in zip(parts.items(), differences, strict=True):
        yield BesideBaseline(
            condition,
            coded.cultures[culture],
            name,
            dimension,
            int(part.sum()),
            _mean(right[part]),
            _mean(expected[part]),
            difference,
        )


def place_scores(
    coded: Coded, answered: Answered, culture: int, questions: Questions, settings: ScoreSettings
) -> tuple[PlaceScores, ...]:
    """Accuracy by the place at which the right option was shown, of all answers."""
    places = _right_places(coded, answered, culture, questions)
    right = rightness(coded.gold[:, culture], answered.predicted)
    most = int(places.max(initial=0))
    if not most:
        return ()
    at = [(places == place) & (right >= 0) for place in range(1, most + 1)]
    counts = np.column_stack([each.sum(axis=1) for each in at])
    sums = np.column_stack([(each & (right == 1)).sum(axis=1) for each in at])
    units = units_of(coded)
    use = f"places {coded.cultures[culture]} {'|'.join(answered.condition)}"
    # Of an item that is asked several times at a place, each answer counts.
    values = shares(sums.astype(np.float64), counts.astype(np.float64), units, settings, use)
    return tuple(
        PlaceScores(answered.condition, coded.cultures[culture], place, int(total), value)
        for place, (total, value) in enumerate(zip(counts.sum(axis=0), values, strict=True), 1)
    )


def _right_places(coded: Coded, answered: Answered, culture: int, questions: Questions) -> Ints:
    """(items, prompts): the place of the right option from 1; 0 where it is not known."""
    places = np.zeros(answered.predicted.shape, dtype=np.int64)
    for index, question, place in _known(coded, culture, questions):
        for column, prompt in enumerate(answered.prompts):
            places[index, column] = len(question.options) - place if prompt.order else place + 1
    return places
