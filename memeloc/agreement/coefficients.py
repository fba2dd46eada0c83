"""Coefficients of agreement as ratios of sums over items. In: labels counted by item, or a table.

Whoever deletes an item or an answer, or counts items twice, adds sums and computes no coefficient
anew: `coefficient.value(coefficient.sums(counts).sum(axis=0))`. Written out in numpy, since the
packages that have them are under the GPL or take only complete tables; tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("item", "participant", "label")
"""Columns of a table: the item, who answered, and the label; others do not matter."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Answers as numbers: the places of each, sorted by item, then person.

    Names of participants and labels are sorted; of items only the number is kept.
    """

    items: int
    participants: tuple[str, ...]
    labels: tuple[str, ...]
    item: Ints
    participant: Ints
    label: Ints

    @classmethod
    def of(cls, table: pd.DataFrame | Ratings, labels: Sequence[str] = ()) -> Ratings:
        """Return the answers of a long table with `COLUMNS`, in any order.

        A cell without a label is no answer, and a row that is there twice counts once. `labels` are
        those that could be given, too. Raise InputError if a column is missing, or a person gave an
        item two different labels.
        """
        if isinstance(table, Ratings):
            return table
        import pandas as pd

        for name in COLUMNS:
            if name not in table.columns:
                columns = ", ".join(COLUMNS)
                raise InputError(f"a table of answers has the columns {columns}", column=name)
        ratings = table[list(COLUMNS)]
        ratings = (
            ratings[ratings["label"].notna() & (ratings["label"] != "")]
            .astype(str)
            .drop_duplicates()
        )
        twice = ratings.duplicated(["item", "participant"])
        if twice.any():
            item, who, _ = ratings[twice].iloc[0]
            raise InputError(
                f"{who[:60]!r} gave two different labels to {item[:60]!r}; keep the one that counts"
            )
        ratings = ratings.sort_values(["item", "participant"])
        item, items = pd.factorize(ratings["item"], sort=True)
        who, people = pd.factorize(ratings["participant"], sort=True)
        names = sorted({*labels, *ratings["label"]})
        label = pd.Index(names, dtype=object).get_indexer(ratings["label"].to_numpy(object))
        return cls(len(items), tuple(people), tuple(names), item, who, label)

    @cached_property
    def counts(self) -> Ints:
        """Return how often each label was given to each item: (items, labels)."""
        places = self.item * len(self.labels) + self.label
        flat = np.bincount(places, minlength=self.items * len(self.labels))
        return flat.reshape(self.items, len(self.labels))


@dataclass(frozen=True, slots=True)
class Further:
    """Changes expected of so many `more` answers an item, as shares of all items.

    Items are `open` without a label now, `decided` with one then; `undone` have a label now and
    none then, `overturned` ones another.
    """

    more: int
    open: float
    decided: float
    undone: float
    overturned: float

    @property
    def changed(self) -> float:
        """Return the share of items whose label would be another, or come, or go."""
        return self.decided + self.undone + self.overturned


def further_answers(answers: pd.DataFrame | Ratings, more: int = 1) -> Further | None:
    """Return what so many (1 to 3) further answers to every item are expected to bring.

    None where kappa is not defined: no item has two answers, or all answers are the same. Raise
    InputError as `Ratings.of`, or for another number.
    """
    if not 1 <= more <= 3:  # each multiplies the cases by the number of labels
        raise InputError(f"further answers are 1 to 3, not {more}")
    ratings = Ratings.of(answers)
    kappa = fleiss_kappa(ratings)
    if kappa is None:
        return None
    counts = ratings.counts
    now, none = majority(counts), NO_LABEL
    shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    decided, undone, overturned = np.zeros((3, len(counts)))
    for after, chance in _after(counts, shares, max(kappa, 0.0), more):
        then = majority(after)
        decided += chance * ((now == none) & (then != none))
        undone += chance * ((now != none) & (then == none))
        overturned += chance * ((now != none) & (then != none) & (now != then))
    means = (float(row.mean()) for row in (now == none, decided, undone, overturned))
    return Further(more, *means)


def last_answer(answers: pd.DataFrame | Ratings) -> float | None:
    """Return the share of items whose label would be another without one of their answers.

    Mean over the items with two answers or more, and over which answer is left out; None where
    there is no such item. Raises as `Ratings.of`.
    """
    counts = Ratings.of(answers).counts
    counts = counts[counts.sum(axis=1) > 1]
    if not len(counts):
        return None
    label = majority(counts)
    changed = np.zeros(len(counts))
    for column in range(counts.shape[1]):
        fewer = counts.copy()
        fewer[:, column] -= 1
        # An item without an answer of that label has none of it to leave out: its share is 0.
        changed += counts[:, column] * (majority(fewer) != label)
    return float((changed / counts.sum(axis=1)).mean())


def _after(counts: Ints, shares: Floats, kappa: float, more: int) -> Iterator[tuple[Ints, Floats]]:
    """Yield all counts that so many further answers can make, by item with their probability."""
    if not more:
        yield counts, np.ones(len(counts))
        return
    total = kappa * counts.sum(axis=1) + 1 - kappa
    for column, share in enumerate(shares):
        chance = (kappa * counts[:, column] + (1 - kappa) * share) / total
        following = counts.copy()
        following[:, column] += 1
        for after, rest in _after(following, shares, kappa, more - 1):
            yield after, chance * rest


Metric = Literal["nominal", "ordinal", "interval"]
"""Distance of two labels: none or full; by the answers between; by their values."""

_TINY = 1e-12
"""Rounding: where chance alone would agree throughout, it must not make a number."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient in two steps; NaN where it is not defined.

    Attributes:
        sums: (items, labels) of counts to (items, sums), to be added up over items.
        value: (..., sums), added up, to (...).
    """

    sums: Callable[[Ints], Floats]
    value: Callable[[Floats], Floats]

    def of(self, answers: pd.DataFrame | Ratings) -> float | None:
        """Return the coefficient of a table of answers; raises as `Ratings.of`."""
        value = float(self.value(self.sums(Ratings.of(answers).counts).sum(axis=0)))
        return None if np.isnan(value) else value


def krippendorff_alpha(
    answers: pd.DataFrame | Ratings,
    levels: Mapping[str, float] | None = None,
    metric: Metric = "ordinal",
) -> float | None:
    """Return `alpha`: 1 for full agreement, 0 for agreement by chance. Raise InputError as
    `Ratings.of`, or if a label has no level.

    Args:
        levels: by label its place in an order, such as its severity; labels of one level count as
            the same. Without it, alpha is nominal.
    """
    return _by_metric(alpha, answers, levels, metric)


def gwet_ac(
    answers: pd.DataFrame | Ratings,
    levels: Mapping[str, float] | None = None,
    metric: Metric = "ordinal",
) -> float | None:
    """Return Gwet's AC1, or AC2 of labels with levels; arguments as of `krippendorff_alpha`."""
    return _by_metric(gwet, answers, levels, metric)


