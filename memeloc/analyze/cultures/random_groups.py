"""Cultures against random groups of annotators (multi3hate 4.2). In: `Answers`. Out: rows.

Would two groups of people picked at random, whatever their culture, differ as much as two cultures
do? Two questions, for two things that may be drawn:

- answers: at each item two groups of as many answers as the two cultures have there, drawn without
  replacement from the answers of all cultures. The chance that both have the same label is known
  (`group_chances`), and items are drawn apart, so the number of items on which they agree follows
  a Poisson binomial distribution. Items on which a culture is tied leave the pair, and the groups.
- people, with all their answers (`memeloc.statistics.two_way`): a person who sees hate
  everywhere moves the labels of many items at once, and drawing answers does not see that.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pandas as pd

from memeloc.analyze.answers import Answers, Settings
from memeloc.analyze.cultures.between import of_each_pair
from memeloc.analyze.cultures.chi_squared import too_few
from memeloc.arrays import NO_LABEL, Floats, Ints, majority
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, gap, joined, tidy
from memeloc.statistics.bootstrap import generator
from memeloc.statistics.significance import holm, scipy_module, scipy_stats, two_sided
from memeloc.statistics.two_way import PeopleOfCultures, Votes, p_beyond

_MOST_WAYS = 4_000_000
"""Pairs of groups that are counted one by one: two labels and groups of 2,000, five and eleven."""
_DRAWS = 20_000
"""Drawn where there are more: an item's chance is off by 0.0035 at most, and items even it out."""


def agreement_chances(pools: Ints, first: Ints | int, second: Ints | int) -> Floats:
    """Return how probably two random groups have the same label, or two different ones.

    What is missing to 1 is that a group has none, for a tie. Raise InputError if a pool is too
    small, or a group is empty.

    Args:
        pools: (items, labels): how many answers gave each label; enough for both groups.
        first, second: answers of the groups, 1 or more; of all items, or of each.

    Returns:
        (items, 2).
    """
    sizes = np.sort(np.column_stack(np.broadcast_arrays(first, second, pools[:, 0])[:2]), axis=1)
    for (few, many), answers in zip(sizes.tolist(), pools.sum(axis=1), strict=True):
        if few < 1:
            raise InputError(f"a random group has 1 answer or more, not {few}")
        if answers < few + many:
            raise InputError(f"groups of {few} and {many} answers need {few + many} an item")
    # Labels' order does not matter, nor do labels that nobody gave.
    rows = (tuple(sorted((n for n in pool if n), reverse=True)) for pool in pools.tolist())
    chances = [
        chances_of(row, *pair_sizes) for row, pair_sizes in zip(rows, sizes.tolist(), strict=True)
    ]
    return np.array(chances).reshape(-1, 2)


@lru_cache(maxsize=1 << 18)  # items and pairs of cultures with the same counts are many
def chances_of(pool: tuple[int, ...], first: int, second: int) -> tuple[float, float]:
    """Return the chances of one pool, see `agreement_chances`."""
    ways = [comb(size + len(pool) - 1, len(pool) - 1) for size in (first, second)]
    if ways[0] * ways[1] > _MOST_WAYS:
        return _drawn(pool, first, second)
    gammaln = scipy_module("special").gammaln
    groups = [_groups(pool, size) for size in (first, second)]
    winners = [majority(group) for group in groups]
    one, other = (group[won != NO_LABEL] for group, won in zip(groups, winners, strict=True))
    logarithms = np.zeros((len(one), len(other)))
    for label, count in enumerate(pool):
        # Ways to give so many of a label's answers to either group: c! / (a! b! (c - a - b)!).
        a, b = np.arange(first + 1)[:, None], np.arange(second + 1)
        rest = count - a - b
        table = gammaln(count + 1) - gammaln(a + 1) - gammaln(b + 1) - gammaln(rest + 1)
        table = np.where(rest >= 0, table, -np.inf)
        logarithms += table[one[:, label][:, None], other[:, label]]
    total = sum(pool)
    whole = gammaln(total + 1) - gammaln(first + 1) - gammaln(second + 1)
    whole -= gammaln(total - first - second + 1)
    chances = np.exp(logarithms - whole)
    labels = (won[won != NO_LABEL] for won in winners)
    same = np.equal.outer(*labels)
    return min(1.0, float(chances[same].sum())), min(1.0, float(chances[~same].sum()))


def _groups(pool: tuple[int, ...], size: int) -> Ints:
    """Return all counts of labels that a group can have: (groups, labels)."""
    groups = np.zeros((1, 0), np.int64)
    for count in pool:
        more = np.arange(min(count, size) + 1)
        groups = np.column_stack([np.repeat(groups, len(more), axis=0), np.tile(more, len(groups))])
        groups = groups[groups.sum(axis=1) <= size]
    whole: Ints = groups[groups.sum(axis=1) == size]
    return whole


