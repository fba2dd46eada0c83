"""Every statistic beside an independent package, a printed example, or counting by brute force.

`tests/analyze/test_comparisons.py` holds them to their tolerance, and
`tools/make_statistics_table.py` writes the table of guides/statistics.md from them.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.agreement import (
    against_rest,
    fleiss_kappa,
    krippendorff_alpha,
    observed_agreement,
    pairwise_kappa,
)
from memeloc.analyze import Answers, Settings
from memeloc.analyze.answers import NO_LABEL
from memeloc.analyze.bootstrap import estimate
from memeloc.analyze.cultures.between import agreeing, agreement_between, pairs
from memeloc.analyze.cultures.chi_squared import chi_squared, chi_squared_of, residuals_of
from memeloc.analyze.cultures.intervals import wilson
from memeloc.analyze.dataset import describe
from memeloc.analyze.dataset.lengths import words_of
from memeloc.analyze.dataset.words import class_words
from memeloc.analyze.differing import differing_items
from memeloc.analyze.group_chances import agreement_chances
from memeloc.analyze.random_groups import draw_groups
from memeloc.analyze.significance import holm, two_sided
from tests.agreement.answers import drawn

Values = Iterable[tuple[float, float]]
"""Ours, and theirs."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Comparison:
    """A statistic, and what it is held against.

    Attributes:
        statistic: what is computed.
        source: the definition: a paper, or the guide itself for what papers leave open.
        peer: the package or example that gives the other value.
        values: computes both.
        tolerance: the largest difference allowed.
    """

    statistic: str
    source: str
    peer: str
    values: Callable[[], Values]
    tolerance: float = ROUNDING

    def difference(self) -> float:
        """The largest difference, where both are not defined 0."""
        values = list(self.values())
        assert values, self.statistic
        return max(
            0.0 if math.isnan(ours) and math.isnan(theirs) else abs(ours - theirs)
            for ours, theirs in values
        )


COMPARISONS: list[Comparison] = []


def compared(
    statistic: str, source: str, peer: str, tolerance: float = ROUNDING
) -> Callable[[Callable[[], Values]], Callable[[], Values]]:
    """Enter a comparison into the list."""

    def enter(values: Callable[[], Values]) -> Callable[[], Values]:
        COMPARISONS.append(Comparison(statistic, source, peer, values, tolerance))
        return values

    return enter


LEVELS = {"a": 0.0, "b": 1.0, "c": 3.0}
SEEDS = range(4)


def cultures(seed: int = 1, items: int = 60) -> Answers:
    """Three cultures of five that answer with three labels, some cells missing."""
    frames = [
        drawn(seed + place, items=items, missing=0.1).assign(culture=culture)
        for place, culture in enumerate(("DE", "IN", "US"))
    ]
    table = pd.concat(frames)
    return Answers.of(table.assign(participant=table["culture"] + table["participant"]))


def _matrix(answers: pd.DataFrame) -> np.ndarray:
    codes = answers.assign(label=answers["label"].map(LEVELS))
    return codes.pivot(index="participant", columns="item", values="label").to_numpy(float)


# Agreement within a culture


@compared("Krippendorff's alpha, nominal", "Krippendorff 2011; multi3hate 4.1", "krippendorff")
def alpha_nominal() -> Values:
    yield from _alphas("nominal")


@compared("Krippendorff's alpha, ordinal", "Krippendorff 2011", "krippendorff")
def alpha_ordinal() -> Values:
    yield from _alphas("ordinal")


@compared("Krippendorff's alpha, interval", "Krippendorff 2011", "krippendorff")
def alpha_interval() -> Values:
    yield from _alphas("interval")


def _alphas(metric: str) -> Values:
    import krippendorff

    for seed in SEEDS:
        answers = drawn(seed, missing=0.2 * seed)
        theirs = krippendorff.alpha(
            reliability_data=_matrix(answers),
            level_of_measurement=metric,
            value_domain=list(LEVELS.values()),
        )
        yield _alpha(answers, metric, LEVELS), float(theirs)


