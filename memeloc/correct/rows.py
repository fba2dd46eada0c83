"""What every sheet format has in common. In: a sheet, or rows read from a file. Out: rows, answers.

A sheet has one row a part of a caption. A row's key says what it is about, whatever happens to the
rest of the file: `SHEET|MEME|PART|SOURCE|BASE`, with the part counted from 1 and the two text keys
of the whole caption. Where a spreadsheet lost the key, the visible meme and part do, and without
these the source and the text to be corrected (see `memeloc.correct.lost_rows`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memeloc.correct.model import (
    GIVEN_UP,
    WITHOUT_TEXT,
    Answer,
    Row,
    Sheet,
    SheetAnswers,
    SheetItem,
    SheetPart,
    Status,
)
from memeloc.correct.statuses import near_status, read_status
from memeloc.errors import InputError
from memeloc.files import file_sha256
from memeloc.model import SEPARATOR, Caption
from memeloc.tables import clean_text, drawable


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


def plain_text(text: str) -> str:
    """A text to compare: programs differ in white space and in the form of characters."""
    return " ".join(unicodedata.normalize("NFC", drawable(text)).split())


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


def gather(path: Path, rows: Iterable[Row], facts: Mapping[str, str] | None = None) -> SheetAnswers:
    """Make answers of the rows of a file, in whatever order they come.

    A meme whose rows are all untouched (no text, no status, no comment) is left out. A meme with
    text in some of its parts only keeps the machine's text in the others where the file has it.
    What contradicts itself is an answer that says so (`unclear`), with all that was typed. `facts`
    are `language`, `round` and `person` of the sheet, as far as the file says; read after the last
    row.

    Raises:
        InputError: they are rows of several sheets.
    """
    kept: list[Row] = []
    sheets: set[str] = set()
    for row in rows:
        sheets |= {row.sheet} - {""}
        kept.append(row)
    if len(sheets) > 1:
        raise InputError(
            f"rows of several sheets stand together ({', '.join(sorted(sheets))}): import each "
            "sheet in a file of its own",
            file=path,
        )
    facts = facts or {}
    round_ = facts.get("round", "")
    return SheetAnswers(
        sheet=next(iter(sheets), ""),
        language=facts.get("language", ""),
        round=int(round_) if round_.isdecimal() else 0,
        person=facts.get("person", ""),
        file=path,
        sha256=file_sha256(path),
        answers=tuple(answers_of(row for row in kept if row.meme_id and row.part)),
        problems=(),
        rows=tuple(kept),
    )


def answers_of(rows: Iterable[Row]) -> Iterator[Answer]:
    """The answers in the rows of a sheet; a row that belongs to no caption is one by itself."""
    memes: dict[str, dict[int, list[Row]]] = {}
    for row in rows:
        meme_id = f"\x1f{row.number}" if row.near else row.meme_id
        memes.setdefault(meme_id, {}).setdefault(row.part, []).append(row)
    for parts in memes.values():
        answer = _answer(parts)
        if answer is not None:
            yield answer


def _joined(rows: list[Row]) -> tuple[Row, list[Row]]:
    """The row of a part that counts, and others of the same part that say something else."""
    filled = [row for row in rows if row.text or row.status] or rows
    first = filled[0]
    comments = dict.fromkeys(row.comment for row in rows if row.comment)
    answer = (first.text, first.status)
    others = [row for row in filled if (row.text, row.status) != answer]
    comment = "\n".join(comments)
    return (first if comment == first.comment else replace(first, comment=comment)), others


def _answer(parts: Mapping[int, list[Row]]) -> Answer | None:
    """The answer in the rows of one meme, by part; None where nobody touched them."""
    joined = [_joined(parts[number]) for number in sorted(parts)]
    rows, others = [row for row, _ in joined], [row for _, more in joined for row in more]
    texts, (status, unclear) = _texts(rows), _status(rows)
    touched = any(row.text or row.status for row in rows)
    comment = "\n".join(dict.fromkeys(row.comment for row in rows if row.comment))
    if not touched and not comment:
        return None
    if not touched:
        status = "comment"
    elif any(texts) and status not in GIVEN_UP:
        # The text decides: "correct" beside another text is a slip of the list.
        same = all(text in ("", row.machine) for text, row in zip(texts, rows, strict=True))
        status = "correct" if same else "corrected"
    elif status == "corrected":
        unclear = unclear or "it is marked corrected, but there is no text"
    uncut = any(SEPARATOR in text for text in texts)
    wrong = next((f"row {row.number}: {row.wrong}" for row in (*rows, *others) if row.wrong), "")
    if wrong:
        unclear = wrong
    elif others:
        unclear = _contradiction(rows, others[0])
    elif uncut:
        unclear = (
            f"the text with '//' does not have the {len(rows)} parts of this caption, or stands "
            "beside others"
        )
    unclear = unclear or next((row.doubt for row in rows if row.doubt), "")
    keeps_text = status not in WITHOUT_TEXT and not uncut and not wrong
    whole = [text or row.machine for text, row in zip(texts, rows, strict=True)]
    return Answer(
        meme_id=rows[0].meme_id,
        parts=tuple(whole) if keeps_text else (),
        typed=tuple(row.text for row in (*rows, *others)),
        status=status,
        comment=comment,
        row=rows[0].number,
        source_key=next((row.source_key for row in rows if row.source_key), ""),
        rows=tuple(row.number for row in rows),
        unclear=unclear,
        near=rows[0].near,
    )


def _contradiction(rows: Iterable[Row], other: Row) -> str:
    first = next(row for row in rows if row.part == other.part)
    return (
        f"part {other.part} stands in the rows {first.number} and {other.number} with different "
        "answers"
    )


def _status(rows: Sequence[Row]) -> tuple[Status, str]:
    """The status of a caption by those of its parts, and why it is not clear.

    A part that is given up gives the caption up, and a part that is corrected corrects it.
    """
    picked: dict[Status, None] = {}
    unclear = ""
    for row in rows:
        status = read_status(row.status) if row.status else None
        if status is not None:
            picked[status] = None
        elif row.status:
            near = near_status(row.status)
            unclear = f"{row.status[:40]!r} (row {row.number}) is not a status: {near}"
    given_up = [status for status in picked if status in GIVEN_UP]
    if len(given_up) > 1:
        unclear = f"its parts are given up for two reasons, {given_up[0]} and {given_up[1]}"
    rest: Status = "corrected" if "corrected" in picked else "correct"
    return (given_up[0] if given_up else rest), unclear


def _texts(rows: Sequence[Row]) -> list[str]:
    """Return what was typed for each part; a whole caption in one cell is cut at its `//`."""
    texts = [row.text for row in rows]
    typed = [text for text in texts if text]
    if len(typed) == 1 and len(rows) > 1:
        pieces = Caption.parse(typed[0], len(rows)).parts
        if len(pieces) == len(rows) and any(pieces):
            return list(pieces)
    return texts
