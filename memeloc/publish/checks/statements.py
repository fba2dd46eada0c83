"""What a card needs of people. In: what a team says of its release. Out: warnings for gaps."""

from __future__ import annotations

from collections.abc import Iterator

from memeloc.publish.checks.finding import SETTINGS, Finding, Private
from memeloc.publish.describing.summary import ANSWERS
from memeloc.publish.release import Release

RULE = "statements"

_WANTED = {
    "title": "what the dataset is called",
    "description": "what it holds, and why it was made",
    "authors": "whom to cite",
    "date": "when this version goes out, such as 2026-11-23",
    "intended_use": "what it may be used for, and what not",
    "limitations": "what it does not show",
}
_OF_ANSWERS = {
    "consent": "what annotators agreed to",
    "wages": "what annotators were paid",
}


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Statements that are missing; the card calls them not stated."""
    wanted = _WANTED | (_OF_ANSWERS if ANSWERS in release.tables else {})
    for name, what in wanted.items():
        if not getattr(release.about, name):
            message = f"[release] does not say {what}; the card calls it not stated."
            yield Finding(RULE, "warning", message, SETTINGS, column=name)
