"""Cost of `memeloc render --to`. In: captions of real lengths. Out: ratios.

In each round memeloc and its commit before render the same new texts as single files, in tars and
in Parquet. Time is the processor's, the system's too.

Then finished pictures are kept as single files and in shards on the disk of the checkout, by turns,
and the disk is waited for. That is what shards spare; painting takes the same time in both.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from bench.figures import Bound, Figure, of_rounds
from bench.place import folder_in_memory
from bench.scenes import scenes, templates
from bench.versions import CAPTIONS, FLOOR, LANGUAGES, OURS, ratio, time_rounds, versions
from memeloc.captions import CaptionRow
from memeloc.locales import default
from memeloc.object_storage import folder_at
from memeloc.picture_writers import writing_pictures
from memeloc.render.sets.manifest import Row
from memeloc.render.sets.shards import IN_PARQUET, PictureMaker
from memeloc.render.settings import RenderSettings

_KEPT = 2000
"""Pictures that are kept in a round."""
_PLACE = Path(__file__).parents[1] / "build"
"""A folder of the checkout, which is on a disk where the system's temporary folder may not be."""


def measure(
    *,
    rounds: int = 12,
    before: str = "HEAD^",
    captions: int = CAPTIONS,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[list[Figure], list[str]]:
    """CPU by layout of this checkout and of the commit before, and what shards spare a disk."""
    lacking: list[str] = []
    layouts = ("files", "webdataset", "parquet")
    with (
        tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as name,
        versions(before, lacking) as memelocs,
    ):
        seconds = time_rounds(memelocs, layouts, [], Path(name), rounds, captions, say)
    group = "Shards, CPU over bare JPEG"
    figures = [ratio(group, seconds, way, FLOOR) for way in seconds if way != FLOOR]
    group = "Shards, CPU over single files"
    bound = Bound("at most", 1.1)
    figures.append(ratio(group, seconds, "memeloc --to webdataset", OURS, bound))
    return [*figures, _keeping(rounds, say)], lacking


def _keeping(rounds: int, say: Callable[[str], None]) -> Figure:
    """Pictures a second that shards keep on a disk, over those of single files."""
    square = templates()[0]
    (scene, *_) = scenes(LANGUAGES[0], [square], turn=0)
    locales = {language: default().get(language) for language in LANGUAGES}
    kept: list[tuple[Row, bytes]] = []
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        templates_by_name = {square.name: square}
        language, place = LANGUAGES[0], folder_at(name)
        maker = PictureMaker(place, RenderSettings(), templates_by_name, locales, language)
        row = CaptionRow(1, "m0", square.name, {language: scene.caption}, None)
        kept.append(maker.make(row, language, "0" * 64))
    _PLACE.mkdir(exist_ok=True)
    seconds: dict[str, list[float]] = {"files": [], "webdataset": []}
    for turn in range(rounds):
        say(f"keeping pictures, round {turn + 1} of {rounds}")
        for layout in sorted(seconds, reverse=bool(turn % 2)):
            seconds[layout].append(_keep(layout, *kept[0]))
    ratios = [files / shards for files, shards in zip(*seconds.values(), strict=True)]
    files, shards = (_KEPT / sorted(each)[len(each) // 2] for each in seconds.values())
    return of_rounds(
        "Shards",
        "pictures a second kept on a disk by --to webdataset over single files",
        ratios,
        "x",
        Bound("at least", 1.5),
        f"{shards:,.0f} over {files:,.0f} pictures of {len(kept[0][1]) // 1000} kB, painted before",
    )


def _keep(layout: str, row: Row, content: bytes) -> float:
    """Seconds until a disk has so many pictures."""
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=_PLACE) as name:
        os.sync()
        begin = perf_counter()
        with writing_pictures(layout, folder_at(name), "shards/1.tar", IN_PARQUET) as write:
            for number in range(_KEPT):
                write(row, content, f"de/template-{number % 60}/m{number}.jpg")
        os.sync()
        return perf_counter() - begin
