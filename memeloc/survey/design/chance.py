"""Chance by seed. In: a seed and what it is for. Out: the same draws on every machine.

Only `Random.random` is used: of all its methods Python promises the same numbers for it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def chance(seed: int, *purpose: object) -> Random:
    """A source of draws for one purpose; another purpose draws others from the same seed."""
    return Random("\n".join(str(one) for one in (seed, *purpose)))


def shuffled(values: Sequence[T], random: Random) -> list[T]:
    """The same in random order."""
    keys = [random.random() for _ in values]
    return [values[place] for place in sorted(range(len(values)), key=keys.__getitem__)]


def one_of(values: Sequence[T], random: Random) -> T:
    """One of the values, each with the same probability."""
    return values[min(int(random.random() * len(values)), len(values) - 1)]
