"""What a caption's part looks like before layout. In: any string. Out: paragraphs fit for shaping.

Any string will do, half a megabyte pasted by mistake and lone surrogates among them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_CHARACTERS = 8_000
"""Code points of one part that are laid out; more cannot be read on any picture."""

_UNUSUAL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffc-\uffff]")
_BREAKS = re.compile("\r\n|[\n\x0b\x0c\r\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x09\x0e-\x1f\x7f-\x84\x86-\x9f]")
_BROKEN = re.compile("[\ud800-\udfff\ufffe\uffff]")
_NOTHING = re.compile("[\ufeff\ufffc]")


class CleanText(NamedTuple):
    """A part ready for layout.

    Attributes:
        paragraphs: its lines as the author broke them, each stripped of white space at its ends.
        dropped: code points beyond MOST_CHARACTERS that were left out.
    """

    paragraphs: list[str]
    dropped: int


def clean(text: str) -> CleanText:
    """Split a part at its explicit line breaks and replace what cannot be drawn.

    Line breaks are those that UAX #14 calls mandatory (LF, CR, CR LF, VT, FF, NEL, LS, PS). Other
    control characters become spaces, lone surrogates and noncharacters U+FFFD. White space at the
    ends of the part and of each of its lines is dropped, an empty line within it is kept.
    """
    dropped = max(0, len(text) - MOST_CHARACTERS)
    if dropped:
        text = text[:MOST_CHARACTERS]
    if _UNUSUAL.search(text) is None:
        text = text.strip()
        return CleanText([text] if text else [], dropped)
    text = _BREAKS.sub("\n", text)
    text = _CONTROLS.sub(" ", text)
    text = _NOTHING.sub("", _BROKEN.sub("\ufffd", text))
    paragraphs = [line.strip() for line in text.strip().split("\n")]
    return CleanText(paragraphs if any(paragraphs) else [], dropped)
