"""CPU time of a picture. In: the starter set's captions. Out: ratios to encoding and to the peers.

Everything is measured in one process and in rounds: in each round and language memeloc makes all
pictures as files, then the same finished pictures are encoded and nothing else, then the peers
make some of them. A ratio is taken within a round; the figure is the median over the rounds. Time
is the processor's, the system's share included.
"""

from __future__ import annotations

import gc
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from time import process_time

from bench.figures import Bound, Figure, of_rounds
from bench.peers import Peer, peers
from bench.place import file_cost, folder_in_memory
from bench.scenes import LANGUAGES, Scene, scenes, templates
from memeloc.locales import default
from memeloc.object_storage import folder_at
from memeloc.render.sets.shards import Item, PictureMaker, Shard, ShardMeme
from memeloc.render.settings import RenderSettings

ENCODING = Bound("at most", 2.0, reach=1.8)

_WARM_UP = 3
_PEER_EVERY = 2
"""Peers draw in every second round, and one of three pictures: they are slow."""
_PEER_SHARE = 3


@dataclass(slots=True)
class Times:
    """What was measured of one language, a value a round.

    Attributes:
        cold: memeloc's time a picture in its very first round, in seconds.
        ours: memeloc's time a picture.
        encoding: the bare encoding's.
        ratios: the one over the other.
        peers: by name, the peer's time a picture.
        faster: by name, the peer's time over memeloc's for the same pictures.
    """

    cold: float = 0.0
    ours: list[float] = field(default_factory=list)
    encoding: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    peers: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    faster: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def measure(
    *,
    rounds: int = 12,
    languages: Sequence[str] = LANGUAGES,
    most: int | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[list[Figure], list[str]]:
    """Measure, and return the figures and a sentence for each peer that is missing.

    Args:
        rounds: how many, besides those that warm up.
        languages: columns of the starter set.
        most: captions a language at most.
        say: gets how far it is.
    """
    others, lacking = peers()
    times = {language: Times() for language in languages}
    squares = templates()
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as folder:
        ours = Memeloc(Path(folder), languages)
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000)  # as the command: see memeloc.cli
        for turn in range(_WARM_UP + rounds):
            say(f"pictures: round {turn + 1} of {_WARM_UP + rounds}")
            for language in languages:
                made = scenes(language, squares, turn=turn, most=most)
                if turn < _WARM_UP:
                    cold = ours.time(made)
                    times[language].cold = times[language].cold or cold
                    _warm_up(others, made[::_PEER_SHARE])
                    continue
                _round(times[language], ours, made)
                if (turn - _WARM_UP) % _PEER_EVERY == 0:
                    _peer_round(times[language], ours, others, made[::_PEER_SHARE])
    return [*_figures(times, others), file_cost()], lacking


class Memeloc:
    """memeloc's own way from a caption to a file and a row of the manifest."""

    def __init__(self, folder: Path, languages: Sequence[str]) -> None:
        locales = {language: default().get(language) for language in languages}
        self._columns = {locale.tag: language for language, locale in locales.items()}
        by_name = {template.name: template for template in templates()}
        self._maker = PictureMaker(folder_at(folder), RenderSettings(), by_name, locales)
        self.renderer = self._maker.renderer
        self._shards = 0

    def time(self, made: list[Scene]) -> float:
        """Make all pictures as a shard of a run is made, its rows too; CPU seconds a picture."""
        self._shards += 1
        begin = process_time()
        memes = []
        for scene in made:
            item = Item(self._columns[scene.locale.tag], scene.caption.parts, "0" * 64)
            # Names are new each time, as in a run, and nothing is removed before the end: ext4
            # takes longer to replace a file, and to make one where many were just removed.
            name = f"{self._shards}-{scene.number}"
            source = item.language, item.parts
            memes.append(ShardMeme(name, scene.template.name, [item], source))
        self._maker.run(Shard(f"000001-{self._shards:08d}", memes))
        return (process_time() - begin) / len(made)

    def encoding_time(self, made: list[Scene]) -> float:
        """Encode the same finished pictures, just painted; CPU seconds a picture."""
        spent = 0.0
        for scene in made:
            image = self.renderer.render(scene.template, scene.caption, scene.locale).image
            begin = process_time()
            image.save(BytesIO(), "JPEG", quality=90)
            spent += process_time() - begin
        return spent / len(made)


def _round(times: Times, ours: Memeloc, made: list[Scene]) -> None:
    spent, encoding = ours.time(made), ours.encoding_time(made)
    times.ours.append(spent)
    times.encoding.append(encoding)
    times.ratios.append(spent / encoding)


def _peer_round(times: Times, ours: Memeloc, others: list[Peer], made: list[Scene]) -> None:
    before = ours.time(made)
    taken = {}
    for peer in others:
        begin = process_time()
        for scene in made:
            peer.draw(scene).save(BytesIO(), "JPEG", quality=90)
        taken[peer.name] = (process_time() - begin) / len(made)
    mine = (before + ours.time(made)) / 2
    for name, spent in taken.items():
        times.peers[name].append(spent)
        times.faster[name].append(spent / mine)


def _warm_up(others: list[Peer], made: list[Scene]) -> None:
    for peer in others:
        for scene in made:
            peer.draw(scene)


def _figures(times: dict[str, Times], others: list[Peer]) -> list[Figure]:
    figures = []
    for language, measured in times.items():
        note = (
            f"{_ms(measured.ours)} to {_ms(measured.encoding)} ms; "
            f"first pictures of a run {measured.cold * 1e3:.2f} ms"
        )
        figures.append(
            of_rounds("CPU over bare JPEG", language, measured.ratios, "x", ENCODING, note)
        )
    for peer in others:
        bound = Bound("at least", peer.at_least)
        for language, measured in times.items():
            note = f"{_ms(measured.peers[peer.name])} ms, without proof, hashes, file and row"
            faster = measured.faster[peer.name]
            figures.append(
                of_rounds(f"Faster than {peer.name}", language, faster, "x", bound, note)
            )
    return figures


def _ms(seconds: list[float]) -> str:
    return f"{sorted(seconds)[len(seconds) // 2] * 1e3:.2f}"
