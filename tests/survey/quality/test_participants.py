"""What several exports say of the same people."""

from __future__ import annotations

from itertools import permutations

from memeloc.survey.model import Participant
from memeloc.survey.quality.checking import merged

STUDY = "r1-b01-DE"


def row(status: str, facts: dict[str, str] | None = None, **details: object) -> Participant:
    return Participant("ada", facts or {}, "s1", STUDY, status, 300.0, details)


def test_an_older_export_that_comes_later_takes_nothing_back() -> None:
    waiting = row("AWAITING REVIEW", {"sex": "Female"}, completed="2026-03-01T10:00:00+00:00")
    approved = row("APPROVED", {"sex": "Female"}, reviewed="2026-03-02T10:00:00+00:00")
    for order in permutations([waiting, approved]):
        (one,) = merged(order)
        assert one.status == "APPROVED"


def test_who_returned_and_came_back_is_as_last_seen() -> None:
    gone = row("RETURNED", started="2026-03-01T09:00:00Z")
    back = row("AWAITING REVIEW", started="2026-03-01T12:00:00Z")
    assert [merged(order)[0].status for order in permutations([gone, back])] == [
        "AWAITING REVIEW"
    ] * 2


def test_what_a_person_has_withheld_since_is_forgotten() -> None:
    before = row("APPROVED", {"age": "30", "sex": "Female"})
    after = row("APPROVED", {"sex": "Female"}, withheld={"age": "consent revoked"})
    (one,) = merged([before, after])
    assert one.facts == {"sex": "Female"}
