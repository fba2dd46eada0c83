"""What is not settled yet. In: labels, answers to further questions. Out: what to ask again.

harmeme 4.3 settles harmfulness and target apart, and asks a fourth person where either is open. So
a further question may ask for more answers to an item whose label is settled.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memeloc.survey.labels.settling import Settled, limit_of
from memeloc.survey.quality.rules import Settling
from memeloc.taxonomy import LABEL

if TYPE_CHECKING:
    import pandas as pd

Cell = tuple[str, str]
"""Item and culture."""

_OPEN = ("short", "tied", "given up")


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A question of an item in a culture that has no settled answer."""

    item: str
    culture: str
    question: str

    @property
    def cell(self) -> Cell:
        return (self.item, self.culture)


def unsettled(settled: Settled, further: pd.DataFrame, settings: Settling) -> tuple[Unsettled, ...]:
    """Labels that are short of answers, tied or given up, and further questions without an answer.

    Args:
        further: as `further.settle_further` gives it; only the questions `settings.further` count.
    """
    table = settled.table
    labels = table.loc[table["state"].isin(_OPEN), ["item", "culture"]]
    asked = further[further["question"].isin(settings.further) & (further["answer"] == "")]
    rows = (
        *((item, culture, LABEL) for item, culture in labels.to_numpy()),
        *asked[["item", "culture", "question"]].to_numpy().tolist(),
    )
    return tuple(Unsettled(*row) for row in rows)


def needs_of(
    settled: Settled,
    open_questions: Sequence[Unsettled],
    settings: Settling,
    pending: Mapping[Cell, int],
) -> dict[Cell, int]:
    """By item and culture how many more answers to ask for, those for further questions with it.

    Args:
        pending: answers that are still to come; those for the labels are counted in `settled`.
    """
    needs = dict(settled.needs)
    table = settled.table
    given = dict(
        zip(zip(table["item"], table["culture"], strict=True), table["answers"], strict=True)
    )
    for row in open_questions:
        if row.question != LABEL:
            more = min(settings.extra, limit_of(settings) - int(given[row.cell]))
            more -= pending.get(row.cell, 0)
            if more > needs.get(row.cell, 0):
                needs[row.cell] = more
    return needs


def to_discuss(
    open_questions: Sequence[Unsettled], asked_again: Collection[Cell]
) -> tuple[Unsettled, ...]:
    """What people have to decide together: what is open, and nobody more is asked about."""
    return tuple(row for row in open_questions if row.cell not in asked_again)