def _by_metric(
    coefficient: Callable[[Metric, Floats | None], Coefficient],
    answers: pd.DataFrame | Ratings,
    levels: Mapping[str, float] | None,
    metric: Metric,
) -> float | None:
    ratings = Ratings.of(answers)
    if levels is None:
        return coefficient("nominal", None).of(ratings)
    if missing := [label for label in ratings.labels if label not in levels]:
        raise InputError(f"the label {missing[0][:60]!r} has no level", column="label")
    places = np.array([levels[label] for label in ratings.labels], dtype=np.float64)
    return coefficient(metric, places).of(ratings)


def fleiss_kappa(answers: pd.DataFrame | Ratings) -> float | None:
    """Return Fleiss' kappa, see `fleiss`; items with one answer do not count."""
    return fleiss().of(answers)


def randolph_kappa(answers: pd.DataFrame | Ratings) -> float | None:
    """Return Randolph's free-marginal kappa (2005)."""
    return randolph().of(answers)


def observed_agreement(answers: pd.DataFrame | Ratings) -> float | None:
    """Return the share of pairs of answers to an item that are the same, a mean over items."""
    return observed().of(answers)


def alpha(metric: Metric = "nominal", levels: Floats | None = None) -> Coefficient:
    """Return Krippendorff's alpha (2011, "Computing Krippendorff's Alpha-Reliability").

    Args:
        levels: of each label; without them, ordinal labels are in their order.
    """

    def coincidences(counts: Ints) -> Floats:
        counts = _by_level(counts, levels)
        pairs = counts[:, :, None] * (counts[:, None, :] - np.eye(counts.shape[1]))
        sizes = counts.sum(axis=1)
        shared = np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0)
        return (pairs * shared[:, None, None]).reshape(len(counts), counts.shape[1] ** 2)

    def value(sums: Floats) -> Floats:
        labels = round(sums.shape[-1] ** 0.5)
        table = sums.reshape(*sums.shape[:-1], labels, labels)
        margin = table.sum(axis=-1)
        total = margin.sum(axis=-1)
        if metric == "nominal":
            apart = np.ones_like(margin)[..., None] - np.eye(labels)
        else:
            if metric == "interval":
                values = np.unique(np.asarray(levels))
                # Between 0 and 1, so that rounding is small beside the largest distance.
                places = (values - values.min(initial=0)) / max(float(np.ptp(values)), 1e-300)
            else:
                # The answers that lie between, of all answers (Krippendorff 2011, 3d).
                below = np.cumsum(margin, axis=-1) - margin / 2
                places = below / np.maximum(total[..., None], _TINY)
            apart = np.square(places[..., :, None] - places[..., None, :])
        distance = (table * apart).sum(axis=(-2, -1))
        expected = (margin[..., :, None] * margin[..., None, :] * apart).sum(axis=(-2, -1))
        return _ratio(expected - (total - 1) * distance, expected, total)

    return Coefficient(coincidences, value)


