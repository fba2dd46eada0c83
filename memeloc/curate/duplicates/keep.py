"""Which of several stays. In: items, and pairs that are the same. Out: an order, and groups.

A group is united of pairs of duplicates, and never of two that a person called different. Its
representative is the first of it by the rule that was chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from memeloc.items import Item

Rule = Literal["largest", "oldest", "votes", "first"]
"""Most pixels; earliest made; most votes; first collected."""

RULES: tuple[str, ...] = get_args(Rule)

_NEXT: tuple[Rule, ...] = ("largest", "votes", "oldest", "first")
"""What decides when a rule does not, in turn."""


def in_order(items: Sequence[Item], rule: Rule) -> list[Item]:
    """Items, the one to keep before the others.

    Where the rule does not decide, the other rules do: largest, votes, oldest, first. An item that
    does not say (no date, no votes) comes after all that do.

    Args:
        items: in the order in which they were collected.
        rule: what decides first.
    """
    chain: list[Rule] = [rule, *(other for other in _NEXT if other != rule)]
    ranked = sorted(
        enumerate(items), key=lambda row: tuple(_rank(name, row[1], row[0]) for name in chain)
    )
    return [item for _, item in ranked]


def _rank(rule: Rule, item: Item, place: int) -> tuple[float, ...]:
    if rule == "largest":
        return (-item.width * item.height, -item.size)
    if rule == "oldest":
        return (_made(item),)
    if rule == "votes":
        return (math.inf if item.votes is None else -item.votes,)
    return (place,)


def _made(item: Item) -> float:
    """When an item was made, in seconds from 1970; infinite when it does not say."""
    words = item.created.strip()
    if words.isdigit() and len(words) == 4 and int(words):
        return datetime(int(words), 1, 1, tzinfo=UTC).timestamp()
    try:
        moment = datetime.fromisoformat(words)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        pass
    if item.year is not None and 1 <= item.year.year <= 9999:
        return datetime(item.year.year, 1, 1, tzinfo=UTC).timestamp()
    return math.inf


class Groups:
    """Places 0 to n - 1, united two by two, but for those that are to stay apart.

    A group's root is the least place in it.
    """

    def __init__(self, count: int) -> None:
        self._parent = np.arange(count, dtype=np.int64)
        self._apart: dict[int, set[int]] = {}

    def keep_apart(self, one: int, other: int) -> None:
        """Never unite the groups of these two."""
        one, other = self.root(one), self.root(other)
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)

    def root(self, place: int) -> int:
        """The least place of the group that a place is in."""
        parent = self._parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = int(parent[place])
        return place

    def are_apart(self, one: int, other: int) -> bool:
        """Whether the groups of these two must not be united."""
        return self.root(other) in self._apart.get(self.root(one), ())

    def unite(self, one: int, other: int) -> bool:
        """Unite two groups; False when they are one already, or must stay apart."""
        one, other = sorted((self.root(one), self.root(other)))
        if one == other or other in self._apart.get(one, ()):
            return False
        self._parent[other] = one
        for third in self._apart.pop(other, ()):
            self._apart[third].discard(other)
            self._apart[third].add(one)
            self._apart.setdefault(one, set()).add(third)
        return True

    def roots(self) -> NDArray[np.int64]:
        """The root of every place."""
        parent = self._parent
        while True:
            above = parent[parent]
            if np.array_equal(above, parent):
                return parent.copy()
            parent[:] = above

    def unite_all(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Iterable[int]:
        """Unite many pairs in turn; the numbers of those that united two groups.

        Most of many pairs are in one group already; those are left out at once.
        """
        roots = self.roots()
        one, other = roots[first], roots[second]
        pairs = np.minimum(one, other) * len(roots) + np.maximum(one, other)
        _, firsts = np.unique(pairs, return_index=True)
        firsts.sort()
        left = firsts[one[firsts] != other[firsts]]
        return [at for at in left.tolist() if self.unite(int(first[at]), int(second[at]))]
