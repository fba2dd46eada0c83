"""Pages that a parser would choke on. In: HTML. Out: why it is not parsed, or nothing.

The HTML standard makes a parser open elements again that were left open (13.2.4.3, the list of
active formatting elements): 42 kB of `<b>` and `<p>` become two gigabytes of elements. And each
block looks for an open paragraph through all elements around it, so that depth costs its square.
Here a page's tags are counted beforehand, in one pass; where a reading is in doubt, the worse one
counts.
"""

from __future__ import annotations

import re
from collections import Counter

DEEPEST = 10_000
"""Elements within each other."""

MOST_AGAIN = 1_000_000
"""Elements that may be opened again, of all that a page leaves open."""

# Atomic and possessive, so that no text takes more than one pass.
_TAG = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(/?)([a-zA-Z][^\s/>]*+)"
    r"""(?>[^>=]|=\s*"[^"]*"|=\s*'[^']*'|=\s*[^\s"'>][^\s>]*+|=)*+(?:>|\Z)""",
    re.DOTALL,
)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
_BARRIERS = _names("applet caption marquee object td template th")
_CELLS = _names("caption td th")
_ENDS_CELLS = _CELLS | _names("table tr tbody thead tfoot")
_RAW = _names("script style textarea title xmp iframe noembed noframes")
# Elements without content, and those whose end tags many pages leave out.
_NOT_DEEP = _names(
    "area base body br col dd dt embed head hr html img input li link meta option p param source "
    "tbody td tfoot th thead tr track wbr"
)


def tangled(text: str) -> str:
    """Why a page would cost too much to parse, as a sentence; empty when it would not."""
    if text.count("<") < 1000:
        return ""
    # Inside SVG a style is no raw text: both readings are counted.
    for raw in (True, False):
        if sentence := _counted(text, raw):
            return sentence
    return ""


def _counted(text: str, raw: bool) -> str:
    depth = again = left_open = 0
    opened: Counter[str] = Counter()
    formatting: list[Counter[str]] = [Counter()]
    barriers: list[str] = []
    place = 0
    while (found := _TAG.search(text, place)) is not None:
        place = found.end()
        if found[2] is None:
            continue
        name = found[2].lower()
        closes = bool(found[1])
        if barriers and barriers[-1] in _CELLS and name in _ENDS_CELLS:
            barriers.pop()
            left_open -= formatting.pop().total()
        if closes:
            if name in _FORMATTING:
                if formatting[-1][name]:
                    formatting[-1][name] -= 1
                    left_open -= 1
            elif barriers and barriers[-1] == name:
                barriers.pop()
                left_open -= formatting.pop().total()
            if opened[name]:
                opened[name] -= 1
                depth -= 1
            continue
        again += left_open
        if name in _FORMATTING:
            formatting[-1][name] += 1
            left_open += 1
        elif name in _BARRIERS:
            barriers.append(name)
            formatting.append(Counter())
        if name not in _NOT_DEEP:
            opened[name] += 1
            depth += 1
        if depth > DEEPEST:
            return f"it has more than {DEEPEST} elements within each other; no page for people has"
        if again > MOST_AGAIN:
            return "it leaves so many elements open that reading it would take all memory"
        if raw and name in _RAW:
            end = re.compile(rf"</{name}", re.IGNORECASE).search(text, place)
            place = end.start() if end else len(text)
    return ""
