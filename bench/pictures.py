"""CPU time of a picture. In: captions of real lengths. Out: ratios to encoding and to the peers.

In each round memeloc, its commit before and the peers make pictures of the same new texts, and
finished pictures are encoded, which is the floor. A ratio is taken within a round; the figure is
the median over the rounds. Time is the processor's, the system's share included.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.command import run_program
from bench.figures import Bound, Figure, of_rounds
from bench.peers import peers
from bench.pillow_peer import PillowPeer
from bench.place import file_cost, folder_in_memory
from bench.scenes import ROOT
from bench.versions import (
    CAPTIONS,
    FLOOR,
    LANGUAGES,
    OURS,
    Memeloc,
    by_turns,
    ratio,
    time_rounds,
    versions,
    write_captions,
)

ENCODING = Bound("at most", 2.0, reach=1.8)
_SCRIPT = (sys.executable, str(ROOT / "bench" / "pillow_script.py"))


def measure(
    *,
    rounds: int = 12,
    before: str = "HEAD^",
    captions: int = CAPTIONS,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[list[Figure], list[str]]:
    """Measure, and return the figures and a sentence for each peer that is missing.

    Args:
        rounds: how many, besides one that warms up.
        before: the commit that is measured beside this checkout.
        captions: of a round.
        say: gets how far it is.
    """
    others, lacking = peers()
    with (
        tempfile.TemporaryDirectory(prefix="memeloc-bench-", dir=folder_in_memory()) as name,
        versions(before, lacking) as memelocs,
    ):
        folder = Path(name)
        seconds = time_rounds(memelocs, ["files"], others, folder, rounds, captions, say)
        starts = _starts(memelocs, folder, rounds, say)
    bounds = {OURS: ENCODING}
    figures = [ratio("CPU over bare JPEG", seconds, way, FLOOR, bounds.get(way)) for way in seconds]
    for peer in others:
        bound = Bound("at least", peer.at_least) if peer.at_least else None
        figures += [
            ratio("CPU over memeloc's", seconds, f"{peer.name}, {tag}", OURS, bound)
            for tag in LANGUAGES
        ]
    return [*figures, *starts, file_cost()], lacking


def _starts(
    memelocs: list[Memeloc], folder: Path, rounds: int, say: Callable[[str], None]
) -> list[Figure]:
    """CPU seconds of ten pictures by a new process."""
    table, pictures, out = (folder / name for name in ("ten.csv", "ten.json", "ten"))
    made = write_captions(table, 0, 10).values()
    out.mkdir()
    parts = PillowPeer().parts
    content = [(str(s.template.image), parts(s, 512, 512)) for scenes in made for s in scenes]
    pictures.write_text(json.dumps(content), encoding="utf-8")

    def render(memeloc: Memeloc, turn: int) -> float:
        arguments = ("--langs", ",".join(LANGUAGES), "--out", str(out / f"{memeloc.name} {turn}"))
        return memeloc.start("render", str(table), *arguments)

    def draw(fit: tuple[str, ...], _: int) -> float:
        return run_program(*_SCRIPT, str(pictures), str(out), *fit).cpu

    ways: dict[str, Callable[[int], float]] = {m.name: partial(render, m) for m in memelocs}
    ways["a plain Pillow script with a fit loop"] = partial(draw, ("fit",))
    ways["a plain Pillow script without a fit loop"] = partial(draw, ())
    seconds = by_turns(ways, rounds, lambda text: say(f"ten pictures, {text}"))
    bounds = {"memeloc": Bound("at most", 0.4)}
    group = "Ten pictures with start-up, CPU"
    return [of_rounds(group, name, spent, "s", bounds.get(name)) for name, spent in seconds.items()]