def _alpha(answers: pd.DataFrame, metric: str, levels: dict[str, float]) -> float:
    if metric == "nominal":
        ours = krippendorff_alpha(answers)
    else:
        ours = krippendorff_alpha(answers, levels, metric=metric)
    assert ours is not None
    return ours


@compared(
    "Krippendorff's alpha, all three",
    "Krippendorff 2011",
    "Krippendorff 2011, example C: 0.743, 0.815, 0.849",
    5e-4,
)
def alpha_example() -> Values:
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    table = pd.DataFrame(
        [
            (f"unit {unit:02d}", f"observer {observer}", value)
            for observer, values in enumerate(observers)
            for unit, value in enumerate(values)
            if value != "."
        ],
        columns=["item", "participant", "label"],
    )
    levels = {value: float(value) for value in "12345"}
    for metric, printed in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        yield _alpha(table, metric, levels), printed


@compared("Fleiss' kappa", "Fleiss 1971; charmemes E", "statsmodels `fleiss_kappa`")
def fleiss() -> Values:
    from statsmodels.stats.inter_rater import fleiss_kappa as theirs

    for seed in SEEDS:
        answers = drawn(seed)
        counts = pd.crosstab(answers["item"], answers["label"]).to_numpy()
        yield fleiss_kappa(answers) or 0.0, float(theirs(counts, method="fleiss"))


DIAGNOSES = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
"""Fleiss 1971, Table 1: six psychiatrists' diagnoses of 30 patients, in five categories."""


@compared("Fleiss' kappa", "Fleiss 1971", "Fleiss 1971, Table 1: 0.430", 5e-4)
def fleiss_example() -> Values:
    rows = []
    for patient, counts in enumerate(DIAGNOSES.split()):
        labels = "".join(label * int(count) for label, count in zip("dpsno", counts, strict=True))
        rows += [(f"p{patient:02d}", f"r{place}", label) for place, label in enumerate(labels)]
    table = pd.DataFrame(rows, columns=["item", "participant", "label"])
    yield fleiss_kappa(table) or 0.0, 0.430


@compared(
    "Cohen's kappa of every two annotators",
    "Cohen 1960; harmeme Table 1, araharmeme 3.5",
    "statsmodels `cohens_kappa`, scikit-learn `cohen_kappa_score`",
)
def cohen() -> Values:
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import cohens_kappa

    answers = drawn(7, missing=0.3)
    wide = answers.pivot(index="item", columns="participant", values="label")
    for row in pairwise_kappa(answers).itertuples():
        both = wide[[row.first, row.second]].dropna()
        table = pd.crosstab(*(both[name] for name in both)).reindex(
            index=list("abc"), columns=list("abc"), fill_value=0
        )
        yield row.kappa, float(cohens_kappa(table.to_numpy(), return_results=False))
        yield row.kappa, float(cohen_kappa_score(*(both[name] for name in both)))


@compared("Percent agreement", "defined below", "all pairs counted one by one")
def percent() -> Values:
    for seed in SEEDS:
        answers = drawn(seed, missing=0.3)
        shares = []
        for _, labels in answers.groupby("item")["label"]:
            same = [first == second for first, second in combinations(labels, 2)]
            shares += [sum(same) / len(same)] if same else []
        yield observed_agreement(answers) or 0.0, statistics.fmean(shares)


@compared(
    "Kappa of an annotator against the rest",
    "charmemes 4.2 and E",
    "scikit-learn `cohen_kappa_score`, majorities counted one by one",
)
def rest() -> Values:
    from sklearn.metrics import cohen_kappa_score

    answers = drawn(3, missing=0.2)
    ours = against_rest(answers).set_index("participant")["kappa"]
    for person, own in answers.groupby("participant"):
        given, others = [], []
        for row in own.itertuples():
            same = answers[(answers["item"] == row.item) & (answers["participant"] != person)]
            modes = statistics.multimode(same["label"])
            if len(modes) == 1:
                given.append(row.label)
                others += modes
        yield float(ours[person]), float(cohen_kappa_score(given, others))


