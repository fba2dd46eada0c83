"""Intervals over items and people. In: who gave which item which label. Out: values, intervals.

An interval is of what other items and other people, as many as here, would give. Its variance is
that of two-way clusters (Cameron, Gelbach and Miller 2011): over items, plus over people, less over
single answers, which both count. Each part is a jackknife; a person's influence is the sum of those
of the person's answers. The interval is that of a t distribution, with one degree of freedom less
than the smallest number of people of a culture (or items), on a scale without ends: logits of
shares, Fisher's z of coefficients. `python -m bench.coverage` measures how often it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import exp, factorial, lgamma
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from memeloc.arrays import Floats, Ints, majority
from memeloc.statistics.significance import scipy_module

if TYPE_CHECKING:
    import pandas as pd

_CELLS = 8_000_000
"""Counts that are held at a time: 64 MB."""
_MOST_CELLS = 100_000_000
"""Counts of all permutations: ten seconds; 2,000 items, five cultures and labels have them all."""
_FEWEST = 199  # permutations, by which a p-value can still be 0.005
_FEWEST_WAYS = 1_000
"""Permutations that people of the same items need to stay among themselves; else all change."""
_TINY = 1e-9
"""Rounding must not part statistics that are equal."""


class PeopleOfCultures:
    """People who change places between cultures, within their groups.

    `culture` and `group` are of each person; `keep_sizes` says whether every item keeps its number
    of answers of each culture; `smallest_p` is the smallest p-value that there can be.
    """

    def __init__(self, votes: Votes) -> None:
        self.votes = votes
        self.culture = np.zeros(int(votes.person.max(initial=-1)) + 1, np.int64)
        self.culture[votes.person] = votes.culture
        order = np.lexsort([votes.item, votes.person])
        ends = np.cumsum(np.bincount(votes.person))[:-1]
        items = [part.tobytes() for part in np.split(votes.item[order], ends)]
        of_items: Ints = np.unique(np.array(items, dtype=object), return_inverse=True)[1]
        enough = _ways(_sizes(self.culture, of_items)) >= _FEWEST_WAYS
        self.group = of_items if enough else np.zeros_like(of_items)
        sets = np.unique(np.stack([self.group, of_items]), axis=1)
        self.keep_sizes = bool(sets.shape[1] == len(np.unique(self.group)))
        # Cultures of as many people can exchange all theirs, and nothing is another.
        sizes = _sizes(self.culture, self.group)
        alike = np.unique(sizes, axis=1, return_counts=True)[1]
        same = float(np.prod([factorial(int(each)) for each in alike]))
        self.smallest_p = min(1.0, same / _ways(sizes))

    def permuted(self, repetitions: int, random: np.random.Generator) -> Iterator[Ints]:
        """Yield (permutations, items, cultures, labels) of counts, some permutations at a time.

        Of a large study there are fewer, 199 at least: its statistics vary less.
        """
        sparse: Any = import_module("scipy.sparse")
        items, cultures, labels = self.votes.counts.shape
        people = len(self.culture)
        cells = self.votes.item * labels + self.votes.label
        entries = np.ones(len(cells)), (cells, self.votes.person)
        answers = sparse.csr_array(entries, shape=(items * labels, people))
        cells_each = max(items * cultures * labels, people * cultures)
        step = max(1, _CELLS // cells_each)
        repetitions = min(repetitions, max(_FEWEST, _MOST_CELLS // cells_each))
        # Within their groups people stand in their order, then in a random one.
        slots = np.argsort(self.group, kind="stable")
        for start in range(0, repetitions, step):
            number = min(step, repetitions - start)
            places = np.argsort(self.group + random.random((number, people)), axis=1)
            culture = np.empty((number, people), np.int64)
            np.put_along_axis(culture, places, self.culture[slots][None], axis=1)
            chosen = culture[..., None] == np.arange(cultures)
            columns = chosen.transpose(1, 0, 2).reshape(people, -1).astype(float)
            counts = np.rint(answers @ columns).astype(np.int64)
            yield counts.reshape(items, labels, number, cultures).transpose(2, 0, 3, 1)


def p_above(observed: float, drawn: Floats) -> float:
    """Return how probable it is to lie as high, what was observed among what could have been.

    >>> p_above(3.0, np.array([1.0, 2.0, 3.0]))
    0.5
    """
    return float((1 + (drawn >= observed - _TINY).sum()) / (1 + len(drawn)))


def p_beyond(observed: float, drawn: Floats) -> float:
    """Return how probable it is to lie as far out on either side: twice the smaller one."""
    return min(1.0, 2 * min(p_above(observed, drawn), p_above(-observed, -drawn)))


def _sizes(culture: Ints, group: Ints) -> Ints:
    """Return how many people of each group are of each culture."""
    sizes = np.zeros((group.max(initial=0) + 1, culture.max(initial=0) + 1), np.int64)
    np.add.at(sizes, (group, culture), 1)
    return sizes


def _ways(sizes: Ints) -> float:
    """Return how many permutations give people of a group different cultures; at most 1e300."""
    parts = [sum(lgamma(n + 1) for n in numbers) for numbers in (sizes.sum(axis=1), sizes.ravel())]
    logarithm = parts[0] - parts[1]
    return round(exp(logarithm)) if logarithm < 30 else exp(min(logarithm, 690))


Scale = Literal["share", "coefficient"]
METHOD = "two-way jackknife of items and people"


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes as numbers: counts, and places of each vote.

    Counts are (items, cultures, labels). People are numbered over all cultures, and whoever
    answered in two is two.
    """

    counts: Ints
    item: Ints
    culture: Ints
    label: Ints
    person: Ints

    @classmethod
    def of(cls, table: pd.DataFrame, labels: tuple[str, ...]) -> Votes:
        """Return the votes of a table `item, culture, participant, label`; names are sorted.

        Answers with other labels are left out; their items and cultures have a place all the same.
        """
        import pandas as pd

        (item, items), (culture, cultures), (who, people) = (
            pd.factorize(table[name].to_numpy(object), sort=True)
            for name in ("item", "culture", "participant")
        )
        label = pd.Index(list(labels)).get_indexer(pd.Index(table["label"].astype(object)))
        is_labelled = label >= 0
        item, culture, who, label = (array[is_labelled] for array in (item, culture, who, label))
        named = np.unique(culture * len(people) + who, return_inverse=True)[1]
        # Numbered by culture and answers, whatever people are called: ids differ between workspaces
        # and releases, and what is drawn at random must not.
        answer = item * len(labels) + label
        starts = np.searchsorted(np.sort(named), np.arange(named.max(initial=-1) + 1))
        order = np.lexsort([answer, named])
        keys = [part.tobytes() for part in np.split(answer[order], starts[1:])]
        of_people = culture[order][starts]
        ranked = sorted(range(len(starts)), key=lambda place: (of_people[place], keys[place]))
        person = np.argsort(np.array(ranked, np.int64))[named]
        counts = np.zeros((len(items), len(cultures), len(labels)), np.int64)
        np.add.at(counts, (item, culture, label), 1)
        return cls(counts, item, culture, label, person)

    def of_cultures(self, *places: int) -> Votes:
        """Return the votes of some cultures, in that order."""
        chosen = np.isin(self.culture, places)
        new = np.searchsorted(places, self.culture[chosen])
        arrays = (self.item, self.label, self.person)
        item, label, person = (array[chosen] for array in arrays)
        return Votes(self.counts[:, list(places)], item, new, label, person)

    def people(self) -> Ints:
        """Return how many people of each culture voted."""
        culture = np.zeros(int(self.person.max(initial=-1)) + 1, np.int64)
        culture[self.person] = self.culture
        return np.bincount(culture[np.unique(self.person)], minlength=self.counts.shape[1])


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic: values of sums over items; intervals are symmetric on the scale.

    Attributes:
        sums: (rows, cultures, labels) of counts to (rows, sums).
        value: (..., sums), added up over items, to (..., values).
        without: the sums of rows that have lost a vote, given their culture; None where `sums`
            says it. An item of five votes that loses one may be tied, and has not lost its label.
        pairs: whether the statistic is of pairs of votes to an item. A jackknife divides by the
            pairs that are left, so its influence of one of n votes is too large by n / (n - 2).
    """

    sums: Callable[[Ints], Floats]
    value: Callable[[Floats], Floats]
    scale: Scale = "share"
    without: Callable[[Ints, Ints], Floats] | None = None
    pairs: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Values with intervals, NaN where one is not defined, and how each was made or why not."""

    value: Floats
    low: Floats
    high: Floats
    methods: tuple[str, ...]

    def columns(self, name: str) -> dict[str, Sequence[object] | Floats]:
        """Return the columns of a wide frame of figures (`memeloc.reports.figures.tidy`)."""
        return {
            name: self.value,
            f"{name}_low": self.low,
            f"{name}_high": self.high,
            f"{name}_method": list(self.methods),
        }


