"""What an analysis is made with. In: seed, repetitions and the like. Out: `Settings`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """What an analysis is made with; it stands in the report.

    Attributes:
        seed: of everything drawn at random. Each use derives its own generator with
            `numpy.random.default_rng([seed, number])`, so that results do not depend on order.
        repetitions: of random annotator groups (multi3hate 4.2).
        group_size: answers a random group (multi3hate 4.2: five).
        least_answers: votes that an item should have in a culture (multi3hate 3.3: five).
        permutations: of people between cultures, behind a p-value.
        confidence: of the intervals.
        smallest_cell: people whom a cell of a demographic table must have to be shown.
        pair: two cultures whose differing items are listed; None for the pair that agrees least.
        jobs: processes; results are the same for any number.
    """

    seed: int = 0
    repetitions: int = 10_000
    group_size: int = 5
    least_answers: int = 5
    permutations: int = 1_999
    confidence: float = 0.95
    smallest_cell: int = 5
    pair: tuple[str, str] | None = None
    jobs: int = 1
