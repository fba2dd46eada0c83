"""Records of a survey. In: `memeloc.model`. Out: the frozen types of the stage.

A survey is built once as batches, the same for every culture; a sheet is a batch in one culture's
language, to be filled by several annotators; what one of them sent is a `Submission`.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Literal

from memeloc.model import Locale
from memeloc.taxonomy.model import LABEL, Question, Taxonomy

CheckKind = Literal["explicit", "implicit"]
"""An explicit check says what to answer; an implicit one repeats an example of the introduction."""


@dataclass(frozen=True, slots=True)
class Culture:
    """People who annotate: the country's ISO 3166-1 alpha-2 code, and the language of their sheets.

    Bicultural people (multi3hate 4.3) have a code such as `IN-US`, born in the one country and
    resident in the other, and speak a `second` language. Others have to be `resident` where they
    were born, or need not be (multi3hate 3.3 relaxes it for India and China).
    """

    code: str
    locale: Locale
    resident: bool = True
    second: Locale | None = None

    @property
    def country(self) -> str:
        return self.code.partition("-")[0]

    @property
    def residence(self) -> str:
        return self.code.rpartition("-")[2]


@dataclass(frozen=True, slots=True)
class Check:
    """An attention check, its id (`check-2`) unique in its sheet, passed by the label `expected`.
    An implicit one shows an example of the taxonomy, by its id and picture."""

    id: str
    kind: CheckKind
    expected: str
    example: str = ""
    picture: Path | None = None


@dataclass(frozen=True, slots=True)
class MemeEntry:
    """A meme to be labelled, in the sheet's language; its caption is for screen readers. `texts`
    are its own texts by question id, see `Question.item_text`."""

    meme_id: str
    template: str
    picture: Path
    caption: str = ""
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)


PERSON = "person"
"""The id of the entry with the questions about the person."""


@dataclass(frozen=True, slots=True)
class PersonEntry:
    """The questions about the person, at the end of a sheet that has them."""

    id: str = PERSON
    picture: None = None


Entry = MemeEntry | Check | PersonEntry
"""What a sheet asks, one after the other."""


def entry_id(entry: Entry) -> str:
    return entry.meme_id if isinstance(entry, MemeEntry) else entry.id


def questions_of(taxonomy: Taxonomy, entry: Entry) -> tuple[Question, ...]:
    """Return the questions besides the label that an entry may be asked, whatever was answered. An
    explicit check is only to be read. An implicit one looks like a meme, and is asked like one
    without a question of its own."""
    if isinstance(entry, PersonEntry):
        return taxonomy.about("person")
    if isinstance(entry, Check) and entry.kind == "explicit":
        return ()
    texts = entry.texts if isinstance(entry, MemeEntry) else {}
    return tuple(
        question
        for question in taxonomy.about("item", "picture")
        if question.item_text != "question" or texts.get(question.id)
    )


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a batch, the same in all cultures: a meme, or a check that is to be drawn."""

    meme_id: str = ""
    check: CheckKind | None = None
    example: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Memes that are asked together, in order, with their checks; parallel over all cultures. Its
    id is such as `r1-b03`; round 0 is pre-annotation, 1 the survey, from 2 on ties. `cultures` are
    codes (a tie may be left in some only), `answers` how many fill it in each of them."""

    id: str
    round: int
    slots: tuple[Slot, ...]
    cultures: tuple[str, ...]
    answers: int

    @property
    def memes(self) -> tuple[str, ...]:
        return tuple(slot.meme_id for slot in self.slots if slot.meme_id)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A batch in one culture's language: one form, one study, one file. Its id is such as
    `r1-b03-DE`: letters, digits and `-`. `survey`, `batch` and `taxonomy` are names; `wanted` is
    how many annotators are to fill it."""

    id: str
    survey: str
    batch: str
    round: int
    culture: Culture
    taxonomy: str
    entries: tuple[Entry, ...]
    wanted: int

    @property
    def memes(self) -> tuple[str, ...]:
        return tuple(entry.meme_id for entry in self.entries if isinstance(entry, MemeEntry))


