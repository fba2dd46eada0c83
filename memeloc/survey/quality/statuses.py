"""What a recruitment service says of a submission. In: `Participant.status`. Out: what it means.

The words are those of Prolific's API (docs.prolific.com, submissions), in capitals. `TIMED OUT` is
how its exports have had `TIMED-OUT`.
"""

from __future__ import annotations

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

GONE = frozenset({"RETURNED", "TIMED-OUT", "TIMED OUT", "SCREENED OUT", "REJECTED"})
"""Its answers are not to be used."""

ENDED = frozenset({"RETURNED", "TIMED-OUT", "TIMED OUT"})
"""It came to nothing there, and nobody judged it: what was done can be paid as a bonus."""

UNDECIDABLE = UNDER_WAY | PAID | GONE
"""There is nothing to decide yet, or any more."""
