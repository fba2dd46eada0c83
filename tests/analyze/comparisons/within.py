"""Agreement within a culture, beside packages and examples. In: answers. Out: comparisons."""

from __future__ import annotations

import statistics
from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.agreement import (
    against_rest,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    observed_agreement,
    pairwise_kappa,
    randolph_kappa,
)
from tests.agreement.answers import drawn
from tests.analyze.comparisons.comparison import LEVELS, SEEDS, Values, compared


def _matrix(answers: pd.DataFrame) -> np.ndarray:
    codes = answers.assign(label=answers["label"].map(LEVELS))
    return codes.pivot(index="participant", columns="item", values="label").to_numpy(float)


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
    levels = {value: float(value) for value in "12345"}
    for metric, printed in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        yield _alpha(_four_observers(), metric, levels), printed


def _four_observers() -> pd.DataFrame:
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    return pd.DataFrame(
        [
            (f"unit {unit:02d}", f"observer {observer}", value)
            for observer, values in enumerate(observers)
            for unit, value in enumerate(values)
            if value != "."
        ],
        columns=["item", "participant", "label"],
    )


@compared(
    "Gwet's AC1, and AC2 with ordinal and quadratic weights",
    "Gwet 2008; Gwet 2014",
    "irrCAC, the same four observers: 0.77544, 0.89894, 0.91400",
    5e-6,
)
def gwet_example() -> Values:
    levels = {value: float(value) for value in "12345"}
    yield gwet_ac(_four_observers()) or 0.0, 0.77544
    for metric, printed in (("ordinal", 0.89894), ("interval", 0.91400)):
        yield gwet_ac(_four_observers(), levels=levels, metric=metric) or 0.0, printed


@compared(
    "Randolph's kappa",
    "Randolph 2005",
    'statsmodels `fleiss_kappa("randolph")`; irrCAC, four observers: 0.77273',
    5e-6,
)
def randolph_example() -> Values:
    from statsmodels.stats.inter_rater import fleiss_kappa as theirs

    yield randolph_kappa(_four_observers()) or 0.0, 0.77273
    for seed in SEEDS:
        answers = drawn(seed)
        counts = pd.crosstab(answers["item"], answers["label"]).to_numpy()
        yield randolph_kappa(answers) or 0.0, float(theirs(counts, method="randolph"))


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