def _drawn(pool: tuple[int, ...], first: int, second: int) -> tuple[float, float]:
    random = np.random.default_rng([first, second, *pool])
    left = np.tile(np.array(pool), (_DRAWS, 1))
    winners = []
    for size in (first, second):
        group, missing = np.zeros_like(left), np.full(_DRAWS, size)
        for label in range(len(pool)):
            others = left[:, label + 1 :].sum(axis=1)
            group[:, label] = random.hypergeometric(left[:, label], others, missing)
            missing = missing - group[:, label]
        left = left - group
        winners.append(majority(group))
    both = (winners[0] != NO_LABEL) & (winners[1] != NO_LABEL)
    same = both & (winners[0] == winners[1])
    return float(same.mean()), float((both & ~same).mean())


NAME = "random-groups"
MULTI3HATE = "multi3hate-groups"
_STREAM = 421
"""The number of the generator of the repetitions, see `Settings.seed`."""
_FEWEST_FOR_NORMALITY = 20
"""The test's approximation of the kurtosis needs as many values (scipy.stats.kurtosistest)."""
_CERTAIN = 1e-12
"""Probabilities below it are rounding."""
_COMPARED = ("agreement", "expected", "expected_low", "expected_high", "z", "p", "n")
_METHODS = {
    "p_people": "permutation of people",
    "p_people_holm": "permutation of people; Holm 1979",
    "agreement": "multi3hate 4.2",
    "expected": "random groups of answers, hypergeometric; the range of most of them",
    "z": "random groups of answers",
    "p": "random groups of answers, Poisson binomial",
    "p_holm": "random groups of answers; Holm 1979",
}


