"""What stands beside a part of a caption on a sheet. In: an item and a part's number. Out: lines.

Nobody fills them in, and nothing of them is read back.
"""

from __future__ import annotations

from memeloc.correct.model import Sheet, SheetItem
from memeloc.glossary import terms_in


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
