"""Annotators who see things unlike everybody else. In: labels of people. Out: evidence of each.

CHARMemes (4.2, E): one annotator's labels deviated substantially from the rest, and after a review
that person was excluded. So outliers are reported here, and excluded only by a person's decision.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Any

from memeloc.agreement import COLUMNS, against_rest
from memeloc.survey.quality.rules import Outlier

Person = tuple[str, str]
"""Culture and participant."""


@dataclass(frozen=True, slots=True)
class Deviation:
    """A person's agreement with the majority of the others of the culture.

    Attributes:
        evidence: the numbers, as JSON values; see `deviations`.
        outlier: whether they make an outlier by the rule.
    """

    evidence: Mapping[str, Any]
    outlier: bool


def deviations(
    answered: Iterable[tuple[str, str, Mapping[str, str]]], rule: Outlier, abstain: Collection[str]
) -> dict[Person, Deviation]:
    """Each person beside the majority of the others.

    An outlier has a kappa with the majority of the others that is `rule.gap` below the median of
    the others' own, over `rule.fewest` items at least, and agrees so seldom that somebody who
    agrees as often as they do together would do so with a probability below `rule.chance`.

    Args:
        answered: culture, participant and labels by meme id; of a person once for each sheet.
        abstain: labels that are no votes.

    Returns:
        Of each person with an answer to an item on which the others have a majority: `items`,
        `agreement` and `kappa` with that majority, and of the others the median `kappa` and the
        pooled `agreement`, and the `chance` of so little agreement.
    """
    rows = [
        (culture, meme, who, label)
        for culture, who, labels in answered
        for meme, label in labels.items()
        if who and label not in abstain
    ]
    if not rows:  # as of a survey that goes out
        return {}
    import pandas as pd

    table = pd.DataFrame(rows, columns=["culture", *COLUMNS], dtype=object)
    # Of a person who answered a meme twice the first answer counts, as for the labels.
    table = table.drop_duplicates(["culture", "item", "participant"])
    judged: dict[Person, Deviation] = {}
    for culture, part in table.groupby("culture"):
        rest = against_rest(part)
        rest = rest[rest["items"] > 0]
        hits = (rest["agreement"] * rest["items"]).round().astype(int)
        all_items, all_hits = int(rest["items"].sum()), int(hits.sum())
        ranked = sorted(rest["kappa"].dropna())
        people = zip(rest["participant"], rest["items"], hits, rest["kappa"], strict=True)
        for who, items, agreed, kappa in people if len(rest) > 1 else ():
            pooled = (all_hits - agreed) / (all_items - items)
            middle = _median_of_others(ranked, kappa)
            chance = at_most(agreed, items, pooled)
            evidence = {
                "items": items,
                "agreement": round(agreed / items, 4),
                "kappa": _rounded(kappa),
                "others": {"agreement": round(pooled, 4), "kappa": _rounded(middle)},
                "chance": float(f"{chance:.3g}"),
            }
            far = kappa <= middle - rule.gap  # never, where one is not defined
            outlier = items >= rule.fewest and far and chance < rule.chance
            judged[str(culture), who] = Deviation(evidence, outlier)
    return judged


def _median_of_others(ranked: Sequence[float], own: float) -> float:
    """The median of sorted numbers without one of them; NaN, which is none of them, takes none."""
    count = len(ranked) - (not math.isnan(own))
    if not count:
        return math.nan
    place = len(ranked) if math.isnan(own) else bisect_left(ranked, own)
    low, high = (ranked[at + (at >= place)] for at in ((count - 1) // 2, count // 2))
    return (low + high) / 2


def at_most(count: int, trials: int, chance: float) -> float:
    """The probability of at most `count` of so many independent events (binomial).

    >>> round(at_most(1, 2, 0.5), 6)
    0.75
    """
    if chance <= 0 or count >= trials:
        return 1.0
    if chance >= 1:
        return 0.0
    return min(
        1.0,
        sum(
            exp(
                lgamma(trials + 1) - lgamma(number + 1) - lgamma(trials - number + 1)
                + number * log(chance) + (trials - number) * log(1 - chance)
            )
            for number in range(count + 1)
        )
    )  # fmt: skip


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
