"""Labels, and intervals, beside packages and examples. In: answers. Out: comparisons."""

from __future__ import annotations

import statistics

import numpy as np

from memeloc.arrays import NO_LABEL
from memeloc.evaluate.scores import ScoreSettings
from memeloc.statistics.bootstrap import estimate
from memeloc.statistics.significance import wilson
from tests.analyze.comparisons.comparison import Values, compared, cultures


@compared(
    "Majority labels, ties without one", "defined below; multi3hate 3.3", "Python `multimode`"
)
def majority() -> Values:
    answers = cultures()
    for (item, culture), own in answers.table.groupby(["item", "culture"]):
        modes = statistics.multimode(own["label"])
        theirs = answers.labels.index(modes[0]) if len(modes) == 1 else NO_LABEL
        where = answers.names.index(item), answers.cultures.index(culture)
        yield float(answers.majority[where]), float(theirs)


@compared(
    "Interval of a share (Wilson)", "Wilson 1927", 'statsmodels `proportion_confint("wilson")`'
)
def wilson_interval() -> Values:
    from statsmodels.stats.proportion import proportion_confint

    for count, total in ((0, 12), (5, 12), (12, 12), (131, 300)):
        for confidence in (0.9, 0.95):
            ours = wilson(count, total, confidence)
            theirs = proportion_confint(count, total, 1 - confidence, "wilson")
            yield from ((float(o), float(t)) for o, t in zip(ours, theirs, strict=True))


@compared(
    "Bootstrap interval over items (ends)",
    "Efron and Tibshirani 1993",
    'scipy `bootstrap(method="percentile")`, other random numbers',
    0.005,
)
def bootstrap_interval() -> Values:
    from scipy.stats import bootstrap

    votes = cultures(items=120).votes[:, 0]

    def share(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        sums = weights @ rows
        return sums / sums.sum(axis=1, keepdims=True)

    def mean(first: np.ndarray, total: np.ndarray, axis: int = -1) -> np.ndarray:
        return first.sum(axis=axis) / total.sum(axis=axis)

    ours = estimate(votes, share, ScoreSettings(bootstraps=20_000), "comparison")
    for label in range(votes.shape[1]):
        theirs = bootstrap(
            (votes[:, label], votes.sum(axis=1)), mean, paired=True, method="percentile",
            n_resamples=20_000, batch=1_000, rng=np.random.default_rng(5), vectorized=True,
        )  # fmt: skip
        yield float(ours.low[label]), float(theirs.confidence_interval.low)
        yield float(ours.high[label]), float(theirs.confidence_interval.high)
