"""What a filter says of an item. In: nothing. Out: the noun that filters give and the store keeps.

A verdict never deletes anything: the selection reads verdicts, and a person can overrule each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["keep", "drop", "ask"]
"""Use it, leave it out, or let a person decide."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one filter says of one item.

    Attributes:
        score: what was compared with a threshold, in the filter's own unit; else None.
        reason: a short key that can be counted, as `other language`; empty for `keep`.
        evidence: what the verdict rests on, as JSON values.
        settings: cache key of the filter's settings, of the versions it ran with and of what it
            looked at; while it stays the same, judging again would say the same.
    """

    item: str
    filter: str
    verdict: Outcome
    score: float | None = None
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    settings: str = ""


Verdicts = Mapping[str, Mapping[str, Verdict]]
"""The newest verdicts, by item and filter."""
