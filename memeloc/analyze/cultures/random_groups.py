"""Cultures against random groups of annotators (multi3hate 4.2). In: `Answers`. Out: a `Section`.

Would two groups of people picked at random, whatever their culture, differ as much as two cultures
do? For each item two disjoint groups of answers are drawn from the answers of all cultures, and the
share of items on which the groups' majority labels are the same is a value of the distribution
that pairs of cultures are compared with.

Items with the same numbers of answers a label have the same probability that two groups agree on
them (`group_chances`), and items are drawn independently. So a repetition's number of agreements
among them follows a multinomial distribution, and drawing that number is drawing the groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memeloc.analyze.answers import NO_LABEL, Answers
from memeloc.analyze.group_chances import agreement_chances
from memeloc.analyze.settings import Settings
from memeloc.arrays import Floats, Ints
from memeloc.errors import InputError
from memeloc.reports.sections import Histogram, Section, Table
from memeloc.statistics.significance import holm, p_text, scipy_stats, two_sided

_STREAM = 421
"""The number of the generator of the groups, see `Settings.seed`."""
_FEWEST_FOR_NORMALITY = 20
"""The test's approximation of the kurtosis needs as many values (scipy.stats.kurtosistest)."""
_CERTAIN = 1e-12
"""Probabilities below it are rounding."""


@dataclass(frozen=True, eq=False)
class GroupAgreement:
    """How often two random groups agree.

    Attributes:
        size: answers a group.
        drawn: which items have answers enough: (items,) of truth values.
        repetitions: the share of items on which two groups agree, of those on which both have a
            label, 0 to 1; a value a repetition.
        chances: by item drawn the probabilities of `agreement_chances`.
    """

    size: int
    drawn: NDArray[np.bool_] = field(repr=False)
    repetitions: Floats
    chances: Floats

    @cached_property
    def exact(self) -> bool:
        """Whether mean and standard deviation are known exactly: if no group can be tied."""
        return bool((self.chances.sum(axis=1) > 1 - _CERTAIN).all())

    @cached_property
    def mean(self) -> float:
        """The expected agreement; the repetitions' mean if ties leave no exact one."""
        return self.expected()[0] if self.exact else float(self.repetitions.mean())

    @cached_property
    def deviation(self) -> float:
        """The standard deviation; the repetitions' if ties leave no exact one."""
        return self.expected()[1] if self.exact else float(self.repetitions.std(ddof=1))

    def expected(self, items: NDArray[np.bool_] | slice = slice(None)) -> tuple[float, float]:
        """Mean and standard deviation of the agreement over some of the items drawn.

        An item agrees with probability p, so a share over n items has the variance
        sum of p (1 - p) / n^2: exact without ties. With them the share is a ratio of two sums, and
        mean and variance are those of its first-order approximation (the delta method).
        """
        same, apart = self.chances[items].T
        both = float((same + apart).sum())
        if not both > 0:
            return float("nan"), float("nan")
        mean = float(same.sum()) / both
        away = same * (1 - mean) - apart * mean
        variance = same * (1 - mean) ** 2 + apart * mean**2 - away**2
        return mean, sqrt(float(variance.clip(0).sum())) / both

    @property
    def tied(self) -> float:
        """The expected share of items on which a group has no label, for a tie; 0 to 1."""
        return max(0.0, 1 - float(self.chances.sum(axis=1).mean()))

    def z(self, agreement: float) -> float:
        """How many standard deviations an agreement lies above the mean; NaN if there are none."""
        spread = self.deviation
        return (agreement - self.mean) / spread if spread > _CERTAIN else float("nan")

    def normality(self) -> tuple[float, float]:
        """K squared and p of D'Agostino and Pearson's test; NaN where it is not defined."""
        values = self.repetitions
        if len(values) < _FEWEST_FOR_NORMALITY or np.ptp(values) < _CERTAIN:
            return float("nan"), float("nan")
        result = scipy_stats().normaltest(values)
        return float(result.statistic), float(result.pvalue)


def draw_groups(pools: Ints, *, size: int, repetitions: int, seed: int) -> GroupAgreement:
    """Agreement of random groups.

    Args:
        pools: (items, labels): how many answers of all cultures together gave each label.
        size: answers a group; items with fewer than twice as many are not drawn.
        repetitions: how often groups of all items are drawn.

    Raises:
        InputError: no item has answers enough, or a group of that size is not possible.
    """
    drawn = pools.sum(axis=1) >= 2 * size
    if not drawn.any():
        raise InputError(
            f"no item has {2 * size} answers of all cultures together, for two groups of {size}"
        )
    # Labels' names do not matter to agreement: sorted, far fewer pools are different.
    sorted_pools = -np.sort(-pools[drawn], axis=1)
    kinds, places, numbers = np.unique(
        sorted_pools, axis=0, return_inverse=True, return_counts=True
    )
    chances = agreement_chances(kinds, size)
    generator = np.random.default_rng([seed, _STREAM])
    counts = np.zeros((repetitions, 3), dtype=np.int64)
    for (same, apart), number in zip(chances, numbers, strict=True):
        tied = max(0.0, 1 - same - apart)
        outcomes = np.array([same, apart, tied if tied > _CERTAIN else 0.0])
        counts += generator.multinomial(int(number), outcomes / outcomes.sum(), size=repetitions)
    labelled = counts[:, 0] + counts[:, 1]
    shares = counts[labelled > 0, 0] / labelled[labelled > 0]
    if not len(shares):
        raise InputError("no random group has a majority label: all are tied")
    return GroupAgreement(size, drawn, shares, chances[places.reshape(-1)])


