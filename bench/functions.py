"""Functions that one caption's way enters. In: a caption in use. Out: how many, of which packages.

Each is one more that somebody has to read who wants to know how a picture comes about.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import memeloc
from bench.figures import Figure
from bench.pictures import Memeloc
from bench.scenes import scenes, templates

_TYPESETTING = ("fonts/", "render/painting/", "render/typesetting/")


def measure(*, say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """Count the functions of memeloc that making one picture and its row enters."""
    entered: set[tuple[str, str]] = set()
    root = str(Path(memeloc.__file__).parent)

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and code.co_name[0] != "<":
            entered.add((code.co_filename[len(root) + 1 :], code.co_qualname))

    say("functions")
    with tempfile.TemporaryDirectory() as folder:
        ours = Memeloc(Path(folder), ["en"])
        ours.time(scenes("en", templates(), turn=1))
        made = scenes("en", templates(), turn=2)
        sys.setprofile(note)
        ours.time(made[:1])
        sys.setprofile(None)
    typesetting = sum(file.startswith(_TYPESETTING) for file, _ in entered)
    return [
        Figure("Functions entered", "typesetting and painting", typesetting, ""),
        Figure("Functions entered", "bookkeeping and all else", len(entered) - typesetting, ""),
    ]
