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
from bench.scenes import scenes, templates
from memeloc.captions import CaptionRow
from memeloc.locales import default
from memeloc.object_storage import folder_at
from memeloc.render.sets.shards import PictureMaker, Shard
from memeloc.render.settings import RenderSettings

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
    by_name = {template.name: template for template in templates()}
    shards = []
    for turn, count in ((1, None), (2, 1)):  # all that is kept of fonts is there in the second
        memes = [
            (
                CaptionRow(1, f"m{s.number}", s.template.name, {"en": s.caption}, None),
                {"en": "0" * 64},
            )
            for s in scenes("en", [*by_name.values()], turn=turn)[:count]
        ]
        shards.append(Shard(f"000001-{turn:08d}", memes))
    with tempfile.TemporaryDirectory() as folder:
        locales = {"en": default().get("en")}
        maker = PictureMaker(folder_at(folder), RenderSettings(), by_name, locales, "en")
        maker.run(shards[0])
        sys.setprofile(note)
        maker.run(shards[1])
        sys.setprofile(None)
    typesetting = sum(file.startswith(_TYPESETTING) for file, _ in entered)
    return [
        Figure("Functions entered", "typesetting and painting", typesetting, ""),
        Figure("Functions entered", "bookkeeping and all else", len(entered) - typesetting, ""),
    ]
