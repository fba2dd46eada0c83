"""Participants' ids. In: a `Release`. Out: where an id stands that is not a keyed hash."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memeloc.publish.checks.finding import Finding, Private
from memeloc.publish.checks.texts import find_words
from memeloc.publish.describing.summary import ANNOTATOR
from memeloc.publish.release import Release

RULE = "participant ids"

_HASH = re.compile(r"[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{64}")
_LIKE_IDS = re.compile(r"[0-9a-f]{24}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
"""Ids of people and submissions at Prolific, and e-mail addresses."""
_OTHER_IDS = re.compile(r"meme_id|item|template|path|sha256|url|source|licence|evidence")
"""Columns in which 24 hex digits, or an address, are not a person's."""


def find(release: Release, private: Private) -> Iterator[Finding]:
    """Ids as services have them, ids that the workspace knows, names that are no keyed hash."""
    for name, table in release.tables.items():
        if ANNOTATOR in table.frame.columns:
            values = table.frame[ANNOTATOR].astype(str)
            wrong = (~values.str.fullmatch(_HASH.pattern)).to_numpy().nonzero()[0].tolist()
            if wrong:
                yield Finding(
                    RULE,
                    "refused",
                    "an annotator is not named by a keyed hash; publish the workspace's own "
                    "answers, or hash the ids first.",
                    f"tables/{name}",
                    wrong[0] + 2,
                    ANNOTATOR,
                    len(wrong),
                )

    def is_id(word: str, column: str) -> bool:
        if column == ANNOTATOR:
            return False
        looks = bool(column) and not _OTHER_IDS.fullmatch(column) and _LIKE_IDS.fullmatch(word)
        return bool(looks) or private.is_participant(word)

    yield from find_words(
        release,
        RULE,
        "refused",
        "this names a person: an id or an address of somebody; take it out.",
        is_id,
    )