def stacked(parts: Sequence[Estimates]) -> Estimates:
    """Return the values of several estimates as one, in their order."""
    value, low, high = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("value", "low", "high")
    )
    return Estimates(value, low, high, tuple(each for part in parts for each in part.methods))


def of_labels(
    sums: Callable[[Ints], Floats], value: Callable[[Floats], Floats], scale: Scale = "share"
) -> Statistic:
    """Return a statistic of items' majority labels: (rows, cultures) of places to (rows, sums)."""

    def without(counts: Ints, culture: Ints) -> Floats:
        labels, rows = majority(counts), np.arange(len(counts))
        of_culture = counts[rows, culture]
        best = (of_culture == of_culture.max(axis=1, keepdims=True)) & (of_culture > 0)
        # Each label of a tie by turns; an item without any vote has none, as `labels` has it.
        total: Floats = sums(labels) * ~best.any(axis=1)[:, None]
        for label in range(counts.shape[2]):
            labels[rows, culture] = label
            share = best[:, label] / np.maximum(best.sum(axis=1), 1)
            total = total + share[:, None] * sums(labels)
        return total

    return Statistic(lambda counts: sums(majority(counts)), value, scale, without)


def estimate(votes: Votes, statistic: Statistic, confidence: float) -> Estimates:
    """Return values of a statistic, with intervals over items and people."""
    sums = statistic.sums(votes.counts)
    total = sums.sum(axis=0)
    value = statistic.value(total)
    of_items = value - statistic.value(total - sums)
    # Votes of one culture for one label of an item are alike.
    cells = np.ravel_multi_index((votes.item, votes.culture, votes.label), votes.counts.shape)
    cells, places = np.unique(cells, return_inverse=True)
    item, culture, label = np.unravel_index(cells, votes.counts.shape)
    fewer = votes.counts[item]
    fewer[np.arange(len(item)), culture, label] -= 1
    without = statistic.without or (lambda counts, _: statistic.sums(counts))
    of_cells = value - statistic.value(total - sums[item] + without(fewer, culture))
    if statistic.pairs:
        sizes = votes.counts[item, culture].sum(axis=1)
        of_cells *= (np.maximum(sizes - 2, 0) / sizes)[:, None]
    of_votes = np.nan_to_num(of_cells)[places]
    # The variance that people have beyond that of their single votes; it may be below 0.
    more = np.zeros(len(value))
    for place, people in enumerate(votes.people()):
        of_culture = votes.culture == place
        if of_culture.any():
            apart = of_votes[of_culture] - of_votes[of_culture].mean(axis=0)
            by_person = np.stack(
                [np.bincount(votes.person[of_culture], part) for part in apart.T], axis=1
            )
            more += people / max(people - 1, 1) * np.square(by_person).sum(axis=0)
            more -= np.square(apart).sum(axis=0)
    return interval(value, of_items, more, votes.people(), statistic.scale, confidence)


