"""Answers with known parameters, for tests."""

from __future__ import annotations

import numpy as np
import pandas as pd

START = pd.Timestamp("2026-03-01T08:00Z")


def simulated(
    seed: int,
    *,
    items: int = 100,
    cultures: str = "AB",
    people: int = 7,
    careless: str = "",
    trend: float = 0.0,
    tiring: float = 0.0,
) -> pd.DataFrame:
    """Items that more or fewer find funny, answered by all people of all cultures, with times.

    Args:
        careless: whose labels are drawn evenly, such as `A0`.
        trend: how much more probable `funny` is at the end than at the beginning, in culture A.
        tiring: share of answers that are drawn evenly at the end of each person's, in culture A.
    """
    random = np.random.default_rng(seed)
    chance = random.beta(0.4, 0.4, size=items)
    tables = []
    for culture in cultures:
        for who in range(people):
            name = f"{culture}{who}"
            order = random.permutation(items)
            done = np.linspace(0, 1, items)
            funny = chance[order]
            if culture == "A":
                funny = np.clip(funny + trend * done, 0, 1)
                funny = tiring * done / 2 + (1 - tiring * done) * funny
            if name == careless:
                funny = np.full(items, 0.5)
            minutes = 720 * np.arange(items) + who
            columns = {
                "item": [f"m{item:03d}" for item in order],
                "culture": culture,
                "participant": name,
                "label": np.where(random.random(items) < funny, "funny", "not"),
                "time": START + pd.to_timedelta(minutes, unit="min"),
            }
            tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)
