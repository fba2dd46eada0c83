"""How memegen changes the case of a caption's lines. In: lines as written. Out: lines as shown.

After `stylize` in memegen's `app/models/text.py`. `upper` is left to the renderer, which knows the
language, and `mock` (alternating case) is left out: a caption to be translated is better without.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_PRONOUN = re.compile(r"\bi\b")
_SENTENCE_ENDS = (".", "?", "!")

_METHODS: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "casefold": str.lower,
    "title": str.title,
    "capitalize": str.capitalize,
}


def cased(line: str, style: str, lines: Sequence[str]) -> str:
    """The line in the case of its region's style; `lines` are all of the caption.

    >>> cased("one does not simply", "default", ["one does not simply"])
    'One does not simply'
    """
    if style in _METHODS:
        return _METHODS[style](line)
    if style not in ("default", "thin"):
        return line
    written = [one for one in lines if one.strip()]
    sentences = any(one.endswith(_SENTENCE_ENDS) for one in written)
    if line.islower() and (sentences or all(one.islower() for one in written)):
        line = line.capitalize()
    return _PRONOUN.sub("I", line)
