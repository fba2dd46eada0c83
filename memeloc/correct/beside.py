"""What stands beside a part of a caption on a sheet. In: an item and a part's number. Out: lines.

Nobody fills them in, and nothing of them is read back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memeloc.correct.model import GIVEN_UP, Answer, Sheet, SheetItem
from memeloc.correct.statuses import status_words
from memeloc.glossary import terms_in


def part_of(texts: Sequence[str], number: int) -> str:
    """A part of a text, counted from 1; empty where the text has fewer."""
    return texts[number - 1] if number <= len(texts) else ""


def match_lines(item: SheetItem, number: int) -> list[str]:
    """The matches of a part, counted from 1: how similar the caption is, its source, its text."""
    return [
        f"{match.percent} %: {match.source[number - 1]} → {match.text[number - 1]}"
        for match in item.matches
        if match.text[number - 1]
    ]


def term_lines(sheet: Sheet, item: SheetItem, number: int) -> list[str]:
    """The terms of the glossary that occur in a part, counted from 1."""
    source = item.parts[number - 1].source
    return [str(term) for term in terms_in(item.terms, [source], sheet.source_language)]


def history_lines(sheet: Sheet, item: SheetItem, number: int) -> list[str]:
    """What became of a part, counted from 1, before this sheet: who, when, the text, the comment.

    A line a step, without line breaks, as `anna, round 1, 2026-11-22: the text (a comment)`.
    """
    lines = []
    for step in item.history:
        pieces = [" ".join(piece.split()) for piece in _pieces(step, number, sheet.language.tag)]
        if pieces:
            lines.append(f"{step.who}: {' '.join(pieces)}")
    return lines


def note_lines(sheet: Sheet, item: SheetItem, number: int) -> list[str]:
    """What a part, counted from 1, has in formats whose only place for it are notes."""
    notes = list(item.remarks)
    for name, texts in (("source before", item.before), ("suggestion", item.suggestion)):
        notes += [f"{name}: {text}" for text in [part_of(texts, number)] if text]
    notes += [f"glossary: {term}" for term in term_lines(sheet, item, number)]
    return notes + [f"history: {line}" for line in history_lines(sheet, item, number)]


def given_up_lines(history: Sequence[Answer], tag: str) -> list[str]:
    """Who gave a caption up and why, but for who has answered otherwise since."""
    last = {(step.round, step.person): step for step in history if step.decides}
    return [
        f"{step.who}: {' '.join(' '.join(_pieces(step, 1, tag)).split())}"
        for step in last.values()
        if step.status in GIVEN_UP
    ]


def _pieces(step: Answer, number: int, tag: str) -> Iterator[str]:
    if step.status in GIVEN_UP:
        words: Mapping[Any, str] = status_words(tag)
        yield words[step.status]
    elif number <= len(step.parts):
        yield step.parts[number - 1] or "—"
    elif step.status == "dropped":
        yield step.status
    if step.comment:
        yield f"({step.comment})"
