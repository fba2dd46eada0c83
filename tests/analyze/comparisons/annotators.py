"""Annotators, people and models, beside packages. In: answers. Out: comparisons."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd

from memeloc.agreement import beside_others
from memeloc.analyze import Answers, Settings
from memeloc.analyze.answers import demographics
from memeloc.analyze.codebook import Coding, Reason, load_codebook, themes
from memeloc.analyze.models import models
from memeloc.arrays import NO_LABEL
from memeloc.reports.figures import of_analysis, value_of, wide
from tests.agreement.answers import drawn
from tests.analyze.comparisons.comparison import Values, compared, cultures


@compared(
    "Annotators that stand out: expected agreement, z",
    "defined below; charmemes 4.2, E",
    "every answer that a person could have given, counted one by one",
)
def in_anyones_place() -> Values:
    answers = drawn(5, missing=0.2)
    labels = answers.groupby("item")["label"].agg(list)
    ours = beside_others(answers).set_index("participant")
    for person, own in answers.groupby("participant"):
        observed = expected = variance = 0.0
        for row in own.itertuples():
            given = labels[row.item]
            if len(given) < 2:
                continue
            scores = [(given.count(label) - 1) / (len(given) - 1) for label in given]
            expected += statistics.fmean(scores)
            variance += statistics.pvariance(scores)
            observed += scores[given.index(row.label)]
        yield float(ours.loc[person, "z"]), (observed - expected) / math.sqrt(variance)


@compared("Labels of demographic groups", "harmeme 4.3; multi3hate A.6", "pandas `crosstab`")
def groups_of_people() -> Values:
    table = cultures().table
    people = table.groupby("participant")[["culture"]].first()
    people["age"] = ["young" if place % 2 else "old" for place in range(len(people))]
    rows = demographics(Answers.of(table, people=people), Settings(smallest_cell=1))
    both = table.merge(people[["age"]], left_on="participant", right_index=True)
    shares = pd.crosstab([both["culture"], both["age"]], both["label"], normalize="index")
    for (culture, age), own in shares.iterrows():
        for label, share in own.items():
            group = f"age · {culture}"
            yield value_of(rows, "demographics", f"share: {label}", group, age), share


def _with_model() -> Answers:
    answers = cultures()
    random = np.random.default_rng(8)
    given = pd.DataFrame(
        [(item, "", "parrot-1", random.choice(list("abc"))) for item in answers.names],
        columns=["item", "culture", "participant", "label"],
    )
    return Answers.of(answers.table, models=given)


@compared(
    "A model beside cultures: agreement, kappa",
    "multi3hate 5.1",
    "scikit-learn `accuracy_score`, `cohen_kappa_score`",
)
def model_agreement() -> Values:
    from sklearn.metrics import accuracy_score, cohen_kappa_score

    answers = _with_model()
    given = [answers.labels.index(label) for label in answers.models.sort_values("item")["label"]]
    frame = wide(models(answers, Settings()), "models", "kappa", "agreement")
    for row in frame.dropna(subset="kappa").itertuples():
        labels = answers.majority[:, answers.cultures.index(row.item)]
        known = labels != NO_LABEL
        pair = np.array(given)[known], labels[known]
        yield row.agreement, float(accuracy_score(*pair))
        yield row.kappa, float(cohen_kappa_score(*pair))


@compared("A model's pairs of cultures (McNemar)", "McNemar 1947", "statsmodels `mcnemar(exact)`")
def model_pairs() -> Values:
    from statsmodels.stats.contingency_tables import mcnemar

    answers = _with_model()
    given = np.array(
        [answers.labels.index(label) for label in answers.models.sort_values("item")["label"]]
    )
    for row in of_analysis(models(answers, Settings()), "models", "p").itertuples():
        labels = answers.majority[:, [answers.cultures.index(c) for c in row.item.split("–")]]
        known = (labels != NO_LABEL).all(axis=1)
        right = labels[known] == given[known, None]
        table = [[np.sum((right[:, 0] == x) & (right[:, 1] == y)) for y in (True, False)]
                 for x in (True, False)]  # fmt: skip
        yield row.value, float(mcnemar(table, exact=True).pvalue)


@compared("Shares of themes of a codebook", "defined below; multi3hate 4.3", "counted in fractions")
def codebook_shares() -> Values:
    book = load_codebook()
    random = np.random.default_rng(6)
    codes = list(book.theme_of)
    reasons = [Reason(f"m{place}", ("DE", "US"), "anna", "why") for place in range(12)]
    codings = [
        Coding(reason.key, coder, tuple(random.choice(codes, random.integers(1, 4), replace=False)))
        for reason in reasons
        for coder in ("ben", "cem")
    ]
    shares: Counter[str] = Counter()
    for coding in codings:
        for code in coding.codes:
            shares[book.theme_of[code]] += Fraction(1, 2 * len(coding.codes) * len(reasons))
    for row in of_analysis(themes(reasons, codings, book), "codebook", "share").itertuples():
        if not row.item:
            yield row.value, float(shares[row.group])