def random_groups(answers: Answers, settings: Settings) -> Section:
    """Every pair of cultures, and the mean of all, against random groups of annotators.

    Raises:
        InputError: there is one culture only, or no item has answers enough.
        MissingError: scipy is not installed.
    """
    if len(answers.cultures) < 2:
        raise InputError("random groups are compared with pairs of cultures; there is one only")
    groups = draw_groups(
        answers.votes.sum(axis=1),
        size=settings.group_size,
        repetitions=settings.repetitions,
        seed=settings.seed,
    )
    pairs = _pairs(answers, groups)
    return Section(
        name="random-groups",
        title="Cultures against random groups of annotators",
        tables=(pairs, _summary(pairs, groups)),
        plots=(_plot(pairs, groups),),
        sentences=tuple(_sentences(pairs, groups, settings)),
        figures=_figures(pairs, groups),
        gaps=tuple(_gaps(pairs, groups)),
    )


def _pairs(answers: Answers, groups: GroupAgreement) -> Table:
    majority = answers.majority[groups.drawn]
    rows = []
    for first, second in combinations(range(len(answers.cultures)), 2):
        labels = majority[:, first], majority[:, second]
        both = (labels[0] != NO_LABEL) & (labels[1] != NO_LABEL)
        items = int(both.sum())
        agreement = float((labels[0] == labels[1])[both].mean()) if items else float("nan")
        z = groups.z(agreement)
        expected, spread = groups.expected(both)
        same_items = (agreement - expected) / spread if spread > _CERTAIN else float("nan")
        names = answers.cultures[first], answers.cultures[second]
        rows.append((*names, items, agreement, z, two_sided(z), expected, same_items))
    columns = ["first", "second", "items", "agreement", "z", "p", "expected", "z_same_items"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.insert(6, "p_holm", holm(frame["p"]))
    middle = groups.mean
    away = np.sort(np.abs(groups.repetitions - middle))
    # Rounding must not part values that are equally far.
    distance = (frame["agreement"] - middle).abs() - _CERTAIN
    farther = len(away) - np.searchsorted(away, distance, side="left")
    share = (farther + 1) / (len(away) + 1)
    frame.insert(7, "p_drawn", np.where(frame["agreement"].isna(), np.nan, share))
    method = (
        "Agreement of two cultures is the share of items, labelled in both, with the same majority "
        f"label, here over the {int(groups.drawn.sum()):,} items of which groups were drawn; "
        "z = (agreement - mean) / standard deviation of the random groups "
        f"({_source(groups)}); p is two-sided, of the normal distribution; p_holm is corrected for "
        "the number of pairs (Holm 1979). multi3hate 4.2. Items on which a culture is tied leave a "
        "pair, and people differ most on those; so expected and z_same_items set the pair against "
        "random groups on the pair's own items. With no ties both z are nearly the same."
    )
    meanings = {
        "first": "one culture",
        "second": "the other",
        "items": "items labelled in both of which groups were drawn",
        "agreement": "share of them with the same label, 0 to 1",
        "z": "standard deviations above (below: negative) the mean of random groups",
        "p": "two-sided p-value",
        "p_holm": "the same, corrected for the number of pairs",
        "p_drawn": "share of repetitions at least as far from the mean, the pair counted among "
        "them; it does not assume a normal distribution",
        "expected": "expected agreement of random groups on the pair's items, 0 to 1",
        "z_same_items": "standard deviations above that expectation",
    }
    title = "Pairs of cultures against random groups"
    return Table("random-group-pairs", title, frame, meanings, method)


def _summary(pairs: Table, groups: GroupAgreement) -> Table:
    k2, p = groups.normality()
    overall = _overall(pairs)
    z = groups.z(overall)
    rows = [
        ("items drawn", int(groups.drawn.sum())),
        (f"items with fewer than {2 * groups.size} answers", int((~groups.drawn).sum())),
        ("answers a group", groups.size),
        ("repetitions", len(groups.repetitions)),
        ("mean of the repetitions", float(groups.repetitions.mean())),
        ("standard deviation of the repetitions", _deviation(groups.repetitions)),
        ("exact mean", groups.mean if groups.exact else float("nan")),
        ("exact standard deviation", groups.deviation if groups.exact else float("nan")),
        ("expected share of items with a tied group", groups.tied),
        ("D'Agostino-Pearson K squared", k2),
        ("D'Agostino-Pearson p", p),
        ("mean agreement of all pairs of cultures", overall),
        ("z of that mean", z),
        ("p of that mean", two_sided(z)),
    ]
    method = (
        f"For each item two disjoint groups of {groups.size} answers are drawn without replacement "
        "from the answers of all cultures that take part in the vote; of items with a tied group "
        "the repetition counts none, as pairs of cultures do. Exact figures come from the "
        "multivariate hypergeometric distribution, and exist where no group can be tied. The mean "
        "of all pairs is compared with the distribution of one pair, as in multi3hate 4.2; a mean "
        "of several pairs varies less, so its p is cautious."
    )
    columns = {"figure": "what", "value": "the number; shares 0 to 1"}
    frame = pd.DataFrame(rows, columns=["figure", "value"])
    return Table("random-groups", "Random groups of annotators", frame, columns, method)


def _plot(pairs: Table, groups: GroupAgreement) -> Histogram:
    known = pairs.frame.dropna(subset=["agreement"])
    names = known["first"] + "–" + known["second"]
    marks = dict(zip(names, known["agreement"].tolist(), strict=True))
    overall = _overall(pairs)
    if len(known) > 1:
        marks["mean of all pairs"] = overall
    return Histogram(
        "random-groups",
        "Agreement of random groups, and of cultures",
        groups.repetitions.tolist(),
        "share of items with the same label",
        f"{len(groups.repetitions):,} repetitions of two groups of {groups.size} answers an item",
        marks,
    )


def _sentences(pairs: Table, groups: GroupAgreement, settings: Settings) -> Iterator[str]:
    items, left_out = int(groups.drawn.sum()), int((~groups.drawn).sum())
    yield (
        f"For each of {items:,} items we drew two disjoint groups of {groups.size} answers from "
        f"the answers of all cultures ({left_out:,} items with fewer than {2 * groups.size} "
        f"answers were left out) and compared their majority labels; over "
        f"{settings.repetitions:,} repetitions (seed {settings.seed}) two groups agreed on "
        f"{100 * float(groups.repetitions.mean()):.1f} % of items on average "
        f"(SD {100 * _deviation(groups.repetitions):.1f} points)."
    )
    k2, p = groups.normality()
    if not np.isnan(p):
        verdict = "departs from" if p < 1 - settings.confidence else "is compatible with"
        yield (
            f"Their distribution {verdict} a normal one "
            f"(D'Agostino-Pearson K² = {k2:.2f}, {p_text(p)})."
        )
    frame = pairs.frame.dropna(subset=["z"])
    if frame.empty:
        return
    low = frame[frame["p_holm"].lt(1 - settings.confidence) & frame["z"].lt(0)]
    lowest = frame.iloc[int(frame["agreement"].argmin())]
    yield (
        f"{len(low)} of {len(frame)} pairs of cultures agree significantly less than random groups "
        f"(two-sided, Holm's correction); the lowest, {lowest['first']} and {lowest['second']}, "
        f"agree on {100 * lowest['agreement']:.1f} % of {int(lowest['items']):,} items "
        f"(z = {lowest['z']:.2f}, {p_text(lowest['p_holm'])} corrected)."
    )
    overall = _overall(pairs)
    z = groups.z(overall)
    yield (f"The mean of all pairs is {100 * overall:.1f} % (z = {z:.2f}, {p_text(two_sided(z))}).")


def _figures(pairs: Table, groups: GroupAgreement) -> dict[str, float | int | bool | None]:
    k2, p = groups.normality()
    overall = _overall(pairs)
    z = groups.z(overall)
    figures: dict[str, float | int | bool] = {
        "items": int(groups.drawn.sum()),
        "items_left_out": int((~groups.drawn).sum()),
        "mean": float(groups.repetitions.mean()),
        "deviation": _deviation(groups.repetitions),
        "exact": groups.exact,
        "mean_used": groups.mean,
        "deviation_used": groups.deviation,
        "tied": groups.tied,
        "normality_k2": k2,
        "normality_p": p,
        "mean_of_pairs": overall,
        "mean_of_pairs_z": z,
        "mean_of_pairs_p": two_sided(z),
    }
    return {name: None if np.isnan(value) else value for name, value in figures.items()}


def _gaps(pairs: Table, groups: GroupAgreement) -> Iterator[str]:
    for row in pairs.frame[pairs.frame["items"] == 0].itertuples():
        yield f"{row.first} and {row.second} have no item with a label in both."
    if groups.deviation <= _CERTAIN:
        yield "Random groups always agree as much; no pair of cultures can be compared with them."
    elif np.isnan(groups.normality()[1]):
        yield f"The test of normality needs {_FEWEST_FOR_NORMALITY} repetitions that differ."


def _overall(pairs: Table) -> float:
    """The plain mean over all pairs that have items; NaN if none has."""
    return float(pairs.frame["agreement"].mean())


def _deviation(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


def _source(groups: GroupAgreement) -> str:
    return "exact" if groups.exact else "of the repetitions, for groups may be tied"
