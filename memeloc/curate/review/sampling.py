"""What is checked by a sample. In: subjects, a seed, counts. Out: those drawn, an error rate."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from math import sqrt

_Z = 1.959964
"""The normal distribution's quantile of 0.975, for an interval of 95 %."""


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """How many of so many things that were looked at are wrong, the rate, and its 95 % interval.

    Rates are 0 to 1; they are of all things where those that were looked at were drawn by chance.

    >>> str(ErrorRate.of(3, 100))
    '3.0 % (95 % interval 1.0 to 8.5 %)'
    """

    wrong: int
    judged: int
    rate: float = 0.0
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def of(cls, wrong: int, judged: int) -> ErrorRate:
        """Return the rate, with its interval by Wilson's score (JASA 22, 1927)."""
        if not judged:
            return cls(wrong, judged)
        share, weight = wrong / judged, _Z**2 / judged
        centre = share + weight / 2
        margin = _Z * sqrt(share * (1 - share) / judged + weight / (4 * judged))
        low, high = (centre - margin) / (1 + weight), (centre + margin) / (1 + weight)
        return cls(wrong, judged, share, max(0.0, low), min(1.0, high))

    def __str__(self) -> str:
        low, high = f"{100 * self.low:.1f}", f"{100 * self.high:.1f}"
        return f"{100 * self.rate:.1f} % (95 % interval {low} to {high} %)"


def draw(subjects: Collection[str], count: int, seed: int) -> list[str]:
    """At most `count` subjects by chance, in their order; the same for the same seed."""
    ordered = sorted(subjects)
    return sorted(random.Random(seed).sample(ordered, min(count, len(ordered))))
