"""Tables that were filled in. In: a CSV, xlsx or ods after `csv_sheets`. Out: submissions.

Columns are found by their headings, rows by their item: their order means nothing. A file may hold
the rows of several sheets and people. A row that is there twice counts once; two rows that answer
the same differently count as neither, and both are told.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from memeloc.errors import InputError
from memeloc.survey.model import Answer, RejectedRow, Sheet, Submission, entry_id
from memeloc.survey.targets.csv.export import CONSENT
from memeloc.survey.targets.csv.rows import KNOWN, Left, Row, all_rows, has_headings
from memeloc.survey.targets.moments import read_moment
from memeloc.survey.targets.placing import (
    DECLINED,
    NOT_ASKED,
    Places,
    declined_content,
    not_asked,
    submission_id,
    unclear_id,
)
from memeloc.survey.targets.protocol import Imported, SurveyPack


class CsvBack:
    """Reads what people filled into tables of `CsvSheets`."""

    name = "csv"

    def recognises(self, path: Path) -> bool:
        """Whether some table of the file has the headings that answers need."""
        return has_headings(path)

    def read(self, path: Path, pack: SurveyPack) -> Imported:
        """Read a file.

        Raises:
            InputError: it cannot be read at all, or has not the headings that are needed.
        """
        taken = _Taken(path.name, pack, pack.places)
        found = False
        for row in all_rows(path, pack):
            if isinstance(row, Row):
                taken.add(row)
            elif row is None:
                found = True
            else:
                taken.leave(row)
        if not found:
            raise InputError(
                "has no row of headings with item, participant and answer among them; keep the "
                "first row of the sheet that was sent out",
                file=path,
            )
        return taken.result()


class _Taken:
    """Rows so far, by sheet and item."""

    def __init__(self, file: str, pack: SurveyPack, places: Places) -> None:
        self._file = file
        self._pack = pack
        self._places = places
        self._rows: dict[str, list[tuple[str, Row]]] = defaultdict(list)
        self._left: list[RejectedRow] = []

    def add(self, row: Row) -> None:
        """Find a row's sheet and entry."""
        wanted = [name for name in ("item", "participant", "answer") if name in row.formulas]
        if wanted:
            self._leave(row, "formula", f"The {wanted[0]} is a formula; write it as a text.")
            return
        name = row.item
        if name.casefold() == CONSENT:
            sheet = self._places.sheet(row.sheet)
            if sheet is not None:
                self._rows[sheet.id].append((CONSENT, row))
            elif row.given:
                self._leave(row, "unknown sheet", f"There is no sheet {row.sheet[:80]!r}.")
            return
        place = self._places.item(name, row.sheet)
        if place is None:
            if row.given:
                self._leave(row, "unknown item", f"There is no item {name[:80]!r} in this survey.")
            return
        self._rows[place[0].id].append((entry_id(place[1]), row))

    def leave(self, left: Left) -> None:
        """Keep what cannot be placed."""
        self._left.append(RejectedRow(self._file, *left))

    def result(self) -> Imported:
        """All submissions, in the order of the survey's sheets and of people's names."""
        submissions = []
        for sheet in self._pack.sheets:
            for participant, rows in sorted(self._by_person(self._rows.pop(sheet.id, [])).items()):
                submission = self._submission(sheet, participant, rows)
                if submission is not None:
                    submissions.append(submission)
        self._left.sort(key=lambda one: (one.row, one.reason))
        return Imported(tuple(submissions), (), tuple(self._left))

    def _by_person(self, rows: list[tuple[str, Row]]) -> dict[str, list[tuple[str, Row]]]:
        """Rows by participant. Whoever is the only one need not write it into every row."""
        people: dict[str, list[tuple[str, Row]]] = defaultdict(list)
        for entry, row in rows:
            people[row.participant].append((entry, row))
        nameless = people.pop("", [])
        if len(people) == 1:
            ((_, named),) = people.items()
            answered = {entry for entry, row in named if row.answer}
            if not any(entry in answered and row.answer for entry, row in nameless):
                named += nameless
                return people
        for _, row in nameless:
            if row.given:
                self._leave(row, "no participant", "It does not say who answered.")
        return people

    def _submission(
        self, sheet: Sheet, participant: str, rows: list[tuple[str, Row]]
    ) -> Submission | None:
        agreed: set[bool] = set()
        asked = False
        answers: dict[str, list[tuple[Answer, Row]]] = defaultdict(list)
        for entry, row in rows:
            if entry == CONSENT:
                asked = True
                words = row.answer
                consented = self._places.consent(sheet, words)
                if consented is not None:
                    agreed.add(consented)
                elif words:
                    message = f"{words[:80]!r} neither agrees to take part nor declines."
                    self._leave(row, "unknown consent", message)
        declined = False in agreed
        unasked = asked and not agreed
        refused = [row for entry, row in rows if declined and entry != CONSENT and row.answer]
        if refused:
            content = declined_content(sheet.id, len(refused))
            self._left.append(RejectedRow(self._file, refused[0].number, *DECLINED, content))
        if not declined and participant and (unclear := unclear_id(participant)):
            for _, row in rows:
                self._leave(row, "participant unreadable", unclear)
            return None
        for entry, row in rows:
            if entry == CONSENT or declined:
                continue
            if not row.answer:
                if row.second:
                    self._leave(row, "no answer", "It has no answer to the question itself.")
                continue
            if unasked:
                message = "The row that asks for consent is not answered, so nothing is taken."
                self._leave(row, "no consent", message)
                continue
            answer = self._answer(sheet, entry, row)
            if answer is not None:
                answers[entry].append((answer, row))
        settled: dict[str, Answer] = {}
        for entry, given in answers.items():
            first = given[0][0]
            if all(answer == first for answer, _ in given):
                settled[entry] = first
                continue
            for _, row in given:
                message = "This item is answered in two ways by the same person; keep one."
                self._leave(row, "two answers", message)
        if not settled and not declined:
            return None
        order = [entry_id(entry) for entry in sheet.entries]
        kept = tuple(settled[entry] for entry in order if entry in settled)
        moments = []
        for _, row in rows:
            if row.submitted:
                moment = read_moment(row.submitted)
                if moment is not None:
                    moments.append(moment)
                else:
                    message = f"The time {row.submitted[:40]!r} cannot be read; it is left out."
                    self._leave(row, "unknown time", message)
        said = [f"{one.entry}={one.label}/{','.join(one.second)}" for one in kept]
        complete = "complete" if len(kept) == len(order) else "returned"
        return Submission(
            id=submission_id(self._pack.name, sheet.id, participant, *said),
            sheet=sheet.id,
            participant=participant,
            answers=kept,
            source="csv",
            submitted=max(moments, default=None),
            started=min(moments, default=None) if len(set(moments)) > 1 else None,
            status="no consent" if declined else complete,
            row=min(row.number for _, row in rows),
        )

    def _answer(self, sheet: Sheet, entry: str, row: Row) -> Answer | None:
        words = row.answer
        label = self._places.label(sheet, words)
        if label is None:
            self._leave(row, "unknown label", f"{entry}: {words[:80]!r} is none of the labels.")
            return None
        if not row.second:
            return Answer(entry, label)
        if "second answer" in row.formulas:
            self._leave(row, "formula", "The second answer is a formula; write it as a text.")
            return Answer(entry, label)
        said = {one: self._places.second(sheet, one) for one in _split(row.second)}
        unknown = [one for one, found in said.items() if found is None]
        if unknown:
            message = f"{entry}: {unknown[0][:80]!r} is no answer to the second question."
            self._leave(row, "unknown second answer", message)
        second = tuple(sorted({found for found in said.values() if found}))
        if second and not self._places.asks_second(label):
            self._leave(row, NOT_ASKED, not_asked(entry, label))
            return Answer(entry, label)
        return Answer(entry, label, second)

    def _leave(self, row: Row, reason: str, message: str) -> None:
        content = {name: value for name, value in zip(KNOWN, row[1:7], strict=True) if value}
        self._left.append(RejectedRow(self._file, row.number, reason, message, content))


def _split(words: str) -> list[str]:
    if not words:
        return []
    for mark in "|;\n":
        words = words.replace(mark, "|")
    return [one.strip() for one in words.split("|") if one.strip()]
