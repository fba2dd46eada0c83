"""Measures of agreement. In: a long table of answers. Out: coefficients, and tables of them.

Written out in numpy, since the packages that have them are under the GPL or take only complete
tables; tests compare them with `krippendorff` and `statsmodels`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memeloc.agreement import coefficients
from memeloc.agreement.coefficients import Coefficient, Metric
from memeloc.agreement.ratings import Ratings
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def krippendorff_alpha(
    answers: pd.DataFrame | Ratings,
    levels: Mapping[str, float] | None = None,
    metric: Metric = "ordinal",
) -> float | None:
    """Krippendorff's alpha (2011, "Computing Krippendorff's Alpha-Reliability").

    Answers may be missing; items with one answer do not count.

    Args:
        answers: a long table with `COLUMNS`.
        levels: by label its place in an order, such as its severity; labels of one level count as
            the same. Without it, alpha is nominal.
        metric: with levels: "ordinal" goes by their order, "interval" by their differences.

    Returns:
        1 for full agreement, 0 for agreement by chance; None if no item has two answers, or all
        answers are the same.

    Raises:
        InputError: of `Ratings.of`, or a label has no level.
    """
    ratings = _ratings(answers)
    if levels is None:
        return _of_items(coefficients.alpha(), ratings.counts)
    counts, places = by_level(ratings.counts, ratings.labels, levels)
    return _of_items(coefficients.alpha(metric, places), counts)


def by_level(
    counts: Ints, labels: Sequence[str], levels: Mapping[str, float]
) -> tuple[Ints, Floats]:
    """Counts of items by labels as counts by level, lowest first, and those levels.

    Raises:
        InputError: a label has no level.
    """
    if missing := [label for label in labels if label not in levels]:
        raise InputError(f"the label {missing[0][:60]!r} has no level", column="label")
    order = sorted({levels[label] for label in labels})
    merged = np.zeros((len(order), counts.shape[0]), dtype=np.int64)
    np.add.at(merged, [order.index(levels[label]) for label in labels], counts.T)
    return merged.T, np.array(order, dtype=np.float64)


def fleiss_kappa(answers: pd.DataFrame | Ratings) -> float | None:
    """Fleiss' kappa (1971); 1 is full agreement, 0 agreement by chance.

    Where items have different numbers of answers, each item counts as much as another: the observed
    agreement and the shares of labels are means over items (as in Gwet 2014, chapter 2). Items with
    one answer do not count. None where it is not defined; raises as `Ratings.of`.
    """
    return _of_items(coefficients.fleiss(), _ratings(answers).counts)


def gwet_ac(
    answers: pd.DataFrame | Ratings,
    labels: Sequence[str] = (),
    levels: Mapping[str, float] | None = None,
    metric: Metric = "ordinal",
) -> float | None:
    """Return Gwet's AC1 (2008), or, of labels with levels, AC2 with partial agreement.

    Args:
        answers: a long table with `COLUMNS`.
        labels: all that could be given; without them, those that were.
        levels, metric: as of `krippendorff_alpha`; of "interval" weights are quadratic.
    """
    counts, names = _of_all(_ratings(answers), labels)
    if levels is None:
        return _of_items(coefficients.gwet(np.eye(len(names))), counts)
    counts, places = by_level(counts, names, levels)
    weights = coefficients.partial_agreement(metric, len(places), places)
    return _of_items(coefficients.gwet(weights), counts)


def randolph_kappa(answers: pd.DataFrame | Ratings, labels: Sequence[str] = ()) -> float | None:
    """Return Randolph's free-marginal kappa (2005); `labels` as of `gwet_ac`."""
    return _of_items(coefficients.randolph(), _of_all(_ratings(answers), labels)[0])


def observed_agreement(answers: pd.DataFrame | Ratings) -> float | None:
    """Return the share of pairs of answers to an item that are the same, as a mean over items.

    None if no item has two answers; raises as `Ratings.of`.
    """
    return _of_items(coefficients.observed(), _ratings(answers).counts)


