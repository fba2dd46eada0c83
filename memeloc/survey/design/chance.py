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
    return Random("\n".join(map(str, (seed, *purpose))))


def shuffled(values: Sequence[T], random: Random) -> list[T]:
    return sorted(values, key=lambda _: random.random())


def one_of(values: Sequence[T], random: Random) -> T:
    return values[int(random.random() * len(values))]