def random_groups(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return every pair of cultures beside random groups of people, and of answers. Raise
    InputError if there is one culture only, or no two have labelled a common item; MissingError if
    scipy is not installed."""
    if len(answers.cultures) < 2:
        raise InputError("random groups are compared with pairs of cultures; there is one only")
    votes = Votes.of(answers.table, answers.labels)
    people = PeopleOfCultures(votes)
    frame = compared(votes.counts, settings.confidence)
    frame["group"] = [BETWEEN.join(pair) for pair in combinations(answers.cultures, 2)]
    if not frame["n"].any():
        raise InputError("no two cultures have labelled a common item")
    gaps = [
        f"{group.replace(BETWEEN, ' and ')} have no item with a label in both."
        for group in frame.loc[frame["n"] == 0, "group"]
    ]
    if frame["z"].isna().all():
        gaps.append("Random groups always agree as much; no pair of cultures can be compared.")
    if people.keep_sizes:
        frame["p_people"] = by_people(people, frame["agreement"].to_numpy(), settings)
        frame["p_people_holm"] = holm(frame["p_people"])
        gaps += too_few(people, settings.confidence)
    else:
        gaps.append(
            "Whole people could not change places between cultures: items were shared out among "
            "them in such a way that a culture's answers at an item would become more or fewer."
        )
    columns = ["group", *_METHODS, "expected_low", "expected_high", "n"]
    return joined(
        [
            tidy(NAME, frame[[name for name in columns if name in frame]], _METHODS),
            multi3hate(votes, frame[["group", "agreement"]], settings),
            *(gap(NAME, reason) for reason in gaps),
        ]
    )


def compared(counts: Ints, confidence: float) -> pd.DataFrame:
    """Return each pair of cultures beside random groups of answers on the pair's own items.

    `expected_low` and `expected_high` are the range of most random groups.

    Args:
        counts: (items, cultures, labels).
    """
    sizes, pools = counts.sum(axis=2), counts.sum(axis=1)
    labelled, agreeing = of_each_pair(majority(counts))
    rows = []
    for place, pair in enumerate(combinations(range(counts.shape[1]), 2)):
        both = labelled[:, place]
        same, apart = agreement_chances(pools[both], *sizes[both][:, pair].T).T
        agree = int(agreeing[:, place].sum())
        rows.append(_beside(agree, same / (same + apart), confidence))
    frame = pd.DataFrame(rows, columns=list(_COMPARED))
    return frame.assign(p_holm=holm(frame["p"]))


def _beside(agree: int, chances: Floats, confidence: float) -> dict[str, float]:
    """Return how an agreement lies in the distribution of items that agree with such chances."""
    n = len(chances)
    if not n:
        return {"n": 0}
    spread = sqrt(float((chances * (1 - chances)).sum()))
    # Poisson binomial, by its characteristic function (Fernandez and Williams 2010).
    values, times = np.unique(chances, return_counts=True)
    turns = np.exp(-2j * np.pi * np.arange((n + 1) // 2 + 1) / (n + 1)) - 1
    spectrum = np.ones_like(turns)
    for chance, number in zip(values, times, strict=True):
        spectrum *= (1 + chance * turns) ** number
    distribution = np.fft.irfft(spectrum, n + 1).clip(0)
    below = np.cumsum(distribution)
    above = np.cumsum(distribution[::-1])[::-1]
    tail = (1 - confidence) / 2
    certain = spread < _CERTAIN
    return {
        "agreement": agree / n,
        "expected": float(chances.mean()),
        "expected_low": int(np.searchsorted(below, tail)) / n,
        "expected_high": min(int(np.searchsorted(below, 1 - tail)), n) / n,
        "z": np.nan if certain else (agree - float(chances.sum())) / spread,
        "p": np.nan if certain else min(1.0, 2 * min(below[agree], above[agree])),
        "n": n,
    }


def by_people(people: PeopleOfCultures, agreements: Floats, settings: Settings) -> list[float]:
    """Return p of the agreement of each two cultures among those of random groups of people."""
    random = generator(settings, "people of pairs")
    drawn = []
    for counts in people.permuted(settings.permutations, random):
        both, same = (each.sum(axis=1) for each in of_each_pair(majority(counts)))
        drawn.append(np.where(both > 0, same / np.maximum(both, 1), np.nan))
    return [
        np.nan if np.isnan(agreement) else p_beyond(float(agreement), draws[~np.isnan(draws)])
        for agreement, draws in zip(agreements, np.concatenate(drawn).T, strict=True)
    ]


def multi3hate(votes: Votes, pairs: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Return the paper's comparison, of two groups of five of all answers, over and over.

    Of items on which every culture has five votes; where groups of five stand for cultures that
    have more or fewer, cultures without any difference are found to differ. `pairs` have `group`
    and `agreement`.
    """
    size = settings.group_size
    five = (votes.counts.sum(axis=2) == size).all(axis=1)
    if not five.any():
        return gap(MULTI3HATE, f"Groups of {size} answers need {size} votes of every culture.")
    drawn, shares = repeated_groups(votes.counts[five].sum(axis=1), size, settings)
    overall = float(pairs["agreement"].mean())
    deviation = drawn["deviation_used"]
    z = (overall - drawn["mean_used"]) / deviation if deviation > _CERTAIN else np.nan
    row = {
        "n": five.sum(),
        "items_left_out": (~five).sum(),
        "repetitions": settings.repetitions,
        **drawn,
        "mean_of_pairs": overall,
        "mean_of_pairs_z": z,
        "mean_of_pairs_p": two_sided(z),
    }
    values, times = np.unique(shares, return_counts=True)
    distribution = pd.DataFrame({"item": values, "times": times})
    method = f"multi3hate 4.2: groups of {size} of all answers"
    return joined(
        tidy(MULTI3HATE, frame, method) for frame in (pd.DataFrame([row]), pairs, distribution)
    )


def repeated_groups(pools: Ints, size: int, settings: Settings) -> tuple[dict[str, float], Floats]:
    """Return how far two random groups agree, drawn for all items over and over, and each share.

    Items with the same counts have the same chances, so a repetition's number of agreements among
    them follows a multinomial distribution, and drawing that number is drawing the groups.
    `mean_used` and `deviation_used` are exact where no group can be tied, else of the repetitions.
    """
    kinds, numbers = np.unique(-np.sort(-pools, axis=1), axis=0, return_counts=True)
    chances = agreement_chances(kinds, size, size)
    random = np.random.default_rng([settings.seed, _STREAM])
    counts = np.zeros((settings.repetitions, 3), dtype=np.int64)
    for (same, apart), number in zip(chances, numbers, strict=True):
        tied = max(0.0, 1 - same - apart)
        outcomes = np.array([same, apart, tied if tied > _CERTAIN else 0.0])
        counts += random.multinomial(int(number), outcomes / outcomes.sum(), size=len(counts))
    labelled = counts[:, 0] + counts[:, 1]
    shares = counts[labelled > 0, 0] / labelled[labelled > 0]
    if not len(shares):
        raise InputError("no random group has a majority label: all are tied")
    items = numbers.sum()
    exact = bool((chances.sum(axis=1) > 1 - _CERTAIN).all())
    mean = float(shares.mean())
    deviation = float(shares.std(ddof=1)) if len(shares) > 1 else np.nan
    variance = float(numbers @ (chances[:, 0] * (1 - chances[:, 0])))
    k_squared, p = normality(shares)
    return {
        "mean": mean,
        "deviation": deviation,
        "exact": exact,
        "mean_used": float(numbers @ chances[:, 0]) / items if exact else mean,
        "deviation_used": sqrt(max(variance, 0)) / items if exact else deviation,
        "tied": max(0.0, 1 - float(numbers @ chances.sum(axis=1)) / items),
        "normality_k2": k_squared,
        "normality_p": p,
    }, shares


def normality(values: Floats) -> tuple[float, float]:
    """Return K squared and p of D'Agostino and Pearson's test; NaN where it is not defined."""
    if len(values) < _FEWEST_FOR_NORMALITY or np.ptp(values) < _CERTAIN:
        return np.nan, np.nan
    result = scipy_stats().normaltest(values)
    return float(result.statistic), float(result.pvalue)
