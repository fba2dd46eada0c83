"""Words that a reader joined. In: a text in English. Out: the same with spaces.

Capitals of a poster stand close: `IAMTHEDARKNESS`. The likeliest words that make up the letters are
taken, by how often each is used; what is a word itself, or has no such words, stays.
"""

from __future__ import annotations

import re
from functools import cache

from memeloc.errors import MissingError

_JOINED = re.compile(r"(?<![\w@#./-])[^\W\d_]{8,}(?![\w@/-]|\.\w)")
_LONGEST = 20  # letters of a piece: bounds what is tried at each letter
_SHORT = frozenset(
    re.findall(
        r"\w+",
        "a i am an as at be by do go he if in is it me my no of oh ok on or so to up us we all and "
        "any are ask bad bed big boy but buy can car cat cut dad day did die dog eat end far few "
        "for fun get got guy had has her him his hot how its job kid let lot man may men mom mum "
        "new not now off old one our out own pay put red run sad sat saw say see set she sit six "
        "sky son sun tea ten the too top try two use war was way who why win won yes yet you",
    )
)
"""Words of up to three letters that may be a piece: the list has `iam`, `sch` and other names."""


@cache
def _costs() -> dict[str, float]:
    try:
        import wordninja
    except ModuleNotFoundError:
        raise MissingError(
            "Reading memes needs the package wordninja: pip install 'memeloc[ocr]'"
        ) from None
    costs: dict[str, float] = wordninja.DEFAULT_LANGUAGE_MODEL._wordcost
    return costs


def part_words(text: str) -> str:
    """Return an English text in which words that stand together are parted.

    >>> part_words("IAMTHEDARKNESS and laundry")
    'I AM THE DARKNESS and laundry'
    """
    return _JOINED.sub(lambda found: _parted(found[0]), text)


def _parted(word: str) -> str:
    costs, lower = _costs(), word.lower()
    if lower in costs:
        return word
    # By the end of each prefix: what it costs, and where its last word begins.
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(lower) + 1):
        options = [
            (best[begin][0] + costs[piece], begin)
            for begin in range(max(0, end - _LONGEST), end)
            if (piece := lower[begin:end]) in (costs if end - begin > 3 else _SHORT)
        ]
        best.append(min(options, default=(float("inf"), 0)))
    if best[-1][0] == float("inf"):
        return word
    pieces, end = list[str](), len(word)
    while end:
        begin = best[end][1]
        pieces.insert(0, word[begin:end])
        end = begin
    return " ".join(pieces)
