"""Multiple choice. In: `Coded`. Out: `ChoiceScores`: by dimension, macro, group accuracy (m-quest).

Every figure is the mean over the prompts of what one prompt reaches; intervals draw memes anew,
each with all of its questions, for these go together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memeloc.arrays import Bools, Floats, Ints
from memeloc.evaluate.scores.coded import NO_GOLD, Answered, Coded
from memeloc.evaluate.scores.figures import ChoiceScores, Value
from memeloc.evaluate.scores.right import counts_by_unit, rightness, units_of
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.statistics.bootstrap import estimate


def toxicity_of(dimensions: Sequence[str], settings: ScoreSettings) -> str:
    """The dimension that group accuracy joins with every other; empty where there is none."""
    names = dict.fromkeys(dimensions)
    if settings.toxicity:
        return settings.toxicity if settings.toxicity in names else ""
    return next((name for name in names if name.casefold().startswith("toxic")), "")


def choice_scores(
    coded: Coded, answered: Answered, culture: int, settings: ScoreSettings
) -> ChoiceScores:
    """A condition's answers to questions of several dimensions; `coded.dimensions` names them."""
    gold = coded.gold[:, culture]
    known = (gold != NO_GOLD) & answered.asked.any(axis=1)
    right = rightness(gold, answered.predicted)
    right[~known] = -1
    dimension = np.array(coded.dimensions)
    names = [
        name for name in dict.fromkeys(coded.dimensions) if (known & (dimension == name)).any()
    ]
    toxic = (
        dimension == toxicity_of(names, settings) if toxicity_of(names, settings) else known & False
    )
    units = units_of(coded)
    parts = [
        *(known & (dimension == name) for name in names),
        known,
        known & toxic,
        known & ~toxic,
    ]
    counted = [counts_by_unit(right, part, units) for part in parts]
    group, pairs = _groups(right, known & toxic, known & ~toxic, units)
    rows = np.stack([*counted, group, pairs], axis=1)  # (memes, figures, prompts, right and asked)
    name = f"choice {coded.cultures[culture]} {'|'.join(answered.condition)}"
    values = _estimated(rows, len(names), settings, name)
    *by_dimension, overall, toxicity, reasoning, group_value, pair_value, macro = values
    asked = rows[..., 1].max(axis=2).sum(axis=0)
    return ChoiceScores(
        answered.condition,
        coded.cultures[culture],
        int(known.sum()),
        tuple((n, int(a), v) for n, a, v in zip(names, asked, by_dimension, strict=False)),
        overall,
        toxicity,
        reasoning,
        macro,
        int(asked[-2]),
        group_value,
        int(asked[-1]),
        pair_value,
    )


def _groups(right: Ints, toxic: Bools, others: Bools, units: Ints) -> tuple[Ints, Ints]:
    """By meme and prompt whether all is right, and how many pairs are; and of how many.

    A meme counts where both kinds of question were answered (PROTOCOLS, group accuracy).
    """
    first, second = counts_by_unit(right, toxic, units), counts_by_unit(right, others, units)
    asked = (first[..., 1] > 0) & (second[..., 1] > 0)
    whole = asked & (first[..., 0] == first[..., 1]) & (second[..., 0] == second[..., 1])
    return np.stack([whole, asked], axis=-1).astype(np.int64), first * second


def _estimated(rows: Ints, dimensions: int, settings: ScoreSettings, name: str) -> list[Value]:
    """Each figure of the rows, then the mean of the first `dimensions` of them."""
    shape = rows.shape[1:]

    def shares(patterns: Ints, weights: Floats) -> Floats:
        sums = (weights @ patterns).reshape(len(weights), *shape)
        asked = sums[..., 1] > 0
        each = np.divide(sums[..., 0], sums[..., 1], out=np.zeros(asked.shape), where=asked)
        with np.errstate(invalid="ignore"):
            means = each.sum(axis=2) / asked.sum(axis=2)
            macro = means[:, :dimensions].sum(axis=1) / np.float64(dimensions)
        return np.column_stack([means, macro])

    estimates = estimate(rows.reshape(len(rows), -1), shares, settings, name)
    columns = zip(estimates.value, estimates.low, estimates.high, strict=True)
    return [Value(*map(float, column)) for column in columns]