def interval(
    value: Floats, of_items: Floats, more: Floats, people: Ints, scale: Scale, confidence: float
) -> Estimates:
    """Return the intervals of values.

    Args:
        of_items: (items, values), what they lose without each item; NaN for nothing.
        more: the variance that people add; it is an estimate, and below 0 it is none.
        people: how many there are of each culture.
    """
    items = len(of_items)
    apart = np.nan_to_num(of_items)
    variance = (items - 1) / items * np.square(apart - apart.mean(axis=0)).sum(axis=0)
    error = np.sqrt(variance + np.maximum(more, 0))
    fewest = int(min(people.min(initial=items), items))
    # Of the t distribution; scipy.stats takes longer to load.
    quantile = scipy_module("special").stdtrit(max(fewest - 1, 1), (1 + confidence) / 2)
    reach = error * float(quantile)
    sides = np.array([[-1], [1]])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if scale == "share":
            middle, slope = np.log(value / (1 - value)), 1 / (value * (1 - value))
            low, high = 1 / (1 + np.exp(-(middle + sides * reach * slope)))
        else:
            low, high = np.tanh(np.arctanh(value) + sides * reach / (1 - np.square(value)))
    is_defined = np.isfinite(low) & np.isfinite(high) & (error > 0) & (fewest > 1)
    if fewest > 1:
        reason = "no interval: without any item or person it is the same"
    else:
        what = "person" if people.min(initial=2) < 2 else "item"
        reason = f"no interval: one {what} says nothing of others"
    methods = np.where(is_defined, METHOD, np.where(np.isnan(value), "not defined", reason))
    low, high = np.where(is_defined, (low, high), np.nan)
    return Estimates(value, low, high, tuple(methods.tolist()))