# Labels


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

    ours = estimate(votes, share, Settings(bootstraps=20_000), "comparison")
    for label in range(votes.shape[1]):
        theirs = bootstrap(
            (votes[:, label], votes.sum(axis=1)), mean, paired=True, method="percentile",
            n_resamples=20_000, batch=1_000, rng=np.random.default_rng(5), vectorized=True,
        )  # fmt: skip
        yield float(ours.low[label]), float(theirs.confidence_interval.low)
        yield float(ours.high[label]), float(theirs.confidence_interval.high)


# Between cultures


@compared(
    "Agreement and kappa of two cultures",
    "defined below; multi3hate 4.1",
    "scikit-learn `accuracy_score`, `cohen_kappa_score`",
)
def between() -> Values:
    from sklearn.metrics import accuracy_score, cohen_kappa_score

    answers = cultures()
    section = agreement_between(answers, Settings(bootstraps=10))
    frame = section.tables[0].frame.set_index(["first", "second"])
    for first, second in combinations(range(3), 2):
        both = answers.majority[:, [first, second]]
        both = both[(both != NO_LABEL).all(axis=1)]
        row = frame.loc[(answers.cultures[first], answers.cultures[second])]
        yield row["agreement"], accuracy_score(both[:, 0], both[:, 1])
        yield row["kappa"], cohen_kappa_score(both[:, 0], both[:, 1])


@compared("Mean of all pairs (plain)", "defined below", "Python `fmean` of scikit-learn's values")
def mean_of_all() -> Values:
    answers = cultures()
    section = agreement_between(answers, Settings(bootstraps=10))
    theirs = [theirs for place, (_, theirs) in enumerate(between()) if place % 2 == 0]
    yield section.figures["mean"][0], statistics.fmean(theirs)
    yield pairs(answers.majority, answers.cultures, 0.95)["agreement"].mean(), sum(theirs) / 3


@compared("How many cultures agree", "defined below", "Python `Counter`, item by item")
def how_many() -> Values:
    majority = cultures().majority
    most = [max(Counter(row).values()) for row in majority.tolist() if NO_LABEL not in row]
    for row in agreeing(majority, 0.95).itertuples():
        yield row.share, most.count(row.cultures) / len(most)


@compared("Items whose labels differ", "multi3hate 4.3", "pandas `merge` of both cultures' labels")
def differing() -> Values:
    answers = cultures()
    labels = {}
    for culture, own in answers.table.groupby("culture"):
        modes = own.groupby("item")["label"].agg(statistics.multimode)
        labels[culture] = modes[modes.map(len) == 1].map(lambda mode: mode[0])
    both = pd.merge(labels["DE"], labels["US"], left_index=True, right_index=True)
    theirs = set(both.index[both["label_x"] != both["label_y"]])
    yield float(len(theirs ^ set(differing_items(answers, ("DE", "US"))["item"]))), 0.0


TABLES = (np.array([[30, 20], [18, 41]]), np.array([[12, 5, 9], [7, 14, 8], [20, 8, 6]]))


@compared(
    "Chi-squared, degrees of freedom, p",
    "Pearson 1900; multi3hate 4.2",
    "statsmodels `Table.test_nominal_association`",
)
def chi_squared_test() -> Values:
    from statsmodels.stats.contingency_tables import Table

    for table in TABLES:
        ours = chi_squared_of(table, 0.95)
        theirs = Table(table, shift_zeros=False).test_nominal_association()
        yield ours.statistic, float(theirs.statistic)
        yield float(ours.dof), float(theirs.df)
        yield ours.p, float(theirs.pvalue)


