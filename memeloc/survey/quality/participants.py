"""What is known of people by now. In: rows of exports, as they came. Out: one row a study.

An older export may come later, and a list of submissions has no facts: what is newer by the
service's own times counts, and no fact is lost to a file that does not have it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memeloc.survey.model import MOMENTS, Participant
from memeloc.survey.quality.statuses import UNDER_WAY, WAITING
from memeloc.survey.times import read_moment


def words_of(study: str) -> set[str]:
    """The words of a study's name: a study is a sheet's when its name has the sheet's id.

    >>> sorted(words_of("Memes: r1-b03-DE (pilot)"))
    ['Memes', 'pilot', 'r1-b03-DE']
    """
    return set(re.findall(r"[\w-]+", study))


def merged(rows: Iterable[Participant]) -> list[Participant]:
    """Each person once in each study, in the order in which they came first.

    Status, time and details are those of the newest row by the service's own times; of rows of
    the same time, of the one that is further on, then of the one that came last. Facts of all
    rows are put together; a later row's goes before an earlier's. What a row says is withheld
    (`details["withheld"]`: consent revoked, data expired) is forgotten.
    """
    by_study: dict[tuple[str, str], list[Participant]] = defaultdict(list)
    for row in rows:
        by_study[row.participant, row.study].append(row)
    return [_merge(group) for group in by_study.values()]


def _merge(rows: Sequence[Participant]) -> Participant:
    facts: dict[str, str] = {}
    withheld: dict[str, Any] = {}
    for row in rows:
        own = row.details.get("withheld") or {}
        withheld |= own
        facts = {
            name: value for name, value in (facts | dict(row.facts)).items() if name not in own
        }
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
