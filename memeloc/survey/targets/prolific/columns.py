"""What Prolific's columns are called. In: a heading, or a key of the API. Out: what it means.

The one table by which exports and lists of submissions are read. The spellings are those of the
study page's export (`Submission id`, ...), of the older one (`session_id`, `entered_code`, ...),
and of the public API (docs.prolific.com/api-reference/studies/export-demographic-data,
.../submissions/get-submissions, .../submissions/get-submission).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from memeloc.survey.model import ARCHIVED, COMPLETED, RETURN_REQUESTED, REVIEWED, STARTED

PARTICIPANT, SUBMISSION, STUDY, STUDY_NAME = "participant", "submission", "study", "study name"
STATUS, CODE, SECONDS = "status", "code", "seconds"

Group = Literal["submission", "facts", "details", "dropped", "other"]
"""Whether a column describes a submission or the person, decides nothing, is not taken over at all
(it tells more of a person than anybody asked for), or is not known."""

MEANINGS: Mapping[Group, Mapping[str, tuple[str, ...]]] = {
    "submission": {
        PARTICIPANT: ("participant id", "participant", "prolific id", "prolific pid"),
        SUBMISSION: ("submission id", "session id", "id"),
        STUDY: ("study id",),
        STUDY_NAME: ("internal name", "study name", "study internal name", "study"),
        STATUS: ("status", "submission status"),
        CODE: ("completion code", "entered code", "study code"),
        SECONDS: ("time taken", "time taken in seconds", "time taken seconds"),
        STARTED: ("started at", "started datetime", "started date time", "date started"),
        COMPLETED: ("completed at", "completed date time", "completed datetime", "date completed"),
        REVIEWED: ("reviewed at", "reviewed at datetime", "reviewed date time"),
        ARCHIVED: ("archived at", "archived at datetime", "archived date time"),
        RETURN_REQUESTED: ("return requested", "return requested at"),
    },
    "facts": {
        "age": ("age", "age demographics"),
        "sex": ("sex",),
        "gender": ("gender", "gender identity"),
        "ethnicity": ("ethnicity simplified", "simplified ethnicity", "ethnicity"),
        "nationality": ("nationality", "current nationality"),
        "country_of_birth": ("country of birth",),
        "residence": ("current country of residence", "country of residence", "residence"),
        "first_language": ("first language", "language", "native language"),
        "fluent_languages": ("fluent languages",),
        "most_of_life": ("place of most time spent before turning 18",),
        "monocultural": (
            *("monocultural", "monocultural multicultural", "mono multi cultural"),
            *("multicultural", "cultural background"),
        ),
        "student": ("student status",),
        "employment": ("employment status",),
    },
    "details": {
        "terms_accepted": ("custom study tncs accepted at",),
        "total_approvals": ("total approvals", "num approvals"),
        "total_rejections": ("total rejections", "num rejections"),
        "score": ("prolific score",),
        "reward": ("reward", "submission reward"),
        "bonuses": ("bonus payments",),
        "complete": ("is complete",),
        "siblings": ("has siblings",),
        "parent_study": ("parent study id",),
        "star": ("star awarded",),
    },
    "dropped": {"personal": ("ip", "ip address", "date of birth")},
}

STATUSES: Mapping[str, str] = {
    **{
        status.lower(): status
        for status in (
            *("RESERVED", "ACTIVE", "PROCESSING", "AWAITING REVIEW", "APPROVED", "REJECTED"),
            *("PARTIALLY APPROVED", "RETURNED", "SCREENED OUT", "UNKNOWN"),
        )
    },
    "timed out": "TIMED-OUT",
    "timedout": "TIMED-OUT",
    "screenedout": "SCREENED OUT",
}
"""Statuses as `Participant.status` has them, by what exports and the API write."""

REVOKED = "consent revoked"
"""What stands for a value of a person who withdrew consent."""

WITHHELD = frozenset({REVOKED, "data expired"})
"""What stands for a value that Prolific does not give any more."""

NOTHING = frozenset({"", "not applicable", "n a", "na", "null", "none", "nan"})
"""What stands for no value in these columns."""

NO_CODE = frozenset({"nocode", "no code"})
"""What stands for the code of people who entered none."""

_BETWEEN = re.compile(r"[\W_]+")


@lru_cache(1 << 14)
def key_of(heading: str) -> str:
    """A heading or value as it is compared: small letters, digits and single spaces.

    >>> key_of("Ethnicity (simplified)"), key_of("TIMED-OUT"), key_of("Participant.id")
    ('ethnicity simplified', 'timed out', 'participant id')
    """
    return " ".join(_BETWEEN.sub(" ", heading.casefold()).split())


class Column(NamedTuple):
    """What a heading means: its group, the name within it, and its rank among its synonyms."""

    group: Group
    name: str
    rank: int = 0


COLUMNS: Mapping[str, Column] = {
    alias: Column(group, name, rank)
    for group, names in MEANINGS.items()
    for name, aliases in names.items()
    for rank, alias in enumerate(aliases)
}
"""By heading, as of `key_of`; of several columns of one meaning the lowest rank goes first."""


def column_of(heading: str) -> Column:
    """What a heading means."""
    return COLUMNS.get(key_of(heading)) or Column("other", heading)
