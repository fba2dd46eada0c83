"""Labels by models of annotators. In: answers. Out: Dawid-Skene's and MACE's labels, differences.

Both models estimate how far each annotator can be trusted, and weigh answers by it; crowd-kit's
implementations are used. They stand beside the majority, never in its place.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from memeloc.errors import MissingError
from memeloc.survey.labels.settling import Settled, given_answers
from memeloc.taxonomy import Taxonomy

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["dawid-skene", "mace"]
METHODS: tuple[Method, ...] = get_args(Method)

_CLOSE = 1e-6


def aggregate(
    answers: pd.DataFrame,
    taxonomy: Taxonomy,
    method: Method,
    *,
    seed: int = 0,
    iterations: int = 100,
    restarts: int = 10,
) -> pd.DataFrame:
    """Label every item in each culture; cultures are modelled apart.

    Only votes for labels count, as in the majority.

    Args:
        answers: a long table with `settling.COLUMNS`, in any order.
        method: Dawid and Skene (1979), a confusion matrix an annotator; or MACE (Hovy et al. 2013),
            an annotator's probability of answering by habit.
        seed: of MACE's starts; Dawid-Skene starts from the majority and draws nothing.
        iterations: of EM, at the most.
        restarts: of MACE, of which the likeliest is kept.

    Returns:
        `item`, `culture`, `label` (empty where two are equally likely) and `probability`, sorted.

    Raises:
        MissingError: crowd-kit is not installed.
        InputError: a column is missing.
    """
    import pandas as pd

    given = given_answers(answers).drop_duplicates()
    given = given[given["label"].isin([label.id for label in taxonomy.of_role("vote")])]
    # Sorted, so that the order of answers changes nothing: both models number what they meet.
    given = given.rename(columns={"item": "task", "participant": "worker"}).sort_values(
        ["task", "worker", "label"], kind="stable", ignore_index=True
    )
    tables = [pd.DataFrame({"item": [], "culture": [], "label": [], "probability": np.zeros(0)})]
    for culture, part in given.groupby("culture"):
        part = part[["task", "worker", "label"]].reset_index(drop=True)
        odds = _odds(part, method, seed, iterations, restarts).sort_index(axis=1)
        best = odds.max(axis=1)
        tied = odds.ge(best - _CLOSE, axis=0).sum(axis=1) > 1
        labels = odds.idxmax(axis=1).astype(object).mask(tied, "")
        columns = {"culture": culture, "label": labels, "probability": best}
        tables.append(pd.DataFrame(columns).rename_axis("item").reset_index())
    table = pd.concat(tables[1:] or tables, ignore_index=True)
    return table.sort_values(["item", "culture"], kind="stable", ignore_index=True)


def differences(settled: Settled, **others: pd.DataFrame) -> pd.DataFrame:
    """Where the majority's labels differ from tables of `aggregate`, each by a name.

    Returns:
        A row for each item and culture in which not all agree: `item`, `culture`, `majority` (empty
        for none), and of each other `NAME` and `NAME.probability`. A majority of none differs from
        any label: it is where a model would decide a tie.
    """
    table = settled.table[["item", "culture", "label"]].rename(columns={"label": "majority"})
    for name, other in others.items():
        columns = {"label": name, "probability": f"{name}.probability"}
        table = table.merge(other.rename(columns=columns), "left", ["item", "culture"])
        table[name] = table[name].astype(object).fillna("")
    names = list(others)
    differs = table[names].ne(table["majority"], axis=0).any(axis=1)
    return table[differs].reset_index(drop=True)


def _odds(
    table: pd.DataFrame, method: Method, seed: int, iterations: int, restarts: int
) -> pd.DataFrame:
    """By item and label the probability that it is the right one."""
    try:
        crowdkit: Any = import_module("crowdkit.aggregation")
    except ImportError as error:
        raise MissingError(
            'Dawid-Skene and MACE need crowd-kit; run: pip install "memeloc[crowd]"'
        ) from error
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
    return odds
