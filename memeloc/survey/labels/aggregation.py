"""Labels by models of annotators. In: answers. Out: Dawid-Skene's and MACE's labels, differences.

Both models estimate how far each annotator can be trusted, and weigh answers by it; crowd-kit's
implementations are used. They stand beside the majority, never in its place.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from memeloc.errors import InputError, MissingError
from memeloc.survey.labels.settling import COLUMNS, Settled
from memeloc.survey.taxonomy import Taxonomy

Method = Literal["dawid-skene", "mace"]
METHODS: tuple[Method, ...] = ("dawid-skene", "mace")

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

    Args:
        answers: a long table with `settling.COLUMNS`, in any order.
        taxonomy: its abstaining label is left out, as in the majority.
        method: Dawid and Skene (1979), a confusion matrix an annotator; or MACE (Hovy et al. 2013),
            an annotator's probability of answering by habit.
        seed: of MACE's starts; Dawid-Skene starts from the majority and draws nothing.
        iterations: of EM, at the most.
        restarts: of MACE, of which the likeliest is kept.

    Returns:
        `item`, `culture`, `label` (empty where two are equally likely) and `probability`, sorted.

    Raises:
        MissingError: crowd-kit is not installed.
        InputError: a column is missing, or the method unknown.
    """
    if method not in METHODS:
        raise InputError(f"there is no method {str(method)[:40]!r}; there are {', '.join(METHODS)}")
    for name in COLUMNS:
        if name not in answers.columns:
            raise InputError(
                f"a table of answers has the columns {', '.join(COLUMNS)}", column=name
            )
    abstaining = "" if taxonomy.abstain is None else taxonomy.abstain.id
    texts = answers[list(COLUMNS)].astype(object)
    texts = texts[texts["label"].notna() & ~texts["label"].isin(("", abstaining))].drop_duplicates()
    tables = [
        _modelled(part, str(culture), method, seed, iterations, restarts)
        for culture, part in texts.groupby("culture", sort=True)
    ]
    if not tables:
        return pd.DataFrame(
            {"item": [], "culture": [], "label": [], "probability": np.zeros(0)}, dtype=object
        ).astype({"probability": float})
    table = pd.concat(tables, ignore_index=True)
    return table.sort_values(["item", "culture"], kind="stable", ignore_index=True)


def differences(settled: Settled, **others: pd.DataFrame) -> pd.DataFrame:
    """Where labels differ.

    Args:
        settled: the majority's.
        others: tables of `aggregate` by a name, such as `dawid_skene=...`.

    Returns:
        A row for each item and culture in which not all agree: `item`, `culture`, `majority` (empty
        for none), and of each other `NAME` and `NAME.probability`. A majority of none differs from
        any label: it is where a model would decide a tie.
    """
    table = settled.table[["item", "culture", "label"]].rename(columns={"label": "majority"})
    for name, other in others.items():
        table = table.merge(
            other.rename(columns={"label": name, "probability": f"{name}.probability"}),
            on=["item", "culture"],
            how="left",
        )
        table[name] = table[name].astype(object).where(table[name].notna(), "")
    differs = np.zeros(len(table), dtype=bool)
    for name in others:
        differs |= (table[name] != table["majority"]).to_numpy(dtype=bool)
    return table[differs].reset_index(drop=True)


def _modelled(
    part: pd.DataFrame, culture: str, method: Method, seed: int, iterations: int, restarts: int
) -> pd.DataFrame:
    # Sorted, so that the order of answers changes nothing: both number what they meet.
    table = part.rename(columns={"item": "task", "participant": "worker"})
    table = table[["task", "worker", "label"]].astype(str)
    table = table.sort_values(["task", "worker", "label"], kind="stable", ignore_index=True)
    odds = _odds(table, method, seed, iterations, restarts)
    odds = odds.reindex(columns=sorted(odds.columns)).sort_index()
    values = odds.to_numpy(dtype=float)
    best = values.max(axis=1)
    alike = (np.abs(values - best[:, None]) <= _CLOSE).sum(axis=1) > 1
    names = np.array([str(name) for name in odds.columns], dtype=object)
    return pd.DataFrame(
        {
            "item": np.array([str(one) for one in odds.index], dtype=object),
            "culture": culture,
            "label": np.where(alike, "", names[values.argmax(axis=1)]),
            "probability": best,
        }
    )


def _odds(
    table: pd.DataFrame, method: Method, seed: int, iterations: int, restarts: int
) -> pd.DataFrame:
    """By item and label the probability that it is the right one."""
    dawid_skene, mace = _crowd_kit()
    with warnings.catch_warnings():
        # Deprecations of pandas inside crowd-kit are its own.
        warnings.simplefilter("ignore")
        if method == "dawid-skene":
            model: Any = dawid_skene(n_iter=iterations)
        else:
            # A generator, not a number: with a number every restart of crowd-kit begins alike.
            state = np.random.RandomState(seed)
            model = mace(n_iter=iterations, n_restarts=restarts, random_state=state)
        odds: pd.DataFrame = model.fit_predict_proba(table)
    return odds


def _crowd_kit() -> Sequence[Any]:
    try:
        from crowdkit.aggregation import MACE, DawidSkene
    except ImportError as error:
        raise MissingError(
            'Dawid-Skene and MACE need crowd-kit; run: pip install "memeloc[crowd]"'
        ) from error
    return DawidSkene, MACE
