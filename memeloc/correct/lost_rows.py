"""Rows that have lost what they are about. In: a returned sheet, and as it was sent. Out: answers.

People delete columns, merge cells and add lines. What a row is about then follows from
its source and the text to be corrected, which are the sheet's, and from the rows around it.
A row that was filled in and belongs to nothing on the sheet is kept beside the caption that it
stands with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_

from memeloc.correct.model import Row, Sheet, SheetAnswers, SheetItem
from memeloc.correct.rows import answers_of, plain_text
from memeloc.correct.statuses import read_status

_Place = tuple[str, int]
"""A meme, and its part counted from 1."""


def complete(answers: SheetAnswers, sheet: Sheet) -> SheetAnswers:
    """The answers and rows again, with what the sheet showed where the file has lost it."""
    items = sheet.by_meme
    rows = _found(answers.rows, items)
    rows = [row if row.near else _as_sent(row, items[row.meme_id], sheet.kind) for row in rows]
    if sheet.kind == "caption":  # in a survey, such a word may be a button's
        rows = [_with_doubt_of_status(row) for row in rows]
    # A part of a transcript may be given up, so its row that is gone is asked about.
    gone = [] if sheet.kind == "transcript" else list(_gone(rows, items))
    if not gone and len(rows) == len(answers.rows) and all(map(is_, rows, answers.rows)):
        return answers
    return replace(answers, answers=tuple(answers_of([*rows, *gone])), rows=tuple(rows))


def _gone(rows: Sequence[Row], items: Mapping[str, SheetItem]) -> Iterator[Row]:
    """An empty row for each part that has none, of memes that have one; so that texts stay where
    they belong, and a part without a source may be missing."""
    parts: dict[str, set[int]] = {}
    for row in rows:
        if not row.near:
            parts.setdefault(row.meme_id, set()).add(row.part)
    for row in rows:
        there = parts.pop(row.meme_id, None) if not row.near else None
        if there is not None:
            for part in range(1, len(items[row.meme_id].source) + 1):
                if part not in there:
                    yield Row(row.number, row.sheet, row.meme_id, part, "", "", "", "")


def _found(rows: Sequence[Row], items: Mapping[str, SheetItem]) -> list[Row]:
    """The rows with the meme and part that they are about, or else with the meme that is near."""
    places: list[_Place | None] = [
        (row.meme_id, row.part) if row.meme_id in items and row.part else None for row in rows
    ]
    if None in places:
        _find(places, rows, items)
    placed = []
    near = next((place[0] for place in places if place), next(iter(items), ""))
    for row, place in zip(rows, places, strict=True):
        if place is not None:
            near = place[0]
            is_whole = place == (row.meme_id, row.part)
            placed.append(row if is_whole else replace(row, meme_id=place[0], part=place[1]))
        elif row.is_touched:
            placed.append(replace(row, near=near))
    return placed


def _find(places: list[_Place | None], rows: Sequence[Row], items: Mapping[str, SheetItem]) -> None:
    """Find the places of rows by their texts; of several that fit, the one beside a neighbour."""
    by_source: dict[str, list[_Place]] = {}
    for meme_id, item in items.items():
        for number, source in enumerate(item.source, 1):
            by_source.setdefault(plain_text(source), []).append((meme_id, number))
    fitting: dict[int, list[_Place]] = {}
    for index, row in enumerate(rows):
        if places[index] is not None:
            continue
        fit = by_source.get(plain_text(row.source), []) if row.source else []
        machine = plain_text(row.machine)
        for says in (
            [place for place in fit if place[0] == row.meme_id],
            [place for place in fit if place[1] == row.part],
            [place for place in fit if machine and machine == plain_text(_shown(items, place))],
        ):
            fit = says or fit
        fitting[index] = fit
        if len(fitting[index]) == 1:
            places[index] = fitting[index][0]
    for indices, step in ((fitting, 1), (reversed(fitting), -1)):
        for index in indices:
            before = places[index - step] if 0 <= index - step < len(rows) else None
            if places[index] is None and before is not None:
                beside = (before[0], before[1] + step)
                if beside in fitting[index] or _is_merged(rows[index], beside, items):
                    places[index] = beside


def _is_merged(row: Row, beside: _Place, items: Mapping[str, SheetItem]) -> bool:
    """Whether a row with a part's number only is the next of a meme whose cell is merged."""
    return (
        not row.meme_id
        and not row.source
        and 1 <= row.part == beside[1] <= len(items[beside[0]].source)
    )


def _as_sent(row: Row, item: SheetItem, kind: str) -> Row:
    """The row with the text that it showed; what that or the source was overwritten with, a person
    typed."""
    if not 1 <= row.part <= len(item.base):
        return row
    shown, source = item.base[row.part - 1], item.source[row.part - 1]
    if kind == "transcript" and not source:
        source = row.source  # words that say so stand for it
    if not row.machine:
        row = replace(row, machine=shown)
    if row.text or row.wrong:
        return row
    for name, text, was in (
        ("text to be corrected", row.machine, shown),
        ("source", row.source, source),
    ):
        if any(map(str.isalpha, text)) and plain_text(text) != plain_text(was):
            doubt = (
                f"the {name} was itself changed in row {row.number}; if that is the correction, "
                "accept it"
            )
            return replace(row, text=text, machine=shown, doubt=doubt)
    return row


def _with_doubt_of_status(row: Row) -> Row:
    """The row, to be looked at where a status was typed in place of the text."""
    if row.status or row.wrong or read_status(row.text) is None:
        return row
    doubt = (
        f"the text in row {row.number}, {row.text[:40]!r}, is the name of a status; if it is the "
        "caption, accept it"
    )
    return replace(row, doubt=doubt)


def _shown(items: Mapping[str, SheetItem], place: _Place) -> str:
    base = items[place[0]].base
    return base[place[1] - 1] if place[1] <= len(base) else ""
