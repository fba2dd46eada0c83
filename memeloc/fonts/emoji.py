"""Emoji. In: a grapheme cluster. Out: whether it is to be drawn as emoji, and what it can lose."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import uharfbuzz as hb

from memeloc.fonts.faces import Face

_TEXT = "\ufe0e"

_EMOJI = re.compile(
    "[\ufe0f\u20e3\U0001f000-\U0001faff"
    # Emoji_Presentation=Yes below U+1F000 (emoji-data.txt of Unicode 17)
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1"
    "\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705"
    "\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50"
    "\u2b55]"
)

_FLAG_OR_TONE = re.compile("[\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")

_COLOURED = re.compile(
    r"\b(RED|ORANGE|YELLOW|GREEN|BLUE|PURPLE|BROWN|PINK)\b|(BLACK|WHITE|GREY) HEART$"
    r"|LARGE (BLACK|WHITE) (CIRCLE|SQUARE)|(BLACK|WHITE|WAVING \w+) FLAG$|RAINBOW"
)
"""What stands in the Unicode name of an emoji whose colour is what it means."""


def is_emoji(cluster: str) -> bool:
    """Whether a grapheme cluster is to be drawn as emoji: it asks for it, or is so by default.

    Source: UTS #51, 4.3 (presentation style): the selector decides, else the property
    Emoji_Presentation. Of U+1F000 and above all count, as readers expect it.
    """
    return _TEXT not in cluster and _EMOJI.search(cluster) is not None


def has_emoji(text: str) -> bool:
    """Whether something in a text is, or may be, drawn as emoji."""
    return _EMOJI.search(text) is not None


@cache
def loses(cluster: str, face: Face) -> bool:
    """Whether an emoji loses its flag, its colour or its tone in a face, or falls into pieces.

    A face of one colour draws a blue heart as any heart, and a prince as a princess; a sequence
    that a font does not know is drawn as the emoji that it is made of.
    """
    names = [unicodedata.name(char, "") for char in cluster]
    if not face.colour and (_FLAG_OR_TONE.search(cluster) or any(map(_COLOURED.search, names))):
        return True
    if not face.lacks.isdisjoint(cluster):
        return True
    buffer = hb.Buffer()
    buffer.add_str(cluster)
    buffer.guess_segment_properties()
    hb.shape(face.font, buffer)
    pieces = [position for position in buffer.glyph_positions if position.x_advance]
    return len(pieces) > 1
