"""One size for all languages. In: the sizes of a meme's parts in each. Out: the common ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest


def common_sizes(sizes: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """The largest size that fits all languages, a part.

    An empty part (size 0.0) fits at any size and does not count; a part that is empty in every
    language stays 0.0.

    >>> common_sizes([(40.0, 0.0), (32.0, 28.0), (36.0, 30.0)])
    (32.0, 28.0)
    """
    return tuple(
        min((size for size in part if size > 0), default=0.0)
        for part in zip_longest(*sizes, fillvalue=0.0)
    )


def relative_sizes(sizes: Sequence[float], source: Sequence[float]) -> list[float | None]:
    """Each part's size over the source language's; None where either has no text.

    >>> relative_sizes((30.0, 20.0, 0.0), (40.0, 0.0))
    [0.75, None, None]
    """
    return [
        size / other if size and other else None
        for size, other in zip_longest(sizes, source[: len(sizes)], fillvalue=0.0)
    ]
