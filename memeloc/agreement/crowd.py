"""Labels by models of annotators. In: a long table of answers. Out: probabilities, competences.

Dawid and Skene (1979) give each annotator a confusion matrix; MACE (Hovy et al. 2013) a probability
of knowing the label, and habits of those who guess. Both weigh answers by how far a person can be
trusted. crowd-kit's implementations are used.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from memeloc.errors import MissingError

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["dawid-skene", "mace"]
METHODS: tuple[Method, ...] = get_args(Method)


def label_odds(
    answers: pd.DataFrame,
    method: Method,
    *,
    seed: int = 0,
    iterations: int = 100,
    restarts: int = 10,
) -> tuple[pd.DataFrame, pd.Series[float]]:
    """Return how likely each label of an item is, and how far each person can be trusted.

    That is items by labels, both sorted, and by person, of MACE the probability of knowing the
    label, of Dawid-Skene that of giving the right one, over the labels as often as they are right.
    Raise MissingError if crowd-kit is not installed.

    Args:
        answers: `item`, `participant` and `label` of one culture.
        seed: of MACE's starts; Dawid-Skene starts from the majority and draws nothing.
        iterations: of EM, at the most.
        restarts: of MACE, of which the likeliest is kept.
    """
    import pandas as pd

    try:
        crowdkit: Any = import_module("crowdkit.aggregation")
    except ImportError as error:
        raise MissingError(
            'Dawid-Skene and MACE need crowd-kit; run: pip install "memeloc[crowd]"'
        ) from error
    names = {"item": "task", "participant": "worker", "label": "label"}
    votes = answers[list(names)].rename(columns=names).drop_duplicates()
    votes = votes.sort_values(["worker", "task"], kind="stable", ignore_index=True)
    labels: dict[str, str] = {}
    for label in votes["label"]:
        labels.setdefault(label, f"{len(labels):04}")
    # crowd-kit's MACE numbers people and labels as they come, and counts them as they are sorted.
    table = votes.assign(label=votes["label"].map(labels))
    if method == "dawid-skene":
        model = crowdkit.DawidSkene(n_iter=iterations)
    else:
        # A generator, not a number: with a number every restart of crowd-kit begins the same.
        state = np.random.RandomState(seed)
        model = crowdkit.MACE(n_iter=iterations, n_restarts=restarts, random_state=state)
    with warnings.catch_warnings():
        # Deprecations of pandas inside crowd-kit are its own.
        warnings.simplefilter("ignore")
        odds: pd.DataFrame = model.fit_predict_proba(table)
    odds = odds.rename(columns={code: label for label, code in labels.items()})
    odds = odds.sort_index().sort_index(axis=1)
    people = votes["worker"].drop_duplicates()
    if method == "mace":
        return odds, pd.Series(model.spamming_[:, 1], index=people, dtype=float)
    # By person and label given, how likely that is where each label is right.
    right = [
        (who, errors[label] * model.priors_[label])
        for (who, label), errors in model.errors_.iterrows()
    ]
    trusted = pd.DataFrame(right, columns=["worker", "right"]).groupby("worker")["right"].sum()
    return odds, trusted.reindex(people)


def likeliest(odds: pd.DataFrame) -> pd.Series[str]:
    """Return the label of each item, empty where two are equally likely, to within 1e-6."""
    tied = odds.ge(odds.max(axis=1) - 1e-6, axis=0).sum(axis=1) > 1
    return odds.idxmax(axis=1).astype(object).mask(tied, "")
