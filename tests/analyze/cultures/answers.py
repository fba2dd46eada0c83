"""Answers for tests: simulated with shifts between cultures, and written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from memeloc.analyze import Answers

COLUMNS = ["item", "culture", "participant", "label"]


def simulated(
    seed: int = 0,
    *,
    items: int = 60,
    cultures: Sequence[str] = ("DE", "IN", "US"),
    people: int = 8,
    answers: int = 5,
    labels: Sequence[str] = ("hate", "non-hate"),
    **known: Any,
) -> Answers:
    """Items that differ in how they are seen, the more so in cultures that come later.

    `known` goes to `Answers.of`; items have a category and a topic.
    """
    random = np.random.default_rng(seed)
    rows = []
    seen = random.normal(0, 1.5, items)
    for shift, culture in enumerate(cultures):
        own = seen + random.normal(0.3 * shift, 0.8, items)
        for item in range(items):
            who = random.choice(people, answers, replace=False)
            noisy = own[item] + random.normal(0, 1, answers)
            places = np.clip((noisy + len(labels) / 2).astype(int), 0, len(labels) - 1)
            rows += [
                (f"m{item:03d}", culture, f"{culture}{person}", labels[place])
                for person, place in zip(who, places, strict=True)
            ]
    names = [f"m{item:03d}" for item in range(items)]
    about = pd.DataFrame(
        {
            "category": [("cats", "office", "tea")[item % 3] for item in range(items)],
            "topic": [f"topic {item % 5}" for item in range(items)],
        },
        index=names,
    )
    table = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    return Answers.of(table, labels=labels, items=known.pop("about", about), **known)


def written(votes: Mapping[str, Mapping[str, str]], **known: Any) -> Answers:
    """By item and culture the answers, a letter each; a person a place: `{"m1": {"US": "aab"}}`."""
    rows = [
        (item, culture, f"{culture}{person}", label)
        for item, by_culture in votes.items()
        for culture, labels in by_culture.items()
        for person, label in enumerate(labels)
        if label != "."
    ]
    return Answers.of(pd.DataFrame(rows, columns=COLUMNS, dtype=object), **known)
