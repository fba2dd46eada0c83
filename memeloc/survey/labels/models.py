"""Measures beside the labels. In: retained answers. Out: agreement, labels by models of annotators.

Dawid-Skene and MACE estimate how far each annotator can be trusted, and weigh answers by it;
crowd-kit's implementations are used. They stand beside the majority, never in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memeloc.agreement import measure
from memeloc.agreement.crowd import METHODS, Method, label_odds, likeliest
from memeloc.survey.labels.settling import Settled, given_answers
from memeloc.taxonomy import LABEL, Taxonomy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["METHODS", "Method", "QuestionAgreement", "aggregate", "differences", "survey_agreement"]


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """How far the people of a culture agree on one question; `measures` are those of `measure`."""

    culture: str
    question: str
    measures: dict[str, Any]


def survey_agreement(answers: pd.DataFrame, taxonomy: Taxonomy) -> tuple[QuestionAgreement, ...]:
    """Return the agreement on each question in each culture that answered it, sorted by culture.

    "I don't know" is no vote, and is left out. A question that depends on another is measured over
    the items where people were asked it; of several answers at once the whole set has to be the
    same. The ordinal alpha goes by the labels' severity, if that has three steps or more, and by a
    scale's numbers. `answers` are as `answers_table` gives them.
    """
    voting = [label.id for label in taxonomy.of_role("vote")]
    leaving = [label.id for label in taxonomy.of_role("skip", "reject")]
    measured = []
    for culture, part in answers.groupby("culture"):
        code = str(culture)
        labels = part[part["label"].isin(voting)]
        measured.append(QuestionAgreement(code, LABEL, measure(labels, severities(taxonomy))))
        for question in taxonomy.about("item", "picture"):
            if question.kind in ("choice", "choices", "scale"):
                given = part[(part[question.id] != "") & ~part["label"].isin(leaving)]
                given = given.drop(columns="label")
                first, last = question.scale or (0, -1)
                levels = {str(number): float(number) for number in range(first, last + 1)}
                measures = measure(given.rename(columns={question.id: "label"}), levels or None)
                measured.append(QuestionAgreement(code, question.id, measures))
    return tuple(measured)


def severities(taxonomy: Taxonomy) -> Mapping[str, float] | None:
    """Return the labels' severities as an order; None where they have fewer than three steps."""
    levels = {label.id: float(label.severity) for label in taxonomy.of_role("vote")}
    return levels if len(set(levels.values())) > 2 else None


def aggregate(
    answers: pd.DataFrame,
    taxonomy: Taxonomy,
    method: Method,
    *,
    seed: int = 0,
    iterations: int = 100,
    restarts: int = 10,
) -> pd.DataFrame:
    """Label every item in each culture; cultures are modelled apart, and only votes count.

    Args:
        answers: as of `settle`.
        method, seed, iterations, restarts: as of `label_odds`.

    Returns:
        `item`, `culture`, `label` (empty where two are equally likely) and `probability`, sorted.

    Raises:
        MissingError: crowd-kit is not installed.
        InputError: a column is missing.
    """
    import pandas as pd

    given = given_answers(answers).drop_duplicates()
    given = given[given["label"].isin([label.id for label in taxonomy.of_role("vote")])]
    tables = []
    for culture, part in given.groupby("culture"):
        odds, _ = label_odds(part, method, seed=seed, iterations=iterations, restarts=restarts)
        columns = {"culture": culture, "label": likeliest(odds), "probability": odds.max(axis=1)}
        tables.append(pd.DataFrame(columns).rename_axis("item").reset_index())
    if not tables:
        return pd.DataFrame(columns=["item", "culture", "label", "probability"])
    table = pd.concat(tables, ignore_index=True)
    return table.sort_values(["item", "culture"], kind="stable", ignore_index=True)


def differences(settled: Settled, **others: pd.DataFrame) -> pd.DataFrame:
    """Return where the majority's labels differ from tables of `aggregate`, each by a name.

    That is a row for each item and culture in which not all agree: `item`, `culture`, `majority`
    (empty for none), and of each other `NAME` and `NAME.probability`. A majority of none differs
    from any label: it is where a model would decide a tie.
    """
    table = settled.table[["item", "culture", "label"]].rename(columns={"label": "majority"})
    for name, other in others.items():
        columns = {"label": name, "probability": f"{name}.probability"}
        table = table.merge(other.rename(columns=columns), "left", ["item", "culture"])
        table[name] = table[name].astype(object).fillna("")
    differs = table[list(others)].ne(table["majority"], axis=0).any(axis=1)
    return table[differs].reset_index(drop=True)
