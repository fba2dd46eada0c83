"""What a page may cost to parse. In: HTML. Out: why it is not parsed, or nothing.

The HTML standard makes a parser open formatting elements again that were left open (13.2.4.3): 27
kB of `<b id=...><p>` become 700 MB. And each block looks for an open paragraph through all elements
around it, so that depth costs its square. So tags are counted roughly beforehand.
"""

from __future__ import annotations

import re
from collections import Counter

DEEPEST = 10_000  # elements within each other
MOST_REOPENED = 2_000_000  # elements that may be opened again; a million takes some 200 MB

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt")
)
_NOT_DEEP = frozenset(
    """
    area base body br col dd dt embed head hr html img input li link meta option p param source
    tbody td tfoot th thead tr track wbr
    """.split()  # noqa: SIM905 - a list of so many words reads better so
)
"""Elements without content, and those whose end tags many pages leave out."""


def too_costly(text: str) -> str:
    """Why a page would cost too much to parse, as a sentence; empty when it would not."""
    opened: Counter[str] = Counter()
    depth = formatting = reopened = 0
    for closes, tag in _TAG.findall(text):
        name = tag.lower()
        step = 1
        if closes:
            step = -1 if opened[name] else 0
        else:
            reopened += formatting
        if name not in _NOT_DEEP:
            opened[name] += step
            depth += step
            formatting += step if name in _FORMATTING else 0
        if depth > DEEPEST:
            return f"it has more than {DEEPEST} elements within each other; no page for people has"
        if reopened > MOST_REOPENED:
            return "it leaves so many elements open that reading it would take all memory"
    return ""
