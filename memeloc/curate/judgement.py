"""What a person said of an item. In: nothing of memeloc. Out: `Judgement`, as a store keeps it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer of one person.

    Attributes:
        subject: the item's id, or of a pair both, see `memeloc.curate.pairs.pair_subject`.
        question: its name, such as `wordplay`, `description` or `duplicates`.
        person: who answered.
        answer: one of the question's answers, or free text where it asks for one.
        comment: what the person added.
        row: where it stands in the file it came in; 0 when in none.
    """

    subject: str
    question: str
    person: str
    answer: str
    comment: str = ""
    row: int = 0
