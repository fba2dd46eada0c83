"""Duplicates among texts, measured. In: pairs that differ in meaning; made captions. Out: figures.

contrast_pairs.csv has 200 pairs of captions in six languages, written for memeloc, that differ in a
negation, an antonym, a number, a name, a group, a word or an emoji, most of them by a letter or
two. None may be joined without a person: not as captions, not as texts of pictures with equal
hashes, not where a model finds them equal.
"""

from __future__ import annotations

import csv
import hashlib
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.figures import Bound, Figure
from memeloc.curate.duplicates.dedup import Deduplicated, Embedded, deduplicate, raw_text
from memeloc.curate.duplicates.grouping import DedupSettings
from memeloc.curate.duplicates.texts import plain_text
from memeloc.items import Item, Origin

_GROUP = "duplicates among texts"
_FILE = Path(__file__).parent / "contrast_pairs.csv"
_SETTINGS = DedupSettings.model_validate({})
_CAPTIONS, _TEMPLATES = 100_000, 2_000


def contrast_pairs() -> list[dict[str, str]]:
    """The pairs: `lang`, `differs` (in what), `first` and `second`."""
    with _FILE.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def as_captions(pairs: list[dict[str, str]]) -> Deduplicated:
    """Each pair as two captions of one template."""
    items = [
        Item(f"{at}-{side}", "caption", Origin("bench", side), parent=f"t{at}", parts=(pair[side],))
        for at, pair in enumerate(pairs)
        for side in ("first", "second")
    ]
    return deduplicate(items, _SETTINGS, hashes={})


def as_pictures(pairs: list[dict[str, str]]) -> Deduplicated:
    """Each pair as the texts of two pictures with the same perceptual hash."""
    items = _pictures(pairs)
    digests = [hashlib.sha256(item.id.partition("-")[0].encode()).digest() for item in items]
    hashes = {
        item.picture: int.from_bytes(digest[:8])
        for item, digest in zip(items, digests, strict=True)
    }
    return deduplicate(items, _SETTINGS, hashes=hashes)


def as_similar(pairs: list[dict[str, str]]) -> Deduplicated:
    """Each pair as the texts of two pictures, all of which a model finds equal two by two."""
    items = _pictures(pairs)
    axes = np.repeat(np.eye(len(pairs), dtype=np.float32), 2, axis=0)
    embedded = Embedded(
        {item.picture: axis for item, axis in zip(items, axes, strict=True)},
        {raw_text(item.parts): axis for item, axis in zip(items, axes, strict=True)},
    )
    return deduplicate(items, _SETTINGS, hashes={}, embed=lambda left: embedded)


def _pictures(pairs: list[dict[str, str]]) -> list[Item]:
    return [
        Item(name, "picture", Origin("bench", name), parts=(pair[side],), picture=name)
        for at, pair in enumerate(pairs)
        for side in ("first", "second")
        for name in (f"{at}-{side}",)
    ]


def measure(*, say: Callable[[str], None]) -> list[Figure]:
    """How many contrast pairs are joined, and are asked about; the time that captions take."""
    say("texts that differ in meaning")
    pairs = contrast_pairs()
    figures = []
    ways = {"captions": as_captions, "equal hashes": as_pictures, "equal embeddings": as_similar}
    for way, run in ways.items():
        done = run(pairs)
        joined = sum(verdict.verdict == "drop" for verdict in done.verdicts)
        asked = len({pair.subject for pair in done.pairs if pair.outcome == "ask"})
        name = f"contrast pairs joined, {way}, of {len(pairs)}"
        note = f"{asked} go to a person, the others stay"
        figures.append(Figure(_GROUP, name, joined, "", Bound("at most", 0), note))
    say(f"{_CAPTIONS:,} captions")
    items = _captions(pairs)
    begin = time.perf_counter()
    for item in items:
        plain_text(item.parts)
    normalised = time.perf_counter() - begin
    deduplicate(items, _SETTINGS, hashes={})
    took = time.perf_counter() - begin - normalised
    name = f"{_CAPTIONS:,} captions on {_TEMPLATES:,} templates"
    figures.append(Figure(_GROUP, f"{name}, compared", took, "s", Bound("at most", 120)))
    figures.append(Figure(_GROUP, f"{name}, normalised alone", normalised, "s"))
    return figures


def _captions(pairs: list[dict[str, str]]) -> list[Item]:
    """Captions of words that the pairs have."""
    chance = random.Random(1)
    words = " ".join(pair[side] for pair in pairs for side in ("first", "second")).split()
    return [
        Item(
            f"c{number}",
            "caption",
            Origin("bench", f"{number}"),
            parent=f"t{number % _TEMPLATES}",
            parts=(" ".join(chance.choices(words, k=chance.randint(4, 14))),),
        )
        for number in range(_CAPTIONS)
    ]