@compared("Cramér's V", "Cramér 1946", "pingouin `chi2_independence`")
def cramers_v() -> Values:
    import pingouin

    for table in TABLES:
        cells = [(r, c) for (r, c), count in np.ndenumerate(table) for _ in range(count)]
        frame = pd.DataFrame(cells, columns=["culture", "label"])
        _, _, tests = pingouin.chi2_independence(frame, "culture", "label", correction=False)
        theirs = tests.set_index("test").loc["pearson", "cramer"]
        yield chi_squared_of(table, 0.95).cramers_v, float(theirs)


@compared(
    "Interval of Cramér's V (its coverage in the distribution)",
    "Steiger 2004",
    "the noncentral distribution as a Poisson mixture, written out",
    1e-6,
)
def cramers_v_interval() -> Values:
    from scipy.stats import chi2, poisson

    table = 2 * TABLES[1]
    ours = chi_squared_of(table, 0.95)
    largest = ours.n * (min(table.shape) - 1)
    for bound, share in ((ours.low, 0.975), (ours.high, 0.025)):
        counts = np.arange(400)
        weights = poisson.pmf(counts, largest * bound**2 / 2)
        yield float(weights @ chi2.cdf(ours.statistic, ours.dof + 2 * counts)), share


@compared("Adjusted residuals", "Haberman 1973", "statsmodels `Table.standardized_resids`")
def residuals() -> Values:
    from statsmodels.stats.contingency_tables import Table

    for table in TABLES:
        theirs = np.asarray(Table(table, shift_zeros=False).standardized_resids)
        yield from zip(residuals_of(table)[1].ravel(), theirs.ravel(), strict=True)


@compared("Cochran's Q", "Cochran 1950", "statsmodels `cochrans_q`")
def cochran() -> Values:
    from statsmodels.stats.contingency_tables import cochrans_q

    table = cultures().table.query("label != 'c'")
    answers = Answers.of(table)
    majority = answers.majority[(answers.majority != NO_LABEL).all(axis=1)]
    frame = chi_squared(answers, Settings()).tables[0].frame.set_index("test")
    theirs = cochrans_q(majority)
    row = frame.loc["labels of the same items: Cochran's Q"]
    yield row["statistic"], float(theirs.statistic)
    yield row["p"], float(theirs.pvalue)


# Random groups


@compared(
    "Random groups: probability that two agree",
    "defined below; multi3hate 4.2",
    "all ways to draw two groups, counted one by one in fractions",
)
def group_chances() -> Values:
    for pool, size in (((6, 4), 5), ((5, 3, 2), 3), ((4, 4, 1), 4)):
        answers = [label for label, count in enumerate(pool) for _ in range(count)]
        same = ways = 0
        for first in combinations(range(len(answers)), size):
            left = [place for place in range(len(answers)) if place not in first]
            for second in combinations(left, size):
                modes = [
                    statistics.multimode(answers[place] for place in group)
                    for group in (first, second)
                ]
                same += modes[0] == modes[1] and len(modes[0]) == 1
                ways += 1
        yield float(agreement_chances(np.array([pool]), size)[0, 0]), float(Fraction(same, ways))


@compared(
    "Random groups: mean and deviation of the repetitions",
    "multi3hate 4.2",
    "groups drawn answer by answer (numpy `multivariate_hypergeometric`)",
    0.01,
)
def group_draws() -> Values:
    random = np.random.default_rng(11)
    pools = np.array([(13, 12), (20, 5), (9, 8), (24, 1)] * 15)
    shares = []
    firsts = [random.multivariate_hypergeometric(pool, 5, size=1_500) for pool in pools]
    for pool, first in zip(pools, firsts, strict=True):
        second = np.stack([random.hypergeometric(*(pool - own), 5) for own in first])
        shares.append(first.argmax(axis=1) == (second <= 2))
    literal = np.mean(shares, axis=0)
    ours = draw_groups(pools, size=5, repetitions=20_000, seed=2)
    yield ours.mean, float(literal.mean())
    yield ours.deviation, float(literal.std())


