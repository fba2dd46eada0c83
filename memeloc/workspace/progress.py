"""How a function reports what it has done. In: nothing. Out: the type of such a callback."""

from __future__ import annotations

from collections.abc import Callable

Phases = Callable[[str, int, int | None], None]
"""Gets what is being done (such as "hashing"), how many more are done, and how many there are; None
when that is not known."""


def silent(phase: str, more: int, total: int | None) -> None:
    """Report nothing."""
