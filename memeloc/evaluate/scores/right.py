"""Right and wrong answers. In: `Coded`. Out: counts of right and asked, by item or by meme."""

from __future__ import annotations

import numpy as np

from memeloc.arrays import Bools, Floats, Ints
from memeloc.evaluate.scores.coded import NOT_ASKED, Coded
from memeloc.evaluate.scores.figures import UNDEFINED, Value
from memeloc.evaluate.scores.settings import ScoreSettings
from memeloc.statistics.bootstrap import estimate


def rightness(gold: Ints, predicted: Ints) -> Ints:
    """1 right, 0 wrong, `NOT_ASKED` where there is no answer; rows (items, prompts)."""
    right = (predicted == gold[:, None]).astype(np.int64)
    return np.where(predicted == NOT_ASKED, NOT_ASKED, right)


def units_of(coded: Coded) -> Ints:
    """By item the number of its meme, whose questions go together; without one a number of its own.

    Resamples draw these.
    """
    memes = coded.memes or ("",) * len(coded.items)
    keys = [
        ("meme", meme) if meme else ("item", item)
        for meme, item in zip(memes, coded.items, strict=True)
    ]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys])


def counts_by_unit(right: Ints, part: Bools, units: Ints) -> Ints:
    """Right and asked questions, (units, prompts, 2), of a part of the items.

    Args:
        right: as of `rightness`.
        units: as of `units_of`.
    """
    counts = np.zeros((int(units.max()) + 1, right.shape[1], 2), dtype=np.int64)
    np.add.at(counts, units[part], np.stack([right[part] == 1, right[part] >= 0], axis=-1))
    return counts


def summed(rows: Ints, units: Ints) -> Ints:
    """Counts of items (items, columns) added up by unit; units without any are left out."""
    sums = np.zeros((int(units.max()) + 1, rows.shape[1]), dtype=np.int64)
    np.add.at(sums, units, rows)
    return sums[sums.any(axis=1)]


def shares(
    right: Floats, asked: Floats, units: Ints, settings: ScoreSettings, name: str
) -> list[Value]:
    """By column the sum of `right` over that of `asked`, with an interval that draws units anew.

    Args:
        right: (items, columns), how many answers are right; what is not asked is 0.
        asked: (items, columns), of how many.
        units: as of `units_of`.
        name: of the random numbers, see `memeloc.statistics.bootstrap.generator`.
    """
    columns = right.shape[1]
    sums = np.zeros((int(units.max()) + 1, 2 * columns))
    np.add.at(sums, units, np.column_stack([right, asked]))
    sums = sums[sums[:, columns:].any(axis=1)]
    if not len(sums):
        return [UNDEFINED] * columns

    def means(patterns: Ints, weights: Floats) -> Floats:
        totals = weights @ sums[patterns[:, 0]]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(totals[:, :columns] / totals[:, columns:])

    estimates = estimate(np.arange(len(sums))[:, None], means, settings, name)
    ends = zip(estimates.value, estimates.low, estimates.high, strict=True)
    return [Value(*map(float, each)) for each in ends]
