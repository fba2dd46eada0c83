"""Between cultures, beside packages and examples. In: answers. Out: comparisons."""

from __future__ import annotations

import statistics
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.analyze import Answers, Settings
from memeloc.analyze.answers import NO_LABEL
from memeloc.analyze.cultures.between import agreeing, agreement_between, pairs
from memeloc.analyze.cultures.breakdowns import breakdowns
from memeloc.analyze.cultures.chi_squared import chi_squared, chi_squared_of, residuals_of
from memeloc.analyze.cultures.dividing import entropies_of
from memeloc.analyze.differing import differing_items
from memeloc.reports.figures import value_of
from tests.analyze.comparisons.comparison import Values, compared, cultures


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


@compared(
    "Agreement by category, topic, template",
    "defined below; multi3hate 4.1",
    "the items of each category counted by themselves with pandas",
)
def by_group() -> Values:
    whole = cultures()
    topics = pd.DataFrame({"topic": ["tea", "cats"] * 30}, index=list(whole.names))
    answers = Answers.of(whole.table, items=topics)
    rows = breakdowns(answers, Settings(bootstraps=10))
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
