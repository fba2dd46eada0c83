"""Labels by models of annotators. In: answers. Out: Dawid-Skene's and MACE's labels, differences.

Both models estimate how far each annotator can be trusted, and weigh answers by it; crowd-kit's
implementations are used. They stand beside the majority, never in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memeloc.agreement.crowd import METHODS, Method, label_odds, likeliest
from memeloc.survey.labels.settling import Settled, given_answers
from memeloc.taxonomy import Taxonomy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["METHODS", "Method", "aggregate", "differences"]


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
    tables = [pd.DataFrame({"item": [], "culture": [], "label": [], "probability": np.zeros(0)})]
    for culture, part in given.groupby("culture"):
        odds, _ = label_odds(part, method, seed=seed, iterations=iterations, restarts=restarts)
        columns = {"culture": culture, "label": likeliest(odds), "probability": odds.max(axis=1)}
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
