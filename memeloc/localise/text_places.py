"""Text boxes of a template's memes. In: a recovered picture. Out: text boxes.

Nothing is read: text is where a meme differs from the picture behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memeloc.localise.protocol import Mask
from memeloc.localise.recover import Recovered
from memeloc.model import TextBox, VAlign
from memeloc.registration import opencv

_TOGETHER = 0.05
"""How far letters of a text lie apart at most, as a share of the shorter side."""
_LEAST_WIDTH, _LEAST_HEIGHT = 0.06, 0.025
"""A text is at least this wide and high, as a share of the picture; marks are lower."""
_MARGIN = 0.01
"""What a box has around the texts, as a share of the picture."""

_Edges = tuple[float, float, float, float]


def text_boxes(recovered: Recovered) -> tuple[TextBox, ...]:
    """Return a box around the texts that stand at one place in the memes, from top to bottom.

    Where only one of three and more memes differs is a mark, unless no place has more. No boxes
    where no meme has text.
    """
    places = [place for each in recovered.pictures for place in _places(each.text)]
    joined = _joined([(place, 1) for place in places])
    shared = [place for place, count in joined if count > 1 or len(recovered.pictures) < 3]
    chosen = shared or [place for place, _ in joined]
    boxes = []
    for number, edges in enumerate(sorted(chosen, key=lambda edges: (edges[1], edges[0])), 1):
        left, top = (max(0.0, edge - _MARGIN) for edge in edges[:2])
        right, bottom = (min(1.0, edge + _MARGIN) for edge in edges[2:])
        valign: VAlign = "top" if bottom < 0.5 else "bottom" if top > 0.5 else "middle"
        boxes.append(
            TextBox(f"text {number}", left, top, right - left, bottom - top, valign=valign)
        )
    return tuple(boxes)


def _places(text: Mask) -> list[_Edges]:
    """Return left, top, right and bottom, in fractions of the picture, of each text of a meme."""
    cv2 = opencv()
    height, width = text.shape
    reach = max(3, round(_TOGETHER * min(text.shape)))
    kernel = np.ones((reach, reach), np.uint8)
    joined = cv2.morphologyEx(text.astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    _, _, figures, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    places = []
    for left, top, across, down, _ in figures[1:].tolist():
        if across >= _LEAST_WIDTH * width and down >= _LEAST_HEIGHT * height:
            places.append(
                (left / width, top / height, (left + across) / width, (top + down) / height)
            )
    return places


def _joined(places: Sequence[tuple[_Edges, int]]) -> list[tuple[_Edges, int]]:
    """Return places that overlap made one, with how many became it."""
    left = list(places)
    joined: list[tuple[_Edges, int]] = []
    while left:
        edges, count = left.pop()
        touching = [other for other in left if _overlap(edges, other[0])]
        if not touching:
            joined.append((edges, count))
            continue
        left = [other for other in left if other not in touching]
        every = [edges, *(other for other, _ in touching)]
        least, most = np.min(every, axis=0).tolist(), np.max(every, axis=0).tolist()
        total = count + sum(other for _, other in touching)
        left.append(((least[0], least[1], most[2], most[3]), total))
    return joined


def _overlap(first: _Edges, second: _Edges) -> bool:
    across = min(first[2], second[2]) - max(first[0], second[0])
    down = min(first[3], second[3]) - max(first[1], second[1])
    return across > 0 and down > 0