def pairwise_kappa(answers: pd.DataFrame | Ratings) -> pd.DataFrame:
    """Cohen's kappa (1960) of each two people, over the items that both answered.

    Returns:
        `first`, `second` (participants, sorted), `items`, `agreement` (the share with the same
        label) and `kappa` (NaN where both gave one label only); pairs without a common item are
        left out. Raises as `Ratings.of`.
    """
    import pandas as pd

    ratings = _ratings(answers)
    pairs = LabelPairs.of(ratings)
    first, second = (ratings.label[side] for side in pairs.answers)
    measured = _compared(pairs.pair, first, second, len(pairs.first), len(ratings.labels))
    names = np.array(ratings.participants, dtype=object)
    return pd.DataFrame({"first": names[pairs.first], "second": names[pairs.second], **measured})


@dataclass(frozen=True, slots=True, eq=False)
class LabelPairs:
    """Each two people who answered a common item, and each two answers of theirs to one.

    Attributes:
        first, second: places of the participants, a pair of people.
        pair: which pair of people, two answers to one item.
        item: which item they are about.
        answers: the places of the answers of the first and of the second.
    """

    first: Ints
    second: Ints
    pair: Ints
    item: Ints
    answers: tuple[Ints, Ints]

    @classmethod
    def of(cls, ratings: Ratings) -> LabelPairs:
        """All pairs of answers to one item, each by the order of the participants."""
        people = len(ratings.participants)
        sides = [*ratings.pairs()] or [(np.zeros(0, np.int64),) * 2]
        first, second = (np.concatenate(side) for side in zip(*sides, strict=True))
        both, pair = np.unique(
            ratings.participant[first] * people + ratings.participant[second], return_inverse=True
        )
        who = both // max(people, 1), both % max(people, 1)
        return cls(*who, pair, ratings.item[first], (first, second))


def against_rest(answers: pd.DataFrame | Ratings) -> pd.DataFrame:
    """Each person beside the majority of the others, over items on which those have one.

    Of a tie among the others there is no majority.

    Returns:
        `participant` (sorted), `items`, `agreement` (the share of items with the label of most
        others) and `kappa` (Cohen's, of the person and that label; NaN where it is not defined).
        Raises as `Ratings.of`.
    """
    import pandas as pd

    ratings = _ratings(answers)
    labels = len(ratings.labels)
    others = ratings.counts[ratings.item] - (np.arange(labels) == ratings.label[:, None])
    most = majority(others)
    decided = most != NO_LABEL
    measured = _compared(
        ratings.participant[decided],
        ratings.label[decided],
        most[decided],
        len(ratings.participants),
        labels,
    )
    return pd.DataFrame({"participant": np.array(ratings.participants, object), **measured})


def _ratings(answers: pd.DataFrame | Ratings) -> Ratings:
    return answers if isinstance(answers, Ratings) else Ratings.of(answers)


def _of_all(ratings: Ratings, labels: Sequence[str]) -> tuple[Ints, Sequence[str]]:
    """Return the counts with a column for each of the labels, given or not, and their names."""
    names = list(labels) or list(ratings.labels)
    counts = np.zeros((ratings.items, len(names)), np.int64)
    for place, label in enumerate(ratings.labels):
        counts[:, names.index(label)] = ratings.counts[:, place]
    return counts, names


def _of_items(coefficient: Coefficient, counts: Ints) -> float | None:
    value = coefficient.of(counts)
    return None if np.isnan(value) else value


def _compared(
    group: Ints, first: Ints, second: Ints, groups: int, labels: int
) -> dict[str, Floats]:
    """Cohen's kappa of two rows of labels in each group; a group without any has none."""

    def shares(label: Ints) -> Floats:
        counts = np.bincount(group * labels + label, minlength=groups * labels)
        return counts.reshape(groups, labels) / items[:, None]

    items: Ints = np.bincount(group, minlength=groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = np.bincount(group, first == second, minlength=groups) / items
        expected = (shares(first) * shares(second)).sum(axis=1)
        # Where chance alone would agree throughout, rounding must not make a number of it.
        kappa = np.where(expected < 1 - 1e-12, (agreement - expected) / (1 - expected), np.nan)
    measured: dict[str, NDArray[Any]] = {"items": items, "agreement": agreement, "kappa": kappa}
    return measured
