"""How the cost of a piece of work grows with its size: a ratio, so that no machine is too slow."""

from __future__ import annotations

import time
from collections.abc import Callable

EIGHTH = 8
"""How much larger the large work is than the small one."""

_NOISE = 0.01
"""Seconds of CPU below which a time says little."""


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of a piece of work."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def is_linear(small: float, large: float) -> bool:
    """Whether eight times the work takes at most 24 times as long; squared, it would take 64."""
    return large <= 3 * EIGHTH * max(small, _NOISE)
