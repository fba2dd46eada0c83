"""What every sheet format has in common. In: a sheet, or rows read from a file. Out: rows, answers.

A sheet has one row a part of a caption. A row's key says what it is about, whatever happens to the
rest of the file: `SHEET|MEME|PART|SOURCE|BASE`, with the part counted from 1 and the two text keys
of the whole caption. Where a spreadsheet lost the key, the visible meme and part do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memeloc.correct.model import GIVEN_UP, STATUSES, Answer, Sheet, SheetAnswers, SheetItem, Status
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.tables import clean_text

LABELS: dict[Status, str] = {
    "correct": "correct",
    "corrected": "corrected",
    "wordplay": "cannot be translated: wordplay",
    "culture": "cannot be translated: culture",
    "other": "cannot be translated: other",
    "harmful": "harmful to read",
    "skip": "skip",
    "no-text": "no text in the picture",
}
"""What a person picks, for each status."""


@dataclass(frozen=True, slots=True)
class Row:
    """One part of a caption, as a file has it.

    Attributes:
        number: the row as the file's program counts.
        sheet, meme_id, part, source_key, base_key: from its key; part is counted from 1.
        text, status, comment: what the person gave, stripped.
        machine: the text to be corrected as the file has it; None where a file does not say.
    """

    number: int
    sheet: str
    meme_id: str
    part: int
    source_key: str
    base_key: str
    text: str
    status: str
    comment: str
    machine: str | None = None


def key_of(sheet: Sheet, item: SheetItem, part: int) -> str:
    """The key of a part of an item, `part` counted from 1."""
    return f"{sheet.id}|{item.meme_id}|{part}|{item.source_key}|{item.base_key}"


def split_key(key: str) -> tuple[str, str, int, str, str] | None:
    """Sheet, meme, part, source key and base key; None when it is not a key."""
    fields = key.strip().split("|")
    if len(fields) != 5 or not fields[2].isdecimal() or not int(fields[2]):
        return None
    return fields[0], fields[1], int(fields[2]), fields[3], fields[4]


def parts_of(sheet: Sheet) -> Iterator[tuple[SheetItem, int]]:
    """Every part of every item in the sheet's order; parts counted from 1."""
    for item in sheet.items:
        for part in range(1, len(item.parts) + 1):
            yield item, part


def as_status(text: str) -> Status | None:
    """The status that a cell means: a code or a label, in any case; None when it is neither."""
    wanted = re.sub(r"[\s:_-]+", " ", text.strip().casefold())
    for status, label in LABELS.items():
        if wanted in (status.replace("-", " "), re.sub(r"[\s:_-]+", " ", label)):
            return status
    return None


def near_status(text: str) -> str:
    """What to pick instead of a status that does not exist."""
    names = [*STATUSES, *LABELS.values()]
    near = difflib.get_close_matches(text.strip().casefold(), names, 1)
    return f"did you mean {near[0]!r}?" if near else f"pick one of {', '.join(STATUSES)}"


def split_note(note: str) -> tuple[str, str]:
    """The status and the comment in a note: a line such as `status: wordplay`, and the rest."""
    status = ""
    rest = []
    for line in note.splitlines():
        match = re.match(r"\s*status\s*:\s*(.+)", line, re.IGNORECASE)
        if match and not status:
            status = clean_text(match[1])
        elif line.strip():
            rest.append(line.strip())
    return status, "\n".join(rest)


def gather(
    path: Path,
    rows: Iterable[Row],
    *,
    language: str = "",
    round_: str = "",
    person: str = "",
    created: datetime | None = None,
    problems: Iterable[InputError] = (),
) -> SheetAnswers:
    """Make answers of rows, in whatever order they come.

    A meme whose rows are all untouched (no text, no status, no comment) is left out. A meme with
    text in some of its parts only keeps the machine's text in the others where the file has it.

    Args:
        path: the file, for problems.
        rows: one a part.
        language, round_, person, created: what the file says of its sheet.
        problems: met before.
    """
    reported = list(problems)
    memes: dict[str, dict[int, Row]] = {}
    sheets: set[str] = set()
    for row in rows:
        if row.sheet:
            sheets.add(row.sheet)
        parts = memes.setdefault(row.meme_id, {})
        earlier = parts.get(row.part)
        if earlier is None:
            parts[row.part] = row
        elif (earlier.text, earlier.status) != (row.text, row.status):
            reported.append(
                InputError(
                    f"part {row.part} of {row.meme_id} stands in row {earlier.number} too, with "
                    "another answer; the first is taken: delete one of them",
                    file=path,
                    row=row.number,
                )
            )
    answers = []
    for meme_id, parts in memes.items():
        answer = _answer(path, meme_id, [parts[number] for number in sorted(parts)], reported)
        if answer is not None:
            answers.append(answer)
    if len(sheets) > 1:
        reported.append(
            InputError(
                f"rows of several sheets stand together ({', '.join(sorted(sheets))}): import each "
                "sheet in a file of its own",
                file=path,
            )
        )
        answers = []
    return SheetAnswers(
        sheet=sheets.pop() if len(sheets) == 1 else "",
        language=language,
        round=int(round_) if round_.isdecimal() else 0,
        person=person,
        created=created,
        file=path,
        sha256=file_sha256(path),
        answers=tuple(answers),
        problems=tuple(reported),
    )


def _answer(path: Path, meme_id: str, rows: list[Row], problems: list[InputError]) -> Answer | None:
    first = rows[0]
    if not any(row.text or row.status or row.comment for row in rows):
        return None
    status: Status | None = None
    for row in rows:
        if not row.status:
            continue
        picked = as_status(row.status)
        if picked is None:
            problems.append(
                InputError(
                    f"{row.status[:40]!r} is not a status: {near_status(row.status)}",
                    file=path,
                    row=row.number,
                    column="status",
                )
            )
            return None
        if status is not None and picked != status:
            problems.append(
                InputError(
                    f"the parts of {meme_id} have two statuses, {status} and {picked}: "
                    "one is enough, on any of its rows",
                    file=path,
                    row=row.number,
                    column="status",
                )
            )
            return None
        status = picked
    typed = any(row.text for row in rows)
    if not typed and status == "corrected":
        problems.append(
            InputError(
                f"{meme_id} is marked corrected, but there is no text: type it, or pick another "
                "status",
                file=path,
                row=first.number,
                column="your text",
            )
        )
        return None
    texts = tuple(row.text or (row.machine or "") for row in rows)
    if status is None and not typed:
        return None
    if typed and status not in GIVEN_UP:
        # What was typed decides: "correct" beside another text is a slip of the list.
        same = all(not row.text or row.text == row.machine for row in rows)
        status = "correct" if same else "corrected"
    comment = "\n".join(dict.fromkeys(row.comment for row in rows if row.comment))
    given_up = status in GIVEN_UP
    return Answer(
        meme_id=meme_id,
        parts=() if given_up else texts,
        status=status or "correct",
        comment=comment,
        row=first.number,
        source_key=next((row.source_key for row in rows if row.source_key), ""),
        base_key=next((row.base_key for row in rows if row.base_key), ""),
        rows=tuple(row.number for row in rows),
    )