@dataclass(frozen=True, slots=True)
class CompletionCodes:
    """Codes that a sheet shows at its end, for the recruitment service to know how it ended.
    `done`: all was answered; `failed_checks`: too few attention checks were passed; `no_consent`:
    the person did not agree; `screened_out`: the person is not one of those looked for."""

    done: str
    failed_checks: str
    no_consent: str
    screened_out: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answers to one entry.

    Attributes:
        values: by question id, `LABEL` for the label, in the questions' order; those without an
            answer are left out. Answers to choose from are ids; a number of a scale is such as `3`,
            a span of the caption such as `12-20`: its first code point and the one after its last,
            counted from 0.
        shown, took: for how many milliseconds the picture was seen, and the item on the screen, on
            all visits; None where that was not measured. A picture with 0 could not be shown, and
            its person went on without an answer.
    """

    entry: str
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    shown: int | None = None
    took: int | None = None

    def get(self, question_id: str) -> tuple[str, ...]:
        """Return what was answered to a question; empty for nothing.

        >>> Answer("m1", {"label": ("hate",), "target": ("society",)}).get("target")
        ('society',)
        """
        return self.values.get(question_id, ())

    @property
    def label(self) -> str:
        """The label, empty for none."""
        return self.values[LABEL][0] if LABEL in self.values else ""


@dataclass(frozen=True, slots=True)
class Submission:
    """The answers that one annotator sent for one sheet, once.

    Attributes:
        id: at its source, or made of its content; the same when the same file is read again.
        participant: as the source, a target by its name, has it; stored as a keyed hash.
        submitted: a later one of the same participant and sheet supersedes.
        status: `complete`, `returned`, `no consent`, `consent revoked`, `timed out` or
            `screened out`.
        code: the completion code that was shown; empty when unknown.
        presented: `consent` (`at`, `version` and `language` of what was agreed to) and `order` (by
            question its answers as they were shown); empty where the target does not say it.
    """

    id: str
    sheet: str
    participant: str
    answers: tuple[Answer, ...]
    source: str
    submitted: datetime | None = None
    started: datetime | None = None
    status: str = "complete"
    code: str = ""
    presented: Mapping[str, Any] = field(default_factory=dict, hash=False)
    row: int = 0

    @property
    def not_shown(self) -> frozenset[str]:
        """The entries whose pictures could not be shown, so that no answer is missing."""
        return frozenset(answer.entry for answer in self.answers if answer.shown == 0)


STARTED, COMPLETED, REVIEWED, ARCHIVED = "started", "completed", "reviewed", "archived"
RETURN_REQUESTED = "return_requested"
MOMENTS = (STARTED, COMPLETED, REVIEWED, ARCHIVED, RETURN_REQUESTED)
"""What times of a submission are called in `Participant.details`."""


@dataclass(frozen=True, slots=True)
class Participant:
    """A recruitment service's report of a person, the id and values as written there.

    `facts` are such as `nationality`, `country_of_birth`, `residence`, `first_language`, `sex`,
    `age`, without revoked or expired ones; `status` is of the `submission` in a `study`, such as
    `APPROVED`, for which the person took so many `seconds`.
    """

    participant: str
    facts: Mapping[str, str] = field(default_factory=dict)
    submission: str = ""
    study: str = ""
    status: str = ""
    seconds: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row or answer that could not be placed; it is kept with its content as JSON values.

    `reason` is a short key that can be counted, `message` a sentence that says what to do, which
    quotes the file by `repr`. `participant` is whose it is, as the source has it, where that is
    known; it is stored as a keyed hash, and no name of a file is stored.
    """

    file: str
    row: int
    reason: str
    message: str
    content: Mapping[str, Any] = field(default_factory=dict)
    participant: str = ""


@dataclass(frozen=True, slots=True)
class LabelDecision:
    """A decision of some people about an item in a culture.

    Attributes:
        values: what was decided by question id, as of `Answer`; the label may reject the item.
        people: who took part, as they are stored: keyed hashes.
        reason: why, in their words.
    """

    item: str
    culture: str
    values: Mapping[str, tuple[str, ...]] = field(hash=False)
    people: tuple[str, ...]
    reason: str

    @property
    def cell(self) -> tuple[str, str]:
        return (self.item, self.culture)


def read_moment(text: Any, zone: tzinfo = UTC) -> datetime | None:
    """Return a time in UTC, to the microsecond; None for another text or a year beyond 1 to 9999.

    `zone` is that of times that do not name theirs.

    >>> read_moment("2026-03-01T09:00:00.123456789+01:00").isoformat()
    '2026-03-01T08:00:00.123456+00:00'
    >>> read_moment("1 March"), read_moment("0001-01-01T00:00:00+14:00"), read_moment(None)
    (None, None, None)
    """
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


ENDINGS = tuple(field.name for field in fields(CompletionCodes))
"""The ways that a sheet can end, each with a code of its own."""

LETTERS = "23456789BCDFGHJKMNPQRSTVWXZ"
"""What codes are written in: nothing that is taken for something else; no vowels, so no words."""

LENGTH = 10
"""Letters of a code: 47 bits."""


def codes(survey: str, sheet: str, secret: bytes) -> CompletionCodes:
    """Return the codes of a sheet (by its id), always the same for the same secret."""
    return CompletionCodes(*(_code(secret, survey, sheet, f"{ending} 0") for ending in ENDINGS))


def _code(secret: bytes, *parts: str) -> str:
    # The lengths keep two splits of the same text apart.
    message = "\n".join(f"{len(part)} {part}" for part in ("completion code", *parts))
    digest = hmac.digest(secret, message.encode("utf-8", "surrogatepass"), "sha256")
    rest, code = int.from_bytes(digest, "big"), ""
    for _ in range(LENGTH):
        rest, letter = divmod(rest, len(LETTERS))
        code += LETTERS[letter]
    return code
