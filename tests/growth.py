"""How the cost of a piece of work grows with its size: a ratio, so that no machine is too slow."""

from __future__ import annotations

import time
from collections.abc import Callable

_EIGHTH = 8
_NOISE = 0.01
"""Seconds of CPU below which a time says little."""
_TRIES = 3
"""A busy machine disturbs even the time of the CPU."""


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of a piece of work."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def is_linear(seconds: Callable[[int], float], size: int) -> bool:
    """Whether eight times the work takes at most 24 times as long; squared, it would take 64.

    Args:
        seconds: does the work of a size, and gives its CPU seconds.
        size: the larger one.
    """
    return any(
        seconds(size) <= 3 * _EIGHTH * max(seconds(size // _EIGHTH), _NOISE) for _ in range(_TRIES)
    )
