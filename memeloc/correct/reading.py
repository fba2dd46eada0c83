"""People's answers. In: a sheet that came back, and as it was sent. Out: answers.

Forgiving in form: rows may be sorted, lost, copied and merged, columns deleted, parts filled in by
halves. What a row is about its key says, else its meme and part, else its source and the text to be
corrected. A row that belongs to nothing on the sheet is kept beside the caption it stands with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memeloc.correct.model import GIVEN_UP, NO_PART, WITHOUT_TEXT, Answer, Sheet, SheetItem
from memeloc.correct.sheet_form import (
    EMPTY,
    NEEDED,
    PAGE,
    all_columns,
    near_status,
    part_of,
    read_status,
    split_key,
)
from memeloc.errors import InputError
from memeloc.model import SEPARATOR, Caption
from memeloc.sheets import Filled, FilledRow, SheetColumn, SheetForm, plain_text, read_form

_Place = tuple[str, int]
"""A meme, and its part counted from 1."""

OUTCOME_COLUMNS = tuple(
    SheetColumn(name, width=width)
    for name, width in {
        "row": 6, "meme_id": 16, "part": 6, "source": 34, "your text": 40, "status": 20,
        "comment": 30, "what became of it": 40, "why": 50, "please look at": 50,
    }.items()
)  # fmt: skip
_BECAME: Mapping[str, str] = {
    "": "nothing was filled in: still to be answered",
    "placed": "taken: the caption is now as you answered",
    "replaced": "taken, in place of your earlier answer",
    "unchanged": "nothing new: you had answered the same before",
    "older": "kept, but the answer on your later sheet stands",
    "skipped": "left to somebody else, as you wished",
    "noted": "your comment is kept; the caption is still to be answered",
    "case": "kept, and somebody will decide about it",
    "stray": "kept, but this row belongs to no caption of the sheet: somebody will look at it",
    "refused": "NOT taken: please correct it and send the sheet again",
}
_ELSEWHERE = {
    "room": "the text of row {} stands in the column 'room'; if it is the caption, accept it",
    "to be corrected": "the text to be corrected was itself changed in row {}; if that is the "
    "correction, accept it",
    "source": "the source was itself changed in row {}; if that is the correction, accept it",
}
"""What to ask where the text itself is empty, by the column in which another one was typed."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A row as it is understood: what was typed about a part of a meme, and why that is in doubt.

    `near` is the meme that a row stands with that belongs to none.
    """

    row: FilledRow
    meme_id: str
    number: int
    text: str = ""
    status: str = ""
    doubt: str = ""
    near: str = ""


def read_sheet(path: Path, sheets: Callable[[str], Sheet | None]) -> Filled:
    """Read a file that came back, in any format; `sheets` gives a sheet that went out by its id.

    Raises:
        InputError: as `memeloc.sheets.read_form`.
    """
    items: dict[str, dict[str, SheetItem]] = {"": {}}

    def sent(row: FilledRow) -> Mapping[str, str]:
        id, meme_id, number, _ = split_key(row["key"]) or ("", "", 0, "")
        if id not in items:
            sheet = sheets(id)
            items[id] = sheet.by_meme if sheet else {}
        if item := items[id].get(meme_id):
            base = part_of(item.base, number)
            return {"source": part_of(item.source, number), "to be corrected": base}
        return {}

    return read_form(path, SheetForm(PAGE, all_columns()), needed=NEEDED, sent=sent)


def sheet_id(filled: Filled) -> str:
    """Return the id of the sheet whose rows these are; empty when it is lost. Raise InputError if
    they are rows of several sheets."""
    ids = {key[0] for row in filled.rows if (key := split_key(row["key"]))}
    if len(ids) > 1:
        raise InputError(
            f"rows of several sheets stand together ({', '.join(sorted(ids))}): import each sheet "
            "in a file of its own",
            file=filled.file,
        )
    return next(iter(ids), "")


def shows(filled: Filled, sheet: Sheet) -> bool:
    """Return whether anything in a file is of a sheet."""
    sources = {plain_text(part) for item in sheet.items for part in item.source} - {""}
    meme_ids = sheet.by_meme.keys()
    return any(
        _stated(row)[0] in meme_ids or plain_text(row["source"]) in sources for row in filled.rows
    )


def answers(filled: Filled, sheet: Sheet) -> list[Answer]:
    """Return what was answered, a caption each, in the file's order; untouched ones are left out.

    A meme with text in some of its parts keeps what stood in the others. What contradicts itself is
    an answer that says so (`unclear`), with all that was typed.
    """
    memes: dict[str, dict[int, list[_Part]]] = {}
    for part in _understood(filled.rows, sheet):
        meme_id = f"\x1f{part.row.number}" if part.near else part.meme_id
        memes.setdefault(meme_id, {}).setdefault(part.number, []).append(part)
    items = sheet.by_meme
    made = (_answer(parts, items.get(meme_id), sheet.kind) for meme_id, parts in memes.items())
    return [answer for answer in made if answer is not None]


def _stated(row: FilledRow) -> _Place:
    """Return the meme and part that a row says it is about; empty and 0 where it does not."""
    if key := split_key(row["key"]):
        return key[1], key[2]
    return row["meme_id"], int(row["part"]) if row["part"].isdecimal() else 0


def _understood(rows: Sequence[FilledRow], sheet: Sheet) -> Iterator[_Part]:
    """Yield the rows with the meme and part that they are about, or the meme that is near; then an
    empty one for each part whose row is gone, so that texts stay where they belong."""
    items = sheet.by_meme
    stated = [_stated(row) for row in rows]
    places: list[_Place | None] = [
        place if place[0] in items and place[1] else None for place in stated
    ]
    if None in places:
        _find(places, stated, rows, items)
    near = next((place[0] for place in places if place), next(iter(items), ""))
    present: dict[str, dict[int, FilledRow]] = defaultdict(dict)
    for row, place, (meme_id, number) in zip(rows, places, stated, strict=True):
        if place is not None:
            near = place[0]
            present[near][place[1]] = row
            yield _typed(row, items[near], place[1], sheet.kind)
        elif row.is_touched and not (row.is_unit and row.answered is False):
            yield _Part(row, meme_id, number, row["your text"], row["status"], near=near)
    # A part of a transcript may be given up, so its row that is gone is asked about.
    for meme_id, parts in present.items() if sheet.kind != "transcript" else ():
        first = next(iter(parts.values()))
        for number in {*range(1, len(items[meme_id].source) + 1)} - parts.keys():
            yield _Part(FilledRow(first.number, {}), meme_id, number)


def _find(
    places: list[_Place | None],
    stated: Sequence[_Place],
    rows: Sequence[FilledRow],
    items: Mapping[str, SheetItem],
) -> None:
    """Find the places of rows by their texts; of several that fit, the one beside a neighbour."""
    by_source: dict[str, list[_Place]] = defaultdict(list)
    for meme_id, item in items.items():
        for number, source in enumerate(item.source, 1):
            by_source[plain_text(source)].append((meme_id, number))
    fitting: dict[int, list[_Place]] = {}
    for index, row in enumerate(rows):
        if places[index] is not None:
            continue
        fit = by_source.get(plain_text(row["source"]), []) if row["source"] else []
        shown = {plain_text(row[name]) for name in ("to be corrected", "your text")} - {""}
        based = [at for at in fit if plain_text(part_of(items[at[0]].base, at[1])) in shown]
        fit = [at for at in fit if at[0] == stated[index][0]] or fit
        fit = [at for at in fit if at[1] == stated[index][1]] or fit
        fit = [at for at in fit if at in based] or fit
        fitting[index] = fit
        places[index] = fit[0] if len(fit) == 1 else None
    for indices, step in ((fitting, 1), (reversed(fitting), -1)):
        for index in indices:
            before = places[index - step] if 0 <= index - step < len(rows) else None
            if places[index] is None and before is not None:
                beside = (before[0], before[1] + step)
                # With a part's number only it is the next row of a meme whose cell is merged.
                is_merged = stated[index] == ("", beside[1]) and not rows[index]["source"]
                is_merged = is_merged and 1 <= beside[1] <= len(items[beside[0]].source)
                if beside in fitting[index] or is_merged:
                    places[index] = beside


def _typed(row: FilledRow, item: SheetItem, number: int, kind: str) -> _Part:
    """Return what a person typed about a part, wherever in the row; and what to ask about it."""
    base, source = part_of(item.base, number), part_of(item.source, number)
    text, status, doubt = row["your text"], row["status"], ""
    if row.is_unit:
        text, status = _typed_in_unit(row, base, source)
    elif not text and not row.wrong:
        shown = {"room": "", "to be corrected": base, "source": source or row["source"]}
        for name, sentence in _ELSEWHERE.items():
            is_text = any(map(str.isalpha, row[name]))
            if is_text and plain_text(row[name]) != plain_text(shown[name]):
                text, doubt = row[name], sentence.format(row.number)
                break
    elif not status and "to be corrected" not in row and plain_text(text) == plain_text(base):
        text = ""  # converters fill in what was sent, where nobody has typed anything
    if status and read_status(status) == EMPTY:
        status = ""
        doubt = doubt or f"row {row.number} is marked as empty, but there is a text" * bool(text)
        text = text or NO_PART
    if kind == "caption" and not status and read_status(text):  # in a survey, it may be a button's
        doubt = doubt or (
            f"the text in row {row.number}, {text[:40]!r}, is the name of a status; if it is the "
            "caption, accept it"
        )
    if "?" in text and set(text) <= set("?\ufffd .,!/\n") and text not in (base, source):
        doubt = doubt or (
            f"the text in row {row.number} is question marks only, as of letters that were lost "
            "when the file was saved; if it is the caption, accept it"
        )
    return _Part(row, item.meme_id, number, text, status, doubt)


def _typed_in_unit(row: FilledRow, base: str, source: str) -> tuple[str, str]:
    """Return the text and status of a translation tool's unit: an untouched one has neither.

    Tools copy the source into units that nobody has translated; a text that is the source is a
    person's where the unit's state says so.
    """
    text, status = row["your text"], row["status"]
    name, _, picked = text.partition(":")
    if name.strip().casefold() == "status" and read_status(picked) and not status:
        return "", picked.strip()  # OmegaT's notes stay in its project
    if plain_text(text) == plain_text(base):
        is_done = bool(text and row.answered and not status)
        return "", "correct" if is_done else status
    if plain_text(text) == plain_text(source) and not row.answered:
        return "", status
    return text, status


def _answer(
    by_number: Mapping[int, list[_Part]], item: SheetItem | None, kind: str
) -> Answer | None:
    """Return the answer in the rows of one meme, by part; None where nobody touched them."""
    parts, others = list[_Part](), list[_Part]()
    for _, rows in sorted(by_number.items()):
        first, *rest = [part for part in rows if part.text or part.status] or rows
        parts.append(first)
        others += [each for each in rest if (each.text, each.status) != (first.text, first.status)]
    every = [part for rows in by_number.values() for part in rows]
    comments = [text for part in every for text in (part.row["comment"], *part.row.comments)]
    comment = "\n".join(dict.fromkeys(filter(None, comments)))
    is_touched = any(part.text or part.status for part in parts)
    if not is_touched and not comment:
        return None
    # What stood in a part whose row is gone is not kept for it: it may have gone with the row.
    base = [part_of(item.base, part.number) if item and part.row.cells else "" for part in parts]
    texts, (status, unclear) = _texts(parts), _status(parts)
    if not is_touched:
        status = "comment"
    elif any(texts) and status not in GIVEN_UP:
        # The text decides: "correct" beside another text is a slip of the list.
        same = all(text in ("", was) for text, was in zip(texts, base, strict=True))
        status = "correct" if same else "corrected"
    elif status == "corrected":
        unclear = unclear or "it is marked corrected, but there is no text"
    whole = [text or was for text, was in zip(texts, base, strict=True)]
    if kind == "caption":
        sources = item.source if item else whole
        pairs = zip(whole, sources, strict=False)
        whole = ["" if text == NO_PART != source else text for text, source in pairs]
    wrong = next((f"row {p.row.number}: {p.row.wrong}" for p in every if p.row.wrong), "")
    is_uncut = any(SEPARATOR in text for text in texts)
    if wrong:
        unclear = wrong
    elif others:
        first = next(part for part in parts if part.number == others[0].number)
        unclear = (
            f"part {first.number} stands in the rows {first.row.number} and "
            f"{others[0].row.number} with different answers"
        )
    elif is_uncut:
        unclear = (
            f"the text with '//' does not have the {len(parts)} parts of this caption, or stands "
            "beside others"
        )
    elif status == "corrected" and not any(whole):
        unclear = "every part of it is emptied"
    keeps_text = status not in WITHOUT_TEXT and not is_uncut and not wrong
    keys = (key[3] for part in every if (key := split_key(part.row["key"])))
    return Answer(
        meme_id=parts[0].meme_id,
        status=status,
        parts=tuple(whole) if keeps_text else (),
        typed=tuple(part.text for part in (*parts, *others)),
        comment=comment,
        row=parts[0].row.number,
        rows=tuple(part.row.number for part in parts),
        source_key=next(filter(None, keys), ""),
        unclear=unclear or next((part.doubt for part in parts if part.doubt), ""),
        near=parts[0].near,
    )


def _status(parts: Sequence[_Part]) -> tuple[str, str]:
    """Return the status of a caption by those of its parts, and why it is not clear.

    A part that is given up gives the caption up, and a part that is corrected corrects it.
    """
    picked, unclear = list[str](), ""
    for part in parts:
        status = read_status(part.status) if part.status else None
        if status is not None and status != EMPTY:
            picked.append(status)
        elif part.status:
            near = near_status(part.status)
            unclear = f"{part.status[:40]!r} (row {part.row.number}) is not a status: {near}"
    given_up = list(dict.fromkeys(status for status in picked if status in GIVEN_UP))
    if len(given_up) > 1:
        unclear = f"its parts are given up for two reasons, {given_up[0]} and {given_up[1]}"
    rest = "corrected" if "corrected" in picked else "correct"
    return (given_up[0] if given_up else rest), unclear


def _texts(parts: Sequence[_Part]) -> list[str]:
    """Return what was typed for each part; a whole caption in one cell is cut at its `//`."""
    texts = [part.text for part in parts]
    typed, *others = [text for text in texts if text] or [""]
    pieces = Caption.parse(typed, len(parts)).parts if len(parts) > 1 and not others else ()
    return list(pieces) if len(pieces) == len(parts) and any(pieces) else texts


def outcome_rows(
    filled: Filled, placed: Sequence[Answer], look_at: Mapping[_Place, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    """Yield what became of each row of a file, in its order, then what could not be read.

    `placed` are `answers` with their outcomes; `look_at` has warnings about the texts that they
    brought, by meme and part.
    """
    by_row = {number: answer for answer in placed for number in answer.rows}
    by_meme = {answer.meme_id: answer for answer in placed if answer.outcome != "stray"}
    for row in filled.rows:
        meme_id, part = _stated(row)
        answer = by_row.get(row.number) or by_meme.get(meme_id)
        yield {
            "row": row.number,
            "meme_id": meme_id,
            "part": part or "",
            **{name: row[name] for name in ("source", "your text", "status", "comment")},
            "what became of it": _BECAME[answer.outcome if answer else ""],
            "why": answer.message if answer else "",
            "please look at": "; ".join(look_at.get((meme_id, part), ())),
        }
    not_read = "NOT read: please correct it and send the sheet again"
    for problem in filled.problems:
        yield {"row": problem.row or "", "what became of it": not_read, "why": problem.message}
