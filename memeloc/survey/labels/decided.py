"""What people decided together. In: labels by votes, decisions. Out: labels, some of them decided.

araharmeme 3.4 takes a three-way disagreement to a discussion, charmemes 4.2 what two people see
differently to a consensus session, harmeme 4.3 to a fourth person. The newest decision about a
question of an item in a culture goes before all votes on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from memeloc.survey.labels.settling import BETWEEN, Settled
from memeloc.taxonomy import LABEL, Taxonomy

Cell = tuple[str, str]
"""Item and culture."""


@dataclass(frozen=True, slots=True)
class LabelDecision:
    """What some people decided about an item in a culture.

    Attributes:
        item, culture: the meme's id, and the culture's code.
        label: the label's id, also of one that rejects the item; empty where only further questions
            were decided.
        people: who took part, as they are stored: keyed hashes.
        reason: why, in their words.
        further: by question id what was decided, as of `Answer.further`.
    """

    item: str
    culture: str
    label: str
    people: tuple[str, ...]
    reason: str
    further: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def cell(self) -> Cell:
        return (self.item, self.culture)


def decided_answers(decisions: Iterable[LabelDecision]) -> dict[Cell, dict[str, str]]:
    """By item and culture what holds by question id; of several decisions, oldest first, the last.

    Several answers to a question have `BETWEEN` between them.
    """
    answers: dict[Cell, dict[str, str]] = {}
    for decision in decisions:
        own = answers.setdefault(decision.cell, {})
        if decision.label:
            own[LABEL] = decision.label
        own |= {question: BETWEEN.join(values) for question, values in decision.further}
    return answers


def with_decisions(
    settled: Settled, decided: Mapping[Cell, Mapping[str, str]], taxonomy: Taxonomy
) -> Settled:
    """The labels with those that were decided, in the state `decided`; votes stay as they are.

    An item that was decided to be invalid is in the state `rejected`, with its reason. Nothing more
    is asked for where there is a decision.

    Args:
        decided: as `decided_answers` gives it.
    """
    rejecting = {label.id for label in taxonomy.of_role("reject")}
    table = settled.table.copy()
    cells = list(zip(table["item"], table["culture"], strict=True))
    labels = [decided.get(cell, {}).get(LABEL, "") for cell in cells]
    for column, own in (
        ("label", ["" if label in rejecting else label for label in labels]),
        ("state", ["rejected" if label in rejecting else "decided" for label in labels]),
        ("reasons", [label if label in rejecting else "" for label in labels]),
    ):
        table[column] = [
            new if label else before
            for label, new, before in zip(labels, own, table[column], strict=True)
        ]
    have_label = {cell for cell, label in zip(cells, labels, strict=True) if label}
    needs = {cell: count for cell, count in settled.needs.items() if cell not in have_label}
    return replace(settled, table=table, needs=needs)
