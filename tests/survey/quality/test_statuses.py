"""Every status that Prolific has means one thing."""

from __future__ import annotations

from memeloc.survey.quality.checking import (
    GONE,
    HANDED_IN,
    PAID,
    RUNNING,
    UNDECIDABLE,
    UNDER_WAY,
    WAITING,
)
from memeloc.survey.targets.prolific.api import STATUSES


def test_every_status_but_an_unknown_one_is_of_one_kind() -> None:
    for status in set(STATUSES.values()) - {"UNKNOWN"}:
        assert sum(status in kind for kind in (UNDER_WAY, WAITING, PAID, GONE)) == 1, status
        # What waits, and only that, is to be decided.
        assert (status in UNDECIDABLE) is (status != "AWAITING REVIEW")


def test_nobody_who_is_at_it_has_handed_in() -> None:
    assert RUNNING < UNDER_WAY
    assert not HANDED_IN & (UNDER_WAY | GONE)
    assert not any("UNKNOWN" in kind for kind in (UNDER_WAY, HANDED_IN, GONE))
