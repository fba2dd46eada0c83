"""Each condition against each culture. In: `Coded`. Out: `CultureScores`, with intervals.

Every figure is the mean over the prompts of what one prompt reaches (PROTOCOLS; multi3hate 5.1).
An interval draws items anew, with all their prompts' answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from memeloc.arrays import Floats, Ints
from memeloc.evaluate.metrics import Metrics, confusion, measure
from memeloc.evaluate.scores.coded import NO_GOLD, NOT_ASKED, Answered, Coded
from memeloc.evaluate.scores.figures import (
    UNDEFINED,
    CultureScores,
    LabelScores,
    PromptScores,
    Value,
)
from memeloc.evaluate.scores.right import counts_by_unit, rightness, units_of
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.statistics.bootstrap import Estimates, estimate

_MACRO = ("accuracy", "precision", "recall", "f1", "mae", "mmae")


def scores_of(
    coded: Coded, answered: Answered, culture: int, settings: ScoreSettings, task: str = ""
) -> CultureScores:
    """A condition against a culture.

    Args:
        culture: the column of `coded.gold`.
        task: the name of a coarser task or of a part of the items, for the random numbers.
    """
    name = f"{task} {coded.cultures[culture]} {'|'.join(answered.condition)}"
    if coded.is_choice:
        return _choice(coded, answered, culture, settings, name)
    gold = coded.gold[:, culture]
    scored = (gold != NO_GOLD) & answered.asked.any(axis=1)
    rows = np.column_stack([gold, answered.predicted])[scored]
    every = _measured(rows, np.ones((1, len(rows))), coded)
    if not len(rows):
        return _scores(coded, answered, culture, rows, every, None)

    def means(patterns: Ints, weights: Floats) -> Floats:
        measured = _measured(patterns, weights, coded)
        macro = [_mean(getattr(measured, name)) for name in _MACRO]
        return np.column_stack([*macro, _mean(measured.f1s)])

    return _scores(coded, answered, culture, rows, every, estimate(rows, means, settings, name))


def sd(values: Sequence[float]) -> float:
    """The standard deviation (ddof 1) of what is defined; NaN of fewer than two."""
    defined = [value for value in values if np.isfinite(value)]
    return float(np.std(defined, ddof=1)) if len(defined) > 1 else nan


def _places(rows: Ints) -> range:
    return range(1, rows.shape[1])


def _measured(rows: Ints, weights: Floats, coded: Coded) -> Metrics:
    """Metrics of resamples by prompts, NaN of a prompt without answers.

    Args:
        rows: gold, then what was predicted with each prompt.
        weights: (resamples, rows).
    """
    counts = []
    for place in _places(rows):
        asked = rows[:, place] != NOT_ASKED
        kept = slice(None) if asked.all() else asked
        gold, predicted = rows[kept, 0], rows[kept, place]
        counts.append(confusion(gold, predicted, len(coded.labels), weights[:, kept]))
    return measure(np.stack(counts, axis=1), coded.levels)


def _mean(values: Floats) -> Floats:
    """The mean over prompts, (resamples, prompts, ...), of what is defined; else NaN."""
    defined = np.isfinite(values)
    if defined.all():
        return np.asarray(values.mean(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.where(defined, values, 0).sum(axis=1) / defined.sum(axis=1)
    return means


def _scores(
    coded: Coded,
    answered: Answered,
    culture: int,
    rows: Ints,
    every: Metrics,
    estimates: Estimates | None,
) -> CultureScores:
    values = [UNDEFINED] * (len(_MACRO) + len(coded.labels))
    if estimates is not None:
        columns = (estimates.value, estimates.low, estimates.high)
        values = [Value(*map(float, column)) for column in zip(*columns, strict=True)]
    by_prompt = tuple(
        PromptScores(
            prompt,
            int((rows[:, place] != NOT_ASKED).sum()),
            *(float(getattr(every, name)[0, place - 1]) for name in _MACRO),
        )
        for place, prompt in enumerate(answered.prompts, 1)
    )
    precisions, recalls = _mean(every.precisions)[0], _mean(every.recalls)[0]
    by_label = tuple(
        LabelScores(
            label,
            float(precisions[place]),
            float(recalls[place]),
            values[len(_MACRO) + place],
            int((rows[:, 0] == place).sum()),
            float(np.mean([(rows[:, column] == place).sum() for column in _places(rows)])),
        )
        for place, label in enumerate(coded.labels)
    )
    accuracy, precision, recall, f1, mae, mmae = values[: len(_MACRO)]
    return CultureScores(
        answered.condition,
        coded.cultures[culture],
        len(rows),
        accuracy,
        sd([prompt.accuracy for prompt in by_prompt]),
        precision,
        recall,
        f1,
        mae,
        mmae,
        by_prompt,
        by_label,
    )


def _choice(
    coded: Coded, answered: Answered, culture: int, settings: ScoreSettings, name: str
) -> CultureScores:
    """Of multiple choice: right and wrong only; resamples draw memes with all their questions."""
    gold = coded.gold[:, culture]
    known = (gold != NO_GOLD) & answered.asked.any(axis=1)
    counts = counts_by_unit(rightness(gold, answered.predicted), known, units_of(coded))
    rows = counts[counts[..., 1].any(axis=1)]

    def mean(patterns: Ints, weights: Floats) -> Floats:
        sums = (weights @ patterns).reshape(len(weights), -1, 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            return _mean(sums[..., 0] / sums[..., 1])[:, None]

    value = UNDEFINED
    if len(rows):
        estimates = estimate(rows.reshape(len(rows), -1), mean, settings, name)
        columns = (estimates.value, estimates.low, estimates.high)
        value = Value(*(float(column[0]) for column in columns))
    totals = [(int(right), int(asked)) for right, asked in rows.sum(axis=0)]
    accuracies = [right / asked if asked else nan for right, asked in totals]
    return CultureScores(
        answered.condition,
        coded.cultures[culture],
        int(known.sum()),
        value,
        sd(accuracies),
        *(UNDEFINED,) * 5,
        tuple(
            PromptScores(prompt, asked, accuracy, *(nan,) * 5)
            for prompt, (_, asked), accuracy in zip(
                answered.prompts, totals, accuracies, strict=True
            )
        ),
    )
