"""Sites' names and handles in memes. In: lines that were read. Out: those that are no caption.

They say where a picture went round and are no part of the joke: nobody translates them, and two
memes that differ in them alone say the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memeloc.ocr.protocol import Line

_SITES = (
    "9gag|cheezburger|danklearning|diylol|funnyjunk|ifunny|imgflip|imgur|kapwing|"
    "knowyourmeme|makeameme|mematic|meme-?arsenal|memecenter|memecrunch|memecreator|memedroid|"
    "meme ?generator|memegen|memes?happen|memesmonkey|mem ?maker|quickmeme|sizzle|"
    "someecards|troll\\.me|weknowmemes|your ?meme"
)
_ENDS = "com|net|org|co|io|me|tv|de|fr|es|ru|in|cn|jp|app|example|gg|lol|uk|pl|br|it"
_MARK = re.compile(
    rf"(?:https?://)?(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:{_ENDS})(?:/\S*)?"
    rf"|(?:{_SITES})(?:\.\w+)?|@[\w.]{{3,}}|[ur]/\w{{3,}}|t\.me/\w+",
    re.IGNORECASE,
)
_AROUND = re.compile(
    r"\b(?:made|created|with|on|by|via|at|from|the|app|follow|source|credit|ig)\b|[^\w]|[©™]",
    re.IGNORECASE,
)
"""What stands beside a site's name and says no more than it."""
_SMALL = 0.06
"""Height of a line up to which an address is a mark, as a share of the picture: `example.com` on a
poster is a joke about it. Marks of ten sites have 0.015 to 0.045, small captions from 0.03."""
_AT_EDGE = 0.1
"""How far its middle is from an edge above or below, where a repeated text is a mark."""
_OFTEN = 3
"""Pictures that have the same small text at an edge: labels such as "me" have less than 4 letters,
or stand within the picture."""


def is_watermark(text: str, share: float = 0.0) -> bool:
    """Return whether a text is a site's name or a handle, and nothing else.

    Args:
        text: of a line.
        share: height of the line as a share of the picture's.

    >>> is_watermark("made with mematic"), is_watermark("@harbour_cat"), is_watermark("me at work")
    (True, True, False)
    """
    rest, count = _MARK.subn("", text.strip())
    return count > 0 and share <= _SMALL and not _AROUND.sub("", rest)


def repeated(pictures: Iterable[tuple[int, Sequence[Line]]]) -> frozenset[str]:
    """Return the small texts, by `plain`, that stand at the edge of several pictures.

    Args:
        pictures: height, and the lines read, of each.
    """
    counts: Counter[str] = Counter()
    for height, lines in pictures:
        small = [line for line in lines if line.box[3] - line.box[1] <= _SMALL * height]
        counts.update(
            {
                plain(line.text)
                for line in small
                if min(line.box[1] + line.box[3], 2 * height - line.box[1] - line.box[3])
                < 2 * _AT_EDGE * height
            }
        )
    return frozenset(text for text, count in counts.items() if count >= _OFTEN and len(text) > 3)


def marks_among(lines: Sequence[Line], height: int, often: frozenset[str]) -> list[Line]:
    """Return the lines of a picture of a height that are marks; `often` is from `repeated`."""
    return [
        line
        for line in lines
        if is_watermark(line.text, (line.box[3] - line.box[1]) / height)
        or (plain(line.text) in often and line.box[3] - line.box[1] <= _SMALL * height)
    ]


def without_watermarks(parts: Iterable[str]) -> list[str]:
    """Return the parts of a text that are captions: two memes are compared by them."""
    return [part for part in parts if not is_watermark(part)]


def plain(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.casefold()))
