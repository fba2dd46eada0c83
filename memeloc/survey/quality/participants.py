"""What is known of people by now. In: what exports said, in the order of coming. Out: one a study.

An older export may come later, and a list of submissions has no facts: what is newer in the
service's own time holds, and no fact is lost to a file that does not have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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

    Status, time and details are those of the newest row by the service's own moments; of rows of
    the same moment, of the one that is further on, then of the one that came last. Facts of all
    rows are put together; a later row's goes before an earlier's. What a row says is withheld
    (`details["withheld"]`: consent revoked, data expired) is forgotten.
    """
    by_study: dict[tuple[str, str], Participant] = {}
    for row in rows:
        key = (row.participant, row.study)
        before = by_study.get(key)
        by_study[key] = _clean(row) if before is None else _joined(before, row)
    return list(by_study.values())


def _joined(before: Participant, one: Participant) -> Participant:
    newest = one if _place(one) >= _place(before) else before
    withheld = {**_withheld(before), **_withheld(one)}
    facts = {name: value for name, value in before.facts.items() if name not in _withheld(one)}
    facts |= one.facts
    details = dict(newest.details) | ({"withheld": withheld} if withheld else {})
    seconds = newest.seconds if newest.seconds is not None else (before.seconds or one.seconds)
    return replace(
        newest,
        facts=dict(sorted(facts.items())),
        submission=newest.submission or before.submission or one.submission,
        seconds=seconds,
        details=details,
    )


def _clean(one: Participant) -> Participant:
    withheld = _withheld(one)
    if not withheld.keys() & one.facts.keys():
        return one
    facts = {name: value for name, value in one.facts.items() if name not in withheld}
    return replace(one, facts=facts)


def _place(one: Participant) -> tuple[datetime, int]:
    status = one.status.upper()
    rank = 0 if not status or status in UNDER_WAY else 1 if status in WAITING else 2
    moments = [moment for name in MOMENTS if (moment := read_moment(one.details.get(name)))]
    return max(moments, default=datetime.min.replace(tzinfo=UTC)), rank


def _withheld(one: Participant) -> Mapping[str, Any]:
    value = one.details.get("withheld")
    return value if isinstance(value, Mapping) else {}
