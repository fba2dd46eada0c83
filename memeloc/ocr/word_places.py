"""Words that stand where letters do. In: words that were read, a mask. Out: yes or no.

Tesseract loses words of a line, of Hindi above all, or gives them in another order. The words'
boxes show it: they do not follow each other, are too far apart, or leave letters uncovered.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PIL import Image
from scipy import ndimage

from memeloc.ocr.masks import PAGE
from memeloc.ocr.tesseract import Word

_INK = 128
_WIDE = 0.9 * PAGE
"""Pixels of a page between two words, at least, where one may be missing: a space has a third."""
_UNREAD = PAGE // 2
"""Columns with ink, in pixels of a page, that no word covers: about a letter of Devanagari."""


def are_doubtful(words: Sequence[Word], mask: Image.Image | None, *, ordered: bool) -> bool:
    """Return whether words of a line may be lost or out of order.

    Args:
        words: in the order in which they were read; their boxes are in pixels of the mask.
        mask: the line's letters, black on white, `PAGE` high; None where they are not known.
        ordered: the words have to follow each other from left to right. Where letters of two
            directions stand side by side they do not.
    """
    lefts = [word.left for word in words]
    if ordered and lefts != sorted(lefts):
        return True
    spans = sorted((word.left, word.right) for word in words)
    if any(after[0] - before[1] >= _WIDE for before, after in pairwise(spans)):
        return True
    if mask is None:
        return False
    ink = np.any(np.asarray(mask.convert("L")) < _INK, axis=0)
    uncovered = np.ones(mask.width, dtype=bool)
    for left, right in spans:
        uncovered[left:right] = False
    gaps, count = ndimage.label(uncovered)
    unread = ndimage.sum_labels(ink, gaps, range(1, count + 1))
    return bool(count) and max(unread) >= _UNREAD
