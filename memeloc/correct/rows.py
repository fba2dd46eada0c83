"""What every sheet format has in common. In: a sheet, or rows read from a file. Out: rows, answers.

A sheet has one row a part of a caption. A row's key says what it is about, whatever happens to the
rest of the file: `SHEET|MEME|PART|SOURCE|BASE`, with the part counted from 1 and the two text keys
of the whole caption. Where a spreadsheet lost the key, the visible meme and part do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memeloc.correct.model import (
    GIVEN_UP,
    STATUSES,
    Answer,
    Sheet,
    SheetAnswers,
    SheetItem,
    SheetPart,
    Status,
)
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
        sheet, meme_id, part, source_key: from its key; part is counted from 1.
        text, status, comment: the person's, stripped.
        machine: the text to be corrected; empty where the file does not say.
    """

    number: int
    sheet: str
    meme_id: str
    part: int
    source_key: str
    text: str
    status: str
    comment: str
    machine: str = ""


def key_of(sheet: Sheet, item: SheetItem, part: int) -> str:
    """The key of a part of an item, `part` counted from 1."""
    return f"{sheet.id}|{item.meme_id}|{part}|{item.source_key}|{item.base_key}"


def split_key(key: str) -> tuple[str, str, int, str] | None:
    """Sheet, meme, part and source key; None when it is not a key."""
    fields = key.strip().split("|")
    if len(fields) != 5 or not fields[2].isdecimal() or not int(fields[2]):
        return None
    return fields[0], fields[1], int(fields[2]), fields[3]


def parts_of(sheet: Sheet) -> Iterator[tuple[SheetItem, int, SheetPart]]:
    """Every part of every item in the sheet's order, with its number from 1."""
    for item in sheet.items:
        for number, part in enumerate(item.parts, 1):
            yield item, number, part


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
    path: Path, rows: Iterable[Row | InputError], facts: Mapping[str, str] | None = None
) -> SheetAnswers:
    """Make answers of the rows of a file, in whatever order they come.

    A meme whose rows are all untouched (no text, no status) is left out. A meme with text in some
    of its parts only keeps the machine's text in the others where the file has it. `facts` are
    `language`, `round` and `person` of the sheet, as far as the file says; read after the last row.
    """
    problems: list[InputError] = []
    memes: dict[str, dict[int, Row]] = {}
    sheets: set[str] = set()
    for row in rows:
        if isinstance(row, InputError):
            problems.append(row)
            continue
        sheets |= {row.sheet} - {""}
        first = memes.setdefault(row.meme_id, {}).setdefault(row.part, row)
        if (first.text, first.status) != (row.text, row.status):
            problems.append(
                InputError(
                    f"part {row.part} of {row.meme_id} stands in row {first.number} too, with "
                    "another answer; the first is taken: delete one of them",
                    file=path,
                    row=row.number,
                )
            )
    answers = []
    for parts in memes.values():
        try:
            answers.append(_answer(path, [parts[number] for number in sorted(parts)]))
        except InputError as error:
            problems.append(error)
    if len(sheets) > 1:
        problems.append(
            InputError(
                f"rows of several sheets stand together ({', '.join(sorted(sheets))}): import each "
                "sheet in a file of its own",
                file=path,
            )
        )
        answers = []
    facts = facts or {}
    round_ = facts.get("round", "")
    return SheetAnswers(
        sheet=sheets.pop() if len(sheets) == 1 else "",
        language=facts.get("language", ""),
        round=int(round_) if round_.isdecimal() else 0,
        person=facts.get("person", ""),
        file=path,
        sha256=file_sha256(path),
        answers=tuple(answer for answer in answers if answer is not None),
        problems=tuple(problems),
    )


def _answer(path: Path, rows: list[Row]) -> Answer | None:
    """The answer in the rows of one meme; InputError when they contradict each other."""
    first = rows[0]
    status: Status | None = None
    for row in rows:
        if not row.status:
            continue
        picked = _STATUS_OF.get(_plain(row.status))
        if picked is None:
            wrong = f"{row.status[:40]!r} is not a status: {_near_status(row.status)}"
        elif status is not None and picked != status:
            wrong = (
                f"the parts of {row.meme_id} have two statuses, {status} and {picked}: one is "
                "enough, on any of its rows"
            )
        else:
            status = picked
            continue
        raise InputError(wrong, file=path, row=row.number, column="status")
    typed = any(row.text for row in rows)
    if not typed and status == "corrected":
        raise InputError(
            f"{first.meme_id} is marked corrected, but there is no text: type it, or pick another "
            "status",
            file=path,
            row=first.number,
            column="your text",
        )
    if not typed and status is None:
        return None
    if typed and status not in GIVEN_UP:
        # The text decides: "correct" beside another text is a slip of the list.
        same = all(row.text in ("", row.machine) for row in rows)
        status = "correct" if same else "corrected"
    return Answer(
        meme_id=first.meme_id,
        parts=() if status in GIVEN_UP else tuple(row.text or row.machine for row in rows),
        status=status or "correct",
        comment="\n".join(dict.fromkeys(row.comment for row in rows if row.comment)),
        row=first.number,
        source_key=next((row.source_key for row in rows if row.source_key), ""),
        rows=tuple(row.number for row in rows),
    )


def _plain(text: str) -> str:
    return re.sub(r"[\s:_-]+", " ", text.strip().casefold())


_STATUS_OF = {_plain(name): status for status, label in LABELS.items() for name in (status, label)}


def _near_status(text: str) -> str:
    names = [*STATUSES, *LABELS.values()]
    near = difflib.get_close_matches(text.strip().casefold(), names, 1)
    return f"did you mean {near[0]!r}?" if near else f"pick one of {', '.join(STATUSES)}"
