"""Submissions as rules look at them. In: submissions, sheets. Out: `Row`, and a person's tries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memeloc.survey.model import PERSON, Participant, Sheet, Submission
from memeloc.survey.quality.likelihood import Labels
from memeloc.survey.quality.report import Judged
from memeloc.taxonomy.demographics import MOST_OF_LIFE

COMPLETE = "complete"
"""The status of a submission that was sent whole."""
TIMED_OUT = "timed out"
"""The status of one whose person left, and whose time is over: what was answered till then."""

Evidence = dict[str, Any]
"""What excludes a submission, as JSON values; empty for one that passes."""


@dataclass(frozen=True, slots=True)
class Row:
    """A submission that is the last of its person and sheet, with its labels of memes in order."""

    submission: Submission
    sheet: Sheet
    judged: Judged
    labels: Labels
    people: Sequence[Participant]

    @property
    def culture(self) -> str:
        return self.sheet.culture.code


def make_row(
    submission: Submission, sheet: Sheet, judged: Judged, people: Sequence[Participant]
) -> Row:
    """A submission with its labels of memes, in the order of the sheet.

    What a person answered about most of life goes before what a service says of it.
    """
    given = {answer.entry: answer.label for answer in submission.answers if answer.label}
    labels = {meme: given[meme] for meme in sheet.memes if meme in given}
    of_person = [answer for answer in submission.answers if answer.entry == PERSON]
    life = [value for answer in of_person for value in answer.given(MOST_OF_LIFE)]
    if life:
        answered = Participant(submission.participant, {"most_of_life": life[-1]})
        people = (*people, answered)
    return Row(submission, sheet, judged, labels, people)


def sent(submission: Submission) -> tuple[Any, ...]:
    """What puts submissions in the order of their sending; those of unknown time come last."""
    return (
        submission.submitted or datetime.max.replace(tzinfo=UTC),
        submission.row,
        submission.sheet,
        submission.id,
        submission.participant,
    )


def tries_of(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """What people sent whole, of those who did so more than once, in the order of sending."""
    by_person: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.submission.participant and row.submission.status == COMPLETE:
            by_person[row.submission.participant].append(row)
    return {
        who: sorted(own, key=lambda row: sent(row.submission))
        for who, own in by_person.items()
        if len(own) > 1
    }


def tried_again(
    row: Row, tries: Mapping[str, Sequence[Row]], careless: Mapping[str, Callable[[Row], Evidence]]
) -> Evidence:
    """An earlier try of the person with some of the same memes that was careless."""
    for other in tries.get(row.submission.participant, ()):
        if sent(other.submission) >= sent(row.submission):
            break
        if set(other.sheet.memes) & set(row.sheet.memes):
            failed = [name for name, evidence_of in careless.items() if evidence_of(other)]
            if failed:
                earlier = other.submission
                return {"earlier": earlier.id, "sheet": earlier.sheet, "failed": failed}
    return {}