@compared(
    "D'Agostino and Pearson's K squared",
    "D'Agostino, Belanger and D'Agostino 1990; multi3hate 4.2",
    "the formulas of that paper, written out",
    1e-8,
)
def normality() -> Values:
    groups = draw_groups(np.array([(13, 12)] * 80), size=5, repetitions=500, seed=3)
    yield groups.normality()[0], _k_squared(groups.repetitions)


def _k_squared(values: np.ndarray) -> float:
    n = len(values)
    m2, m3, m4 = (float(((values - values.mean()) ** power).mean()) for power in (2, 3, 4))
    y = m3 / m2**1.5 * math.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)
    beta /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
    w2 = math.sqrt(2 * (beta - 1)) - 1
    delta, scale = 1 / math.sqrt(0.5 * math.log(w2)), math.sqrt(2 / (w2 - 1))
    skewness = delta * math.asinh(y / scale)
    expected = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (m4 / m2**2 - expected) / math.sqrt(variance)
    third = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    third *= math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / third * (2 / third + math.sqrt(1 + 4 / third**2))
    cube = (1 - 2 / a) / (1 + x * math.sqrt(2 / (a - 4)))
    kurtosis = (1 - 2 / (9 * a) - math.copysign(abs(cube) ** (1 / 3), cube)) / math.sqrt(
        2 / (9 * a)
    )
    return skewness**2 + kurtosis**2


@compared("Two-sided p of a z", "multi3hate 4.2", "scipy `norm.sf`")
def p_of_z() -> Values:
    from scipy.stats import norm

    yield from ((two_sided(z), float(2 * norm.sf(abs(z)))) for z in (-3.2, -0.4, 0.0, 1.96, 6.0))


@compared("Holm's correction", "Holm 1979", "statsmodels `multipletests`")
def holm_correction() -> Values:
    from statsmodels.stats.multitest import multipletests

    values = np.random.default_rng(1).random(40) ** 3
    yield from zip(holm(values), multipletests(values, method="holm")[1], strict=True)


# The dataset

TEXTS = pd.DataFrame(
    {
        "text": ["the cat naps", "the cat", "the tea", "the hot tea tea", "hot cat", "tea at noon"],
        "label": ["cats", "cats", "tea", "tea", "cats", "tea"],
        "language": ["en"] * 6,
        "meme": list("abcdef"),
    }
)


@compared("tf-idf of words that tell a class", "harmeme 4.4; charmemes A", "its formula, by hand")
def tf_idf() -> Values:
    texts = [words_of(text, "en") for text in TEXTS["text"]]
    counts = Counter(word for text in texts for word in set(text))
    vectors = []
    for text in texts:
        weights = {
            word: text.count(word) * (math.log(7 / (1 + counts[word])) + 1)
            for word in set(text)
            if counts[word] > 1
        }
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        vectors.append({word: weight / length for word, weight in weights.items()})
    for label, word, score, other, _ in class_words(TEXTS["text"], TEXTS["label"], "en"):
        for value, own in ((score, True), (other, False)):
            chosen = [v for v, name in zip(vectors, TEXTS["label"], strict=True)
                      if (name == label) == own]  # fmt: skip
            yield value, statistics.fmean(vector.get(word, 0.0) for vector in chosen)


@compared(
    "Lengths of captions: mean, deviation, median",
    "harmeme 4.4; charmemes A",
    "Python `fmean`, `stdev`, `median`",
)
def lengths() -> Values:
    table = next(t for t in describe(TEXTS).tables if t.name == "caption-lengths").frame
    for row in table.to_dict("records"):
        is_own = (TEXTS["label"] == row["class"]) | (row["class"] == "all")
        counts = [len(text.split()) for text in TEXTS["text"][is_own]]
        yield row["words mean"], statistics.fmean(counts)
        yield row["words sd"], statistics.stdev(counts)
        yield row["words median"], statistics.median(counts)


def all_differences() -> Iterator[tuple[Comparison, float]]:
    """Each comparison with its largest difference."""
    for comparison in COMPARISONS:
        yield comparison, comparison.difference()