def _by_level(counts: Ints, levels: Floats | None) -> Ints:
    """Return counts by level, lowest first; labels of one level count as the same."""
    if levels is None:
        return counts
    order = np.unique(levels, return_inverse=True)[1]
    merged: Ints = counts @ (order[:, None] == np.unique(order)).astype(np.int64)
    return merged


def fleiss() -> Coefficient:
    """Return Fleiss' kappa (1971); each item counts as much as another.

    Where items have different numbers of answers, the observed agreement and the shares of labels
    are means over items (as in Gwet 2014, chapter 2).
    """
    return _chance_corrected(lambda shares: np.square(shares).sum(axis=-1), singles=False)


def gwet(metric: Metric = "nominal", levels: Floats | None = None) -> Coefficient:
    """Return Gwet's AC1 (2008), or AC2 (2014, chapter 5) with weights of partial agreement.

    Weights (2014, chapter 3) are ordinal, by the labels between, or of the interval metric
    quadratic, by the levels' differences. Shares of labels are over all items, those with one
    answer among them.
    """

    def weights(labels: int) -> Floats:
        if metric == "nominal" or labels < 2:
            return np.eye(labels)
        if metric == "interval":
            values = np.unique(np.asarray(levels))
            apart = np.square(values[:, None] - values)
        else:
            steps = np.abs(np.arange(labels)[:, None] - np.arange(labels))
            apart = steps * (steps + 1) / 2
        partial: Floats = 1 - apart / apart.max()
        return partial

    def chance(shares: Floats) -> Floats:
        labels = shares.shape[-1]
        spread = (shares * (1 - shares)).sum(axis=-1)
        expected: Floats = weights(labels).sum() * spread / max(labels * (labels - 1), 1)
        return expected

    return _chance_corrected(chance, weights, levels)


def randolph() -> Coefficient:
    """Return Randolph's free-marginal kappa (2005): by chance all labels are as likely."""
    return _chance_corrected(
        lambda shares: np.full(shares.shape[:-1], 1 / max(shares.shape[-1], 1))
    )


def observed() -> Coefficient:
    """Return the share of pairs of answers to an item that are the same, a mean over items."""
    return _chance_corrected(lambda shares: np.zeros(shares.shape[:-1]))


def _chance_corrected(
    chance: Callable[[Floats], Floats],
    weights: Callable[[int], Floats] = np.eye,
    levels: Floats | None = None,
    *,
    singles: bool = True,
) -> Coefficient:
    """Return (observed - chance) / (1 - chance), each item counting as much as another.

    Args:
        chance: (..., labels) of shares of labels to the agreement by chance.
        weights: of each two of so many labels, 1 for the same.
        singles: whether items with one answer take part in the shares of labels.
    """

    def sums(counts: Ints) -> Floats:
        counts = _by_level(counts, levels)
        sizes = counts.sum(axis=1)
        shared = sizes > 1
        pairs = (counts * (counts @ weights(counts.shape[1]) - 1)).sum(axis=1)
        same = np.where(shared, pairs / np.maximum(sizes * (sizes - 1), 1), 0)
        counted = sizes > 0 if singles else shared
        shares = np.where(counted[:, None], counts / np.maximum(sizes, 1)[:, None], 0)
        return np.column_stack([same, shared, counted, shares])

    def value(sums: Floats) -> Floats:
        same, shared, counted = sums[..., 0], sums[..., 1], sums[..., 2]
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = chance(sums[..., 3:] / counted[..., None])
            return _ratio(same / shared - expected, 1 - expected, np.ones_like(same))

    return Coefficient(sums, value)


def cohen(tables: Floats) -> Floats:
    """Return Cohen's kappa (1960) of tables of two people's labels: (..., labels, labels)."""
    firsts, seconds = tables.sum(axis=-1), tables.sum(axis=-2)
    total = firsts.sum(axis=-1)
    agree = np.einsum("...ii->...", tables)
    expected = (firsts * seconds).sum(axis=-1)
    # All times the square of the total, so that only the last step divides.
    return _ratio(agree * total - expected, np.square(total) - expected, total)


def _ratio(above: Floats, below: Floats, scale: Floats) -> Floats:
    """Return a quotient, NaN where the lower part is nothing but rounding beside `scale`."""
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Floats = np.where(below > _TINY * np.square(scale), above / below, np.nan)
    return values
