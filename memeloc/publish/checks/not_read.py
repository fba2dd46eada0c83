"""What no person has read. In: a `Release`. Out: warnings, a language each."""

from __future__ import annotations

from collections.abc import Iterator

from memeloc.counts import counted
from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.release import Release

RULE = "not read"


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Captions and survey texts that no person has read."""
    for language, count in release.unread.items():
        if count:
            yield Finding(
                RULE,
                "warning",
                f"no person has read {counted(count, 'caption')} in {language}; "
                f"`memeloc correct export --lang {language}` sends them to one. The card says so.",
                "tables/captions",
                column="state",
            )
    for language, count in release.unread_texts.items():
        if count:
            yield Finding(
                RULE,
                "warning",
                f"no person has read {counted(count, 'text')} of the surveys in {language}; "
                f"`memeloc correct export --kind survey --lang {language}` sends them to one.",
            )
