"""Which of several duplicates stays. In: items, a rule. Out: items, the one to keep first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from memeloc.items import Item

Rule = Literal["largest", "oldest", "votes", "first"]
"""Most pixels; earliest made; most votes; first collected."""

_NEXT: tuple[Rule, ...] = ("largest", "votes", "oldest", "first")
"""What decides when a rule does not, in turn."""


def in_order(items: Sequence[Item], rule: Rule) -> list[Item]:
    """Items, given as they were collected, the one to keep before the others.

    Where the rule does not decide, the other rules do: largest, votes, oldest, first. An item that
    has no date or no votes comes after all that have.
    """
    chain = sorted(_NEXT, key=lambda other: other != rule)
    ranked = sorted(
        enumerate(items), key=lambda row: [_rank(name, row[1], row[0]) for name in chain]
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
    """When an item was made, in seconds from 1970; infinite when it has no date."""
    text = item.created.strip()
    year = f"{item.year.year:04d}" if item.year is not None else ""
    for date in (text, year):
        try:
            made = datetime.fromisoformat(f"{date}-01-01" if len(date) == 4 else date)
            return made.replace(tzinfo=made.tzinfo or UTC).timestamp()
        except (ValueError, OverflowError):
            continue
    return math.inf
