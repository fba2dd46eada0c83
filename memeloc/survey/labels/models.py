"""Measures beside the labels. In: retained answers. Out: agreement, labels by models of annotators.

Dawid-Skene and MACE estimate how far each annotator can be trusted, and weigh answers by it;
crowd-kit's implementations are used. They stand beside the majority, never in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memeloc.agreement import measure
from memeloc.agreement.crowd import Method, label_odds, likeliest
from memeloc.survey.labels.settling import Settled, labelled_answers
from memeloc.taxonomy import LABEL, Taxonomy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """The agreement of a culture's people on one question; `measures` are those of `measure`."""

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
    labels = answers[answers[LABEL].isin(voting)]
    others = answers[~answers[LABEL].isin(leaving)]
    asked = [(LABEL, labels, severities(taxonomy))]
    for question in taxonomy.about("item", "picture"):
        if question.kind in ("choice", "choices", "scale"):
            first, last = question.scale or (0, -1)
            levels = {str(number): float(number) for number in range(first, last + 1)}
            answered = others[others[question.id] != ""]
            answered = answered.assign(label=answered[question.id])
            asked.append((question.id, answered, levels or None))
    return tuple(
        QuestionAgreement(str(code), name, measure(part[part["culture"] == code], levels))
        for code in sorted(set(answers["culture"]))
        for name, part, levels in asked
    )


def severities(taxonomy: Taxonomy) -> Mapping[str, float] | None:
    """Return the labels' severities as an order; None where they have fewer than three steps."""
    levels = {label.id: float(label.severity) for label in taxonomy.of_role("vote")}
    return levels if len(set(levels.values())) > 2 else None


def aggregate(
    answers: pd.DataFrame, taxonomy: Taxonomy, method: Method, **settings: int
) -> pd.DataFrame:
    """Label every item in each culture; cultures are modelled apart, and only votes count.

    Args:
        answers: as of `settle`.
        settings: seed, iterations and restarts as of `label_odds`.

    Returns:
        `item`, `culture`, `label` (empty where two are equally likely) and `probability`, sorted.

    Raises:
        MissingError: crowd-kit is not installed.
        InputError: a column is missing.
    """
    import pandas as pd

    answered = labelled_answers(answers)
    answered = answered[answered[LABEL].isin([label.id for label in taxonomy.of_role("vote")])]
    tables = [pd.DataFrame(columns=["item", "culture", LABEL, "probability"])]
    for culture, part in answered.groupby("culture"):
        odds, _ = label_odds(part, method, **settings)
        columns = {"culture": culture, LABEL: likeliest(odds), "probability": odds.max(axis=1)}
        tables.append(pd.DataFrame(columns).rename_axis("item").reset_index())
    table = pd.concat(tables[1:] or tables)
    return table.sort_values(["item", "culture"], kind="stable", ignore_index=True)


def differences(settled: Settled, **others: pd.DataFrame) -> pd.DataFrame:
    """Return where the majority's labels differ from tables of `aggregate`, each by a name.

    That is a row for each item and culture in which not all agree: `item`, `culture`, `majority`
    (empty for none), and of each other `NAME` and `NAME.probability`. A majority of none differs
    from any label: it is where a model would decide a tie.
    """
    table = settled.table[["item", "culture", LABEL]].rename(columns={LABEL: "majority"})
    for name, other in others.items():
        columns = {LABEL: name, "probability": f"{name}.probability"}
        table = table.merge(other.rename(columns=columns), "left", ["item", "culture"])
        table[name] = table[name].astype(object).fillna("")
    differs = table[list(others)].ne(table["majority"], axis=0).any(axis=1)
    return table[differs].reset_index(drop=True)
