"""Between cultures, beside packages and examples. In: answers. Out: comparisons."""

from __future__ import annotations

import statistics
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.analyze import Answers, Settings
from memeloc.analyze.cultures.between import agreement_between
from memeloc.analyze.cultures.breakdowns import breakdowns
from memeloc.analyze.cultures.chi_squared import chi_squared, pearson_test, residuals_of
from memeloc.analyze.cultures.dividing import entropies_of
from memeloc.analyze.differing import differing_items
from memeloc.arrays import NO_LABEL
from memeloc.reports.figures import value_of, wide
from tests.analyze.comparisons.comparison import Values, compared, cultures


@compared(
    "Agreement and kappa of two cultures",
    "defined below; multi3hate 4.1",
    "scikit-learn `accuracy_score`, `cohen_kappa_score`",
)
def between() -> Values:
    from sklearn.metrics import accuracy_score, cohen_kappa_score

    answers = cultures()
    rows = agreement_between(answers, Settings())
    for first, second in combinations(range(3), 2):
        both = answers.majority[:, [first, second]]
        both = both[(both != NO_LABEL).all(axis=1)]
        pair = f"{answers.cultures[first]}–{answers.cultures[second]}"
        for name, theirs in (("agreement", accuracy_score), ("kappa", cohen_kappa_score)):
            yield value_of(rows, "agreement-between", name, pair), theirs(both[:, 0], both[:, 1])


@compared("Mean of all pairs (plain)", "defined below", "Python `fmean` of scikit-learn's values")
def mean_of_all() -> Values:
    rows = agreement_between(cultures(), Settings())
    theirs = [theirs for place, (_, theirs) in enumerate(between()) if place % 2 == 0]
    yield (
        value_of(rows, "agreement-between", "agreement", "all pairs"),
        statistics.fmean(theirs),
    )


@compared("How many cultures agree", "defined below", "Python `Counter`, item by item")
def how_many() -> Values:
    answers = cultures()
    most = [max(Counter(row).values()) for row in answers.majority.tolist() if NO_LABEL not in row]
    for row in wide(agreement_between(answers, Settings()), "cultures-agree").itertuples():
        yield row.share, most.count(int(row.item[0])) / len(most)


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


@compared(
    "Agreement by category, topic, template",
    "defined below; multi3hate 4.1",
    "the items of each category counted by themselves with pandas",
)
def by_group() -> Values:
    whole = cultures()
    topics = pd.DataFrame({"topic": ["tea", "cats"] * 30}, index=list(whole.names))
    answers = Answers.of(whole.table, items=topics)
    rows = breakdowns(answers, Settings(permutations=19))
    for topic in ("tea", "cats"):
        own = np.array([topics["topic"][name] == topic for name in answers.names])
        labels = pd.DataFrame(answers.majority[own]).replace(NO_LABEL, np.nan)
        for first, second in combinations(range(3), 2):
            both = labels[[first, second]].dropna()
            group = f"topic: {topic} · {answers.cultures[first]}–{answers.cultures[second]}"
            ours = value_of(rows, "breakdowns", "agreement", group)
            yield ours, float((both[first] == both[second]).mean())


@compared("Entropy of an item's labels", "Shannon 1948", "scipy `entropy(base=2)`")
def entropy() -> Values:
    from scipy.stats import entropy as theirs

    votes = cultures().votes
    pooled, within, _ = entropies_of(votes)
    for item, counts in enumerate(votes):
        shares = [own / own.sum() for own in counts if own.sum()]
        yield float(pooled[item]), float(theirs(np.mean(shares, axis=0), base=2))
        yield float(within[item]), statistics.fmean(float(theirs(own, base=2)) for own in shares)


@compared(
    "Divergence of cultures on an item (Jensen-Shannon)",
    "Lin 1991",
    "scipy `jensenshannon(base=2)`, squared",
)
def divergence() -> Values:
    from scipy.spatial.distance import jensenshannon

    votes = cultures().votes[:, :2]
    votes = votes[(votes.sum(axis=2) > 0).all(axis=1)]
    for ours, counts in zip(entropies_of(votes)[2], votes, strict=True):
        yield float(ours), float(jensenshannon(*(own / own.sum() for own in counts), base=2)) ** 2


TABLES = (np.array([[30, 20], [18, 41]]), np.array([[12, 5, 9], [7, 14, 8], [20, 8, 6]]))


@compared(
    "Chi-squared, degrees of freedom, p",
    "Pearson 1900; multi3hate 4.2",
    "statsmodels `Table.test_nominal_association`",
)
def chi_squared_test() -> Values:
    from statsmodels.stats.contingency_tables import Table

    for table in TABLES:
        ours = pearson_test(table, 0.95)
        theirs = Table(table, shift_zeros=False).test_nominal_association()
        yield ours["statistic"], float(theirs.statistic)
        yield float(ours["dof"]), float(theirs.df)
        yield ours["p"], float(theirs.pvalue)


@compared("Cramér's V", "Cramér 1946", "pingouin `chi2_independence`")
def cramers_v() -> Values:
    import pingouin

    for table in TABLES:
        cells = [(r, c) for (r, c), count in np.ndenumerate(table) for _ in range(count)]
        frame = pd.DataFrame(cells, columns=["culture", "label"])
        _, _, tests = pingouin.chi2_independence(frame, "culture", "label", correction=False)
        theirs = tests.set_index("test").loc["pearson", "cramer"]
        yield pearson_test(table, 0.95)["cramers_v"], float(theirs)


@compared(
    "Interval of Cramér's V (its coverage in the distribution)",
    "Steiger 2004",
    "the noncentral distribution as a Poisson mixture, written out",
    1e-6,
)
def cramers_v_interval() -> Values:
    from scipy.stats import chi2, poisson

    table = 2 * TABLES[1]
    ours = pearson_test(table, 0.95)
    largest = ours["n"] * (min(table.shape) - 1)
    for bound, share in ((ours["cramers_v_low"], 0.975), (ours["cramers_v_high"], 0.025)):
        counts = np.arange(400)
        weights = poisson.pmf(counts, largest * bound**2 / 2)
        yield float(weights @ chi2.cdf(ours["statistic"], ours["dof"] + 2 * counts)), share


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
    rows = chi_squared(answers, Settings(permutations=19))
    theirs = cochrans_q(majority)
    for name, value in (("statistic", theirs.statistic), ("p", theirs.pvalue)):
        yield value_of(rows, "chi-squared", name, "labels of the same items"), float(value)
