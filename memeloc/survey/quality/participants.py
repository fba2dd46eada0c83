"""What recruitment services say of people. In: rows of exports, as they came. Out: one row a study.

Statuses are those of Prolific's API (docs.prolific.com, submissions), in capitals. `TIMED OUT` is
how its exports have had `TIMED-OUT`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memeloc.survey.model import MOMENTS, Participant
from memeloc.survey.times import read_moment

RUNNING = frozenset({"ACTIVE", "RESERVED"})
"""Somebody is at it."""

UNDER_WAY = RUNNING | {"PROCESSING"}
"""It was not handed in, or the service is not done with that."""

WAITING = frozenset({"AWAITING REVIEW"})
"""It was handed in and waits for a decision; it is owed until then."""

PAID = frozenset({"APPROVED", "PARTIALLY APPROVED"})
"""It was handed in and has been paid."""

HANDED_IN = WAITING | PAID
"""There should be answers."""

ENDED = frozenset({"RETURNED", "TIMED-OUT", "TIMED OUT"})
"""It came to nothing there, and nobody judged it: what was done can be paid as a bonus."""

GONE = ENDED | {"SCREENED OUT", "REJECTED"}
"""Its answers are not to be used."""

UNDECIDABLE = UNDER_WAY | PAID | GONE
"""There is nothing to decide yet, or any more."""


def words_of(study: str) -> set[str]:
    """Return the words of a study's name: it is a sheet's when its name has the sheet's id.

    >>> sorted(words_of("Memes: r1-b03-DE (pilot)"))
    ['Memes', 'pilot', 'r1-b03-DE']
    """
    return set(re.findall(r"[\w-]+", study))


_FEWEST = 8
"""Letters of an id, the half of which is nobody else's."""
_TYPED = "0123456789abcdefghijklmnopqrstuvwxyz"


def typed_otherwise(id: str) -> set[str]:
    """Return what an id may become where it is typed or copied by hand: one slip, or a part of it.

    A slip is a letter left out, put in or changed, or two that changed places (Damerau, 1964: they
    are four of five misspellings); a part is what a copy took that missed up to four letters.

    >>> sorted({"5e9", "5e90bc", "e590b", "5e90v", "5e9ob", "5590b"} & typed_otherwise("5e90b"))
    ['5590b', '5e90bc', '5e90v', '5e9ob', 'e590b']
    """
    splits = [(id[:at], id[at:]) for at in range(len(id) + 1)]
    typed = {before + after[1:] for before, after in splits}
    typed |= {before + after[1::-1] + after[2:] for before, after in splits}
    typed |= {f"{before}{letter}{after}" for before, after in splits for letter in _TYPED}
    typed |= {f"{before}{letter}{after[1:]}" for before, after in splits for letter in _TYPED}
    if len(id) > 2 * _FEWEST:
        typed |= {id[:-left] for left in range(1, 5)} | {id[left:] for left in range(1, 5)}
    return typed - {id}


def merged(rows: Iterable[Participant]) -> list[Participant]:
    """Return each person once in each study, in the order in which they came first.

    An older export may come later, and a list of submissions has no facts. Status, time and details
    are those of the newest row by the service's own times; of rows of the same time, of the one
    that is further on, then of the one that came last. Facts of all rows are put together; a later
    row's goes before an earlier's. What a row says is withheld (`details["withheld"]`: consent
    revoked, data expired) is forgotten.
    """
    by_study: dict[tuple[str, str], list[Participant]] = defaultdict(list)
    for row in rows:
        by_study[row.participant, row.study].append(row)
    return [_merge(group) for group in by_study.values()]


def _merge(rows: Sequence[Participant]) -> Participant:
    facts: dict[str, str] = {}
    withheld: dict[str, Any] = {}
    for row in rows:
        withdrawn = row.details.get("withheld") or {}
        withheld |= withdrawn
        both = facts | dict(row.facts)
        facts = {name: value for name, value in both.items() if name not in withdrawn}
    newest = max(reversed(rows), key=_place)
    preferred = (newest, *rows)
    return replace(
        newest,
        facts=dict(sorted(facts.items())),
        submission=next((row.submission for row in preferred if row.submission), ""),
        seconds=next((row.seconds for row in preferred if row.seconds is not None), None),
        details=dict(newest.details) | ({"withheld": withheld} if withheld else {}),
    )


def _place(row: Participant) -> tuple[datetime, int]:
    status = row.status.upper()
    rank = 0 if not status or status in UNDER_WAY else 1 if status in WAITING else 2
    times = [time for name in MOMENTS if (time := read_moment(row.details.get(name)))]
    return max(times, default=datetime.min.replace(tzinfo=UTC)), rank
