"""How far a survey's people agree. In: retained answers. Out: measures by culture and question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memeloc.agreement import measure
from memeloc.taxonomy import LABEL, Taxonomy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """How far the people of a culture agree on one question; `measures` are those of `measure`."""

    culture: str
    question: str
    measures: dict[str, Any]


def survey_agreement(answers: pd.DataFrame, taxonomy: Taxonomy) -> tuple[QuestionAgreement, ...]:
    """The agreement on each question in each culture that answered it, sorted by culture.

    "I don't know" is no vote, and is left out. A question that depends on another is measured over
    the items where people were asked it; of several answers at once the whole set has to be the
    same. The ordinal alpha goes by the labels' severity, if that has three steps or more, and by a
    scale's numbers.

    Args:
        answers: as `settling.answers_table` gives them.
    """
    measured = []
    for culture, part in answers.groupby("culture"):
        voting = [label.id for label in taxonomy.of_role("vote")]
        labels = part[part["label"].isin(voting)]
        measured.append(
            QuestionAgreement(str(culture), LABEL, measure(labels, severities(taxonomy)))
        )
        for question in taxonomy.about("item", "picture"):
            if question.kind in ("choice", "choices", "scale"):
                given = part[part[question.id] != ""].drop(columns="label")
                table = given.rename(columns={question.id: "label"})
                levels = None
                if question.scale is not None:
                    first, last = question.scale
                    levels = {str(number): float(number) for number in range(first, last + 1)}
                measured.append(
                    QuestionAgreement(str(culture), question.id, measure(table, levels))
                )
    return tuple(measured)


def severities(taxonomy: Taxonomy) -> Mapping[str, float] | None:
    """The labels' severities as an order; None where they have fewer than three steps."""
    levels = {label.id: float(label.severity) for label in taxonomy.of_role("vote")}
    return levels if len(set(levels.values())) > 2 else None
