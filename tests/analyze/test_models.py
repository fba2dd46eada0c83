"""Models beside cultures, compared with statsmodels, scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from memeloc.analyze import Answers, Settings
from memeloc.analyze.models import NOT_A_LABEL, models
from memeloc.reports.figures import value_of, wide
from tests.analyze.simulated import simulated


def _answers(given: dict[tuple[str, str], dict[str, str]], seed: int = 1) -> Answers:
    rows = [
        (item, asked, model, label)
        for (model, asked), labels in given.items()
        for item, label in labels.items()
    ]
    table = pd.DataFrame(rows, columns=["item", "culture", "participant", "label"])
    return Answers.of(simulated(seed, items=80, cultures="ABC"), models=table)


def _guesses(seed: int, items: int = 80) -> dict[str, str]:
    random = np.random.default_rng(seed)
    return {f"m{item:03d}": str(random.choice(["funny", "not"])) for item in range(items)}


def test_agreement_interval_and_kappa_are_the_packages() -> None:
    guesses = _guesses(3)
    answers = _answers({("cat-9b", ""): guesses})
    frame = wide(models(answers, Settings()), "models").set_index(["group", "item"])
    majority = pd.Series(answers.majority[:, 0], answers.names)
    truth = majority[majority >= 0].map(dict(enumerate(answers.labels)))
    model = pd.Series(guesses)[truth.index]
    row = frame.loc[("cat-9b", "A")]
    assert row["n"] == len(truth)
    assert row["agreement"] == pytest.approx((truth == model).mean())
    expected = proportion_confint((truth == model).sum(), len(truth), method="wilson")
    assert (row["agreement_low"], row["agreement_high"]) == pytest.approx(expected)
    assert row["kappa"] == pytest.approx(cohen_kappa_score(truth, model))


def test_difference_between_cultures_is_mcnemars_test() -> None:
    answers = _answers({("cat-9b", ""): _guesses(3)})
    frame = wide(models(answers, Settings()), "models").set_index(["group", "item"])
    row = frame.loc[("cat-9b", "A–B")]
    model = np.array([answers.labels.index(_guesses(3)[item]) for item in answers.names])
    both = (answers.majority[:, :2] >= 0).all(axis=1)
    right = (answers.majority[:, :2] == model[:, None])[both]
    table = np.array([[(right[:, 0] == i) & (right[:, 1] == j) for j in (1, 0)] for i in (1, 0)])
    assert row["p"] == pytest.approx(mcnemar(table.sum(axis=2), exact=True).pvalue)
    assert row["difference"] == pytest.approx(right[:, 0].mean() - right[:, 1].mean())


def test_answers_that_are_no_label_are_wrong_and_counted() -> None:
    guesses = _guesses(3) | {"m000": "I cannot tell", "m001": ""}
    rows = models(_answers({("cat-9b", ""): guesses}), Settings())
    assert rows.loc[rows["figure"] == "invalid", "value"].max() == 2
    assert value_of(rows, "models", "share", "cat-9b", NOT_A_LABEL) == 2 / 80
