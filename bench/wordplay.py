"""Hints at wordplay, measured. In: captions with and without puns. Out: recall, false hints.

Each file has 60 captions with puns of spelling and sound and 60 without, in English. A caption
has a hint when any list speaks up.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from bench.figures import Bound, Figure
from memeloc.curate.hints import hints
from memeloc.items import Item, Origin

_GROUP = "wordplay"
_FILES = sorted(Path(__file__).parent.glob("wordplay-*.csv"))
_RECALL, _FALSE = 0.2, 0.05


def measure(*, say: Callable[[str], None]) -> tuple[list[Figure], list[str]]:
    """Shares of captions with a hint; the bounds are for the newest file."""
    say("hints at wordplay")
    figures: list[Figure] = []
    notes: list[str] = []
    for file in _FILES:
        newest = file == _FILES[-1]
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for answer, name, bound in (
            ("yes", "puns with a hint", Bound("at least", _RECALL)),
            ("no", "plain captions with a hint", Bound("at most", _FALSE)),
        ):
            captions = [row["caption"] for row in rows if row["wordplay"] == answer]
            hinted = [caption for caption in captions if _has_hint(caption)]
            figures.append(
                Figure(
                    _GROUP,
                    f"{name}, {file.stem}",
                    round(len(hinted) / len(captions), 3),
                    "",
                    bound if newest else None,
                    f"{len(hinted)} of {len(captions)}",
                )
            )
            if answer == "no" and hinted:
                notes.append(f"False hints, {file.stem}: {'; '.join(hinted)}")
    return figures, notes


def _has_hint(caption: str) -> bool:
    origin = Origin("bench", caption)
    return bool(hints(Item("c", "caption", origin, parts=tuple(caption.split(" // ")))))
