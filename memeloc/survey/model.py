"""What a survey consists of. In: `memeloc.model`. Out: the frozen types of the stage.

A survey is built once as batches, the same for every culture; a sheet is a batch in one culture's
language, to be filled by several annotators; what one of them sent is a `Submission`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from memeloc.model import Locale

CheckKind = Literal["explicit", "implicit"]
"""An explicit check says what to answer; an implicit one repeats an example of the introduction."""


@dataclass(frozen=True, slots=True)
class Culture:
    """People who annotate.

    Attributes:
        code: country, ISO 3166-1 alpha-2, such as `DE`; names the culture everywhere.
        locale: the language that its sheets are in.
        resident: whether annotators have to live there (multi3hate 3.3 relaxes it for India
            and China).
    """

    code: str
    locale: Locale
    resident: bool = True


@dataclass(frozen=True, slots=True)
class Check:
    """An attention check.

    Attributes:
        id: such as `check-2`, unique in its sheet.
        kind: see `CheckKind`.
        example: id of the taxonomy's example that an implicit check shows; empty for explicit.
        expected: id of the label that passes it.
        picture: the example's picture in the sheet's language; None for an explicit check.
    """

    id: str
    kind: CheckKind
    expected: str
    example: str = ""
    picture: Path | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A meme to be labelled.

    Attributes:
        meme_id: the meme's.
        template: its template's name.
        picture: the rendered picture in the sheet's language.
        caption: its text in the sheet's language, parts joined by ` // `: for screen readers.
    """

    meme_id: str
    template: str
    picture: Path
    caption: str = ""


Entry = Question | Check
"""What a sheet asks, one after the other."""


def entry_id(entry: Entry) -> str:
    """What answers name an entry by: the meme's id, or the check's."""
    return entry.id if isinstance(entry, Check) else entry.meme_id


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a batch, the same in all cultures: a meme, or a check that is to be drawn."""

    meme_id: str = ""
    check: CheckKind | None = None
    example: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Memes that are asked together, in order, with their checks; parallel over all cultures.

    Attributes:
        id: such as `r1-b03`; r is the round (0 is pre-annotation, 1 the survey, from 2 on ties).
        cultures: codes of those that it goes to; a tie may be left in some only.
        answers: how many annotators are to fill it in each culture.
    """

    id: str
    round: int
    slots: tuple[Slot, ...]
    cultures: tuple[str, ...]
    answers: int

    @property
    def memes(self) -> tuple[str, ...]:
        """Its memes, in order."""
        return tuple(slot.meme_id for slot in self.slots if slot.meme_id)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A batch in one culture's language: one form, one study, one file.

    Attributes:
        id: such as `r1-b03-DE`; letters, digits and `-`.
        survey: the survey's name.
        batch: the batch's id.
        round: the batch's.
        culture: whose it is.
        taxonomy: the name of the taxonomy it asks by.
        entries: in the order they are asked.
        wanted: how many annotators are to fill it.
    """

    id: str
    survey: str
    batch: str
    round: int
    culture: Culture
    taxonomy: str
    entries: tuple[Entry, ...]
    wanted: int


@dataclass(frozen=True, slots=True)
class CompletionCodes:
    """What a sheet shows at its end, for the recruitment service to know how it ended.

    Attributes:
        done: all was answered.
        failed_checks: too many attention checks were not passed.
        no_consent: the person did not agree.
        screened_out: the person is not one of those who were looked for.
    """

    done: str
    failed_checks: str
    no_consent: str
    screened_out: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to one entry.

    Attributes:
        entry: see `entry_id`.
        label: id of the taxonomy's label.
        second: ids of what was answered to the question that depends on the first.
    """

    entry: str
    label: str
    second: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """What one annotator sent for one sheet, once.

    Attributes:
        id: of the submission at its source, or made of its content; the same when the same file is
            read again.
        sheet: the sheet's id.
        participant: as the source has it; stored as a keyed hash.
        answers: to those entries that were answered.
        source: the importer's name.
        submitted: when it was sent; a later one of the same participant and sheet supersedes.
        started: when it was begun, if known.
        status: `complete`, `returned`, `no consent`, `consent revoked`, `timed out` or
            `screened out`.
        code: the completion code that was shown; empty when unknown.
        row: where it stands in its file.
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
    row: int = 0


STARTED, COMPLETED, REVIEWED, ARCHIVED = "started", "completed", "reviewed", "archived"
RETURN_REQUESTED = "return_requested"
MOMENTS = (STARTED, COMPLETED, REVIEWED, ARCHIVED, RETURN_REQUESTED)
"""What times of a submission are called in `Participant.details`."""


@dataclass(frozen=True, slots=True)
class Participant:
    """What a recruitment service says of a person.

    Attributes:
        participant: as the service has it.
        facts: such as `nationality`, `country_of_birth`, `residence`, `first_language`, `sex`,
            `age`; values as written there. Revoked or expired ones are left out.
        submission: id of the submission at the service; empty when unknown.
        study: the service's name of the study; empty when unknown.
        status: of the submission at the service, such as `APPROVED`.
        seconds: time taken, if known.
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
    """A row or answer that could not be placed; it is kept.

    Attributes:
        file, row: where it stands.
        reason: a short key that can be counted.
        message: a sentence that says what to do.
        content: what stood there, as JSON values.
    """

    file: str
    row: int
    reason: str
    message: str
    content: Mapping[str, Any] = field(default_factory=dict)
