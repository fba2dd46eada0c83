"""The audit of labels by a model. In: people's labels, the model's. Out: rows of figures.

CHARMemes (4.2 and E): a simple random sample of what all rounds agree on is labelled by everyone;
Cohen's kappa of each person with the model, and Fleiss' of the people, without outliers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.agreement import fleiss_kappa, pairwise_kappa
from memeloc.reports.figures import BETWEEN, gap, joined, tidy

if TYPE_CHECKING:
    import pandas as pd

TEXTS = Path(__file__).with_name("report.toml")


def audit(
    answers: pd.DataFrame, labels: Mapping[str, str], model: str, outliers: Collection[str] = ()
) -> pd.DataFrame:
    """Measure how people agree with a model.

    Args:
        answers: `item`, `participant`, `label` of people, abstentions left out.
        labels: the model's label of each item of the sample.
        outliers: people who stand out; see `memeloc.survey.quality.outliers`.

    Returns:
        Figures of the analyses `audit` (all in all), `audit-people` (each with the model, those who
        agree most first) and `audit-pairs` (each two, the model among them).
    """
    import pandas as pd

    people = answers[answers["item"].isin(labels)][["item", "participant", "label"]]
    if people.empty:
        return gap("audit", "Nobody has labelled the sample yet.")
    by_model = pd.DataFrame(labels.items(), columns=["item", "label"], dtype=object)
    table = pd.concat([people, by_model.assign(participant=_MODEL)], ignore_index=True)
    pairs = pairwise_kappa(table).rename(columns={"items": "n"})
    # The model's name sorts before all others.
    beside = pairs[pairs["first"] == _MODEL].rename(columns={"second": "item"})
    beside = beside.drop(columns="first").sort_values(["kappa", "item"], ascending=False)
    beside["outlier"] = beside["item"].isin(list(outliers))
    kept = people[~people["participant"].isin(list(outliers))]
    majorities = kept.groupby("item")["label"].agg(lambda given: given.mode().tolist())
    same = [labels[str(item)] == most[0] and len(most) == 1 for item, most in majorities.items()]
    totals = {
        "sample": [len(labels)],
        "items": [people["item"].nunique()],
        "people": [len(beside)],
        "outliers": [beside["outlier"].sum()],
        "kappa": [beside.loc[~beside["outlier"], "kappa"].mean()],
        "fleiss": [fleiss_kappa(people)],
        "fleiss_kept": [fleiss_kappa(kept)],
        "same": [sum(same) / len(same) if same else None],
    }
    pairs["group"] = pairs.pop("first").replace(_MODEL, model) + BETWEEN + pairs.pop("second")
    return joined(
        [
            tidy("audit", pd.DataFrame(totals)),
            tidy("audit-people", beside, "Cohen 1960"),
            tidy("audit-pairs", pairs, "Cohen 1960"),
        ]
    )


_MODEL = "\0model"
"""Stands for the model among people, none of whom is called so."""
