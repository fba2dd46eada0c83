"""Cost of `memeloc render --to webdataset`. In: the starter set's captions. Out: two ratios.

In each round the same process makes a shard's pictures into memory, and as many others into a tar
file, with their rows in it and in the manifest's part. Time is the processor's, the system's too.

Then finished pictures are kept as single files and in shards on the disk of the checkout, by turns,
and the disk is waited for. That is what shards spare; painting takes the same time in both.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

from bench.figures import Bound, Figure, of_rounds
from bench.place import folder_in_memory
from bench.scenes import LANGUAGES, Scene, scenes, templates
from memeloc.locales import default
from memeloc.object_storage import folder_at
from memeloc.picture_writers import open_writer
from memeloc.render.sets.manifest import Row
from memeloc.render.sets.shards import IN_PARQUET, Item, PictureMaker, Shard, ShardMeme
from memeloc.render.settings import RenderSettings

_WARM_UP = 2
_KEPT = 2000
"""Pictures that are kept in a round."""
_PLACE = Path(__file__).parents[1] / "build"
"""A folder of the checkout, which is on a disk where the system's temporary folder may not be."""


def measure(*, rounds: int = 12, say: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """CPU of rendering into shards over that of rendering into memory."""
    squares = templates()
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as name:
        folder = Path(name)
        locales = {language: default().get(language) for language in LANGUAGES}
        by_name = {template.name: template for template in squares}
        settings = RenderSettings(to="webdataset")
        maker = PictureMaker(folder_at(folder), settings, by_name, locales)
        ratios, spent = [], []
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000)  # as the command: see memeloc.cli
        for turn in range(_WARM_UP + rounds):
            say(f"shards, round {turn + 1} of {_WARM_UP + rounds}")
            memory = shards = 0.0
            # In small pieces by turns, as a busy machine's speed changes within a round.
            for number, tag in enumerate(LANGUAGES):
                # New words each time: nothing that is kept of one half serves the other.
                halves = [scenes(tag, squares, turn=2 * turn + half) for half in (0, 1)]
                shard = f"{turn:06d}-{number:08d}"
                if (turn + number) % 2:
                    shards += _into_shards(maker, shard, halves[1])
                    memory += _into_memory(maker, halves[0])
                else:
                    memory += _into_memory(maker, halves[0])
                    shards += _into_shards(maker, shard, halves[1])
            if turn >= _WARM_UP:
                ratios.append(shards / memory)
                spent.append((shards - memory) / len(LANGUAGES) * 1e3)
    middle = sorted(spent)[len(spent) // 2]
    return [
        of_rounds(
            "Shards",
            "CPU of --to webdataset over rendering into memory",
            ratios,
            "x",
            Bound("at most", 1.1),
            f"{middle:.2f} ms a picture more, for tar files, rows in them and their table",
        ),
        _keeping(rounds, say),
    ]


def _keeping(rounds: int, say: Callable[[str], None]) -> Figure:
    """Pictures a second that shards keep on a disk, over those of single files."""
    square = templates()[0]
    (scene, *_) = scenes(LANGUAGES[0], [square], turn=0)
    locales = {language: default().get(language) for language in LANGUAGES}
    kept: list[tuple[Row, bytes]] = []
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as name:
        templates_by_name = {square.name: square}
        maker = PictureMaker(folder_at(name), RenderSettings(), templates_by_name, locales)
        kept.append(maker.make(*_arguments(scene)))
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
        with open_writer(layout, folder_at(name), "shards/1.tar", IN_PARQUET) as writer:
            for number in range(_KEPT):
                writer.add(row, content, f"de/template-{number % 60}/m{number}.jpg")
        os.sync()
        return perf_counter() - begin


def _into_memory(maker: PictureMaker, made: list[Scene]) -> float:
    """CPU seconds a picture."""
    begin = process_time()
    for scene in made:
        maker.make(*_arguments(scene))
    return (process_time() - begin) / len(made)


def _into_shards(maker: PictureMaker, shard: str, made: list[Scene]) -> float:
    """CPU seconds a picture."""
    memes = []
    for scene in made:
        meme_id, template, item = _arguments(scene)
        memes.append(ShardMeme(meme_id, template, [item]))
    begin = process_time()
    result = maker.run(Shard(shard, memes))
    assert len(result.rows) == len(made), result.failed
    return (process_time() - begin) / len(made)


def _arguments(scene: Scene) -> tuple[str, str, Item]:
    language = next(tag for tag in LANGUAGES if default().get(tag).tag == scene.locale.tag)
    item = Item(language, scene.caption.parts, "0" * 64)
    return f"m{scene.number}", scene.template.name, item
