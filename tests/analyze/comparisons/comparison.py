"""What comparisons share. In: functions of two values. Out: `COMPARISONS`, and answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd

from memeloc.analyze import Answers
from tests.agreement.answers import drawn

Values = Iterable[tuple[float, float]]
"""Ours, and theirs."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Comparison:
    """A statistic, and what it is held against.

    Attributes:
        statistic: what is computed.
        source: the definition: a paper, or the guide itself for what papers leave open.
        peer: the package or example that gives the other value.
        values: computes both.
        tolerance: the largest difference allowed.
    """

    statistic: str
    source: str
    peer: str
    values: Callable[[], Values]
    tolerance: float = ROUNDING

    def difference(self) -> float:
        """The largest difference, where both are not defined 0."""
        values = list(self.values())
        assert values, self.statistic
        return max(
            0.0 if math.isnan(ours) and math.isnan(theirs) else abs(ours - theirs)
            for ours, theirs in values
        )


COMPARISONS: list[Comparison] = []


def compared(
    statistic: str, source: str, peer: str, tolerance: float = ROUNDING
) -> Callable[[Callable[[], Values]], Callable[[], Values]]:
    """Enter a comparison into the list."""

    def enter(values: Callable[[], Values]) -> Callable[[], Values]:
        # pytest's search for doctests imports the modules of comparisons once more.
        if all((each.statistic, each.peer) != (statistic, peer) for each in COMPARISONS):
            COMPARISONS.append(Comparison(statistic, source, peer, values, tolerance))
        return values

    return enter


LEVELS = {"a": 0.0, "b": 1.0, "c": 3.0}
SEEDS = range(4)


def cultures(seed: int = 1, items: int = 60) -> Answers:
    """Three cultures of five that answer with three labels, some cells missing."""
    frames = [
        drawn(seed + place, items=items, missing=0.1).assign(culture=culture)
        for place, culture in enumerate(("DE", "IN", "US"))
    ]
    table = pd.concat(frames)
    return Answers.of(table.assign(participant=table["culture"] + table["participant"]))
