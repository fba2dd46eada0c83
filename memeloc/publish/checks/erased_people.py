"""People who were erased. In: a `Release`. Out: where they still stand."""

from __future__ import annotations

from collections.abc import Iterator

from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.checks.texts import find_words
from memeloc.publish.release import Release

RULE = "erased people"


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Texts and names of files that name somebody who was erased."""
    yield from find_words(
        release,
        RULE,
        "refused",
        "this names a person whom `memeloc survey forget` erased; take it out.",
        lambda word, column: private.is_erased(word),
    )
