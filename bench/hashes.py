"""Near-duplicate search and hashing, on one core. In: hashes and pictures of a seed. Out: figures.

Each case runs in a process of its own, held to one processor, that prints what it measured; its
peak memory is the operating system's word. faiss's IndexBinaryMultiHash searches the same hashes,
exactly too: three tables of 21 bits with one bit flipped hold every pair within 5 bits.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.figures import Bound, Figure
from bench.scenes import ROOT

_GROUP = "Near hashes, distance 5, one core"
_TEN_MILLION = 10_000_000
_HASHING = "Hashing JPEGs of 500 x 400, one core"
_DISTANCE, _PLANTED = 5, 5000
_MANY, _FEW = 1_000_000, 250_000
_ROUNDS, _TURNS = 3, 3


def measure(say: Callable[[str], None] = lambda _: None) -> tuple[list[Figure], list[str]]:
    """Seconds, memory and growth of the search, and pictures hashed a second.

    Args:
        say: gets what is being measured.

    Returns:
        The figures, and what could not be measured.
    """
    # In turn and more than once: other programs' use of memory slows the larger search more.
    runs = []
    for turn in range(_TURNS):
        say(f"near hashes among 1,000,000 and 250,000, {turn + 1} of {_TURNS}")
        runs.append((_child("search", _MANY), _child("search", _FEW)))
    many, few = (min(some, key=lambda run: run["seconds"]) for some in zip(*runs, strict=True))
    say("near hashes among 1,000,000, half of them equal")
    equal = _child("equal", _MANY)
    growth = math.log(many["seconds"] / few["seconds"]) / math.log(_MANY / _FEW)
    note = f"{many['found']:,} of {many['planted']:,} planted pairs found"
    figures = [
        Figure(_GROUP, "1,000,000 hashes", many["seconds"], "s", Bound("at most", 6), note),
        Figure(
            _GROUP,
            "planted pairs missed",
            many["planted"] - many["found"] + equal["planted"] - equal["found"],
            "",
            Bound("at most", 0),
        ),
        Figure(_GROUP, "peak memory", many["megabytes"], "MB", Bound("at most", 500)),
        Figure(_GROUP, "250,000 hashes", few["seconds"], "s"),
        Figure(
            _GROUP,
            "time grows as n to the",
            growth,
            "",
            Bound("at most", 1.2),
            "250,000 to 1,000,000",
        ),
        Figure(
            _GROUP,
            "1,000,000, half of them in 50 groups of equal ones",
            equal["seconds"],
            "s",
            Bound("at most", 6),
            f"{equal['groups']:,} different hashes",
        ),
        Figure(_GROUP, "peak memory of that", equal["megabytes"], "MB", Bound("at most", 500)),
    ]
    notes: list[str] = []
    say("the same by faiss")
    try:
        faiss = _child("faiss", _MANY)
    except _MissingError as error:
        notes.append(str(error))
    else:
        note = f"IndexBinaryMultiHash; {faiss['found']:,} planted pairs found"
        figures += [
            Figure(_GROUP, "1,000,000 hashes by faiss", faiss["seconds"], "s", note=note),
            Figure(_GROUP, "peak memory of faiss", faiss["megabytes"], "MB"),
        ]
    figures += in_one_process(say=say)
    say("hashing pictures")
    hashed = hashing()
    figures += [
        Figure(
            _HASHING,
            "pictures hashed a second",
            hashed["hashed"],
            "/s",
            Bound("at least", 1500),
            f"{hashed['kilobytes']:.0f} kB each",
        ),
        Figure(_HASHING, "decoded at a reduced size, no more", hashed["decoded"], "/s"),
        Figure(_HASHING, "hashed by ImageHash, decoded whole", hashed["imagehash"], "/s"),
        Figure(
            _HASHING,
            "mean difference from ImageHash",
            hashed["bits"],
            "bits",
            note=f"of 64; {hashed['same']:.0%} the same, {hashed['most']} at most",
        ),
    ]
    return figures, notes


def hashing() -> dict[str, Any]:
    """Pictures hashed a second on one core, beside others."""
    return _child("hashing", 400)


def in_one_process(
    count: int = _TEN_MILLION, *, say: Callable[[str], None] = lambda _: None
) -> list[Figure]:
    """Seconds and memory of the search among very many, and whether planted pairs are found.

    Args:
        count: hashes.
        say: gets what is being measured.
    """
    say(f"near hashes among {count:,}")
    result = _child("search", count)
    note = f"{result['found']:,} of {result['planted']:,} planted pairs found"
    name = f"{count:,} hashes"
    missed = result["planted"] - result["found"]
    return [
        Figure(_GROUP, name, result["seconds"], "s", note=note),
        Figure(_GROUP, f"{name}, planted pairs missed", missed, "", Bound("at most", 0)),
        Figure(_GROUP, f"{name}, peak memory", result["megabytes"], "MB", Bound("at most", 2000)),
    ]


class _MissingError(Exception):
    """A package that a case compares with is not there."""


def _child(case: str, count: int) -> dict[str, Any]:
    """What a case measured in a process of its own, with the most memory it held."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.hashes", case, str(count)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"bench.hashes {case} failed: {process.returncode}")
    result: dict[str, Any] = json.loads(printed)
    if "missing" in result:
        raise _MissingError(result["missing"])
    return {**result, "megabytes": usage.ru_maxrss / 1024}


def _hashes(count: int, *, equal: bool) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Hashes of a seed, and the places of planted pairs, 0 to 5 bits apart."""
    random = np.random.default_rng(count)
    hashes = random.integers(0, 2**64, count, dtype=np.uint64)
    if equal:
        half = count // 2
        hashes[:half] = hashes[half + random.integers(0, 50, half)]
    first = count - 1 - np.arange(_PLANTED)
    second = count // 2 + 100 + np.arange(_PLANTED)
    turned = np.argsort(random.random((_PLANTED, 64)), axis=1)[:, :_DISTANCE].astype(np.uint64)
    wanted = np.arange(_DISTANCE) < random.integers(0, _DISTANCE + 1, (_PLANTED, 1))
    bits = np.where(wanted, np.uint64(1) << turned, np.uint64(0))
    hashes[second] = hashes[first] ^ np.bitwise_or.reduce(bits, axis=1)
    return hashes, np.stack([np.minimum(first, second), np.maximum(first, second)], axis=1)


def _search(count: int, *, equal: bool) -> dict[str, Any]:
    from memeloc.curate.duplicates.near import group_hashes, near_pairs

    hashes, planted = _hashes(count, equal=equal)
    took = []
    for _ in range(_ROUNDS if count <= _MANY else 1):
        begin = time.perf_counter()
        groups = group_hashes(hashes)
        pairs = list(near_pairs(groups.values, _DISTANCE))
        took.append(time.perf_counter() - begin)
    found = _planted_found(groups, pairs, planted, count)
    return {
        "seconds": min(took),
        "planted": len(planted),
        "found": found,
        "groups": len(groups.values),
    }


def _planted_found(groups: Any, pairs: list[Any], planted: Any, count: int) -> int:
    """How many of the planted pairs were found, or are equal."""
    group = np.empty(count, dtype=np.int64)
    group[groups.order] = np.repeat(np.arange(len(groups.values)), np.diff(groups.starts))
    first = np.concatenate([some.first for some in pairs])
    second = np.concatenate([some.second for some in pairs])
    keys = np.sort(first * count + second)
    lower, higher = np.sort(group[planted], axis=1).T
    wanted = lower * count + higher
    there = (lower == higher) | (keys[np.searchsorted(keys, wanted) % len(keys)] == wanted)
    return int(there.sum())


def _faiss(count: int) -> dict[str, Any]:
    try:
        import faiss
    except ImportError:
        return {"missing": "faiss is not installed (pip install faiss-cpu): not compared."}
    hashes, planted = _hashes(count, equal=False)
    faiss.omp_set_num_threads(1)
    rows = hashes.view(np.uint8).reshape(count, 8)
    begin = time.perf_counter()
    index = faiss.IndexBinaryMultiHash(64, 3, 21)
    index.nflip = 1
    index.add(rows)
    limits, _, places = index.range_search(rows, _DISTANCE + 1)
    seconds = time.perf_counter() - begin
    hits = sum(
        int(second) in places[limits[first] : limits[first + 1]]
        for first, second in planted.tolist()
    )
    return {"seconds": seconds, "planted": len(planted), "found": hits}


def _hashing(count: int) -> dict[str, Any]:
    from PIL import Image

    from memeloc.curate.duplicates.hashing import bits_between, hash_picture

    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        files = _photographs(Path(folder), count)

        def bare(path: Path) -> None:
            with Image.open(path) as picture:
                picture.draft("L", (64, 64))
                picture.load()

        rates = {"decoded": _rate(bare, files), "hashed": _rate(hash_picture, files)}
        try:
            import imagehash
        except ImportError:
            return {"missing": "ImageHash is not installed (pip install imagehash)."}

        def whole(path: Path) -> int:
            with Image.open(path) as picture:
                return int(str(imagehash.phash(picture)), 16)

        rates["imagehash"] = _rate(whole, files)
        bits = [bits_between(hash_picture(path), whole(path)) for path in files]
        size = sum(path.stat().st_size for path in files) / len(files) / 1000
    return {
        **rates,
        "kilobytes": size,
        "bits": float(np.mean(bits)),
        "same": bits.count(0) / len(bits),
        "most": max(bits),
    }


def _rate(work: Callable[[Path], object], files: list[Path]) -> float:
    """Files a second, the best of some rounds."""
    best = math.inf
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        for path in files:
            work(path)
        best = min(best, time.perf_counter() - begin)
    return len(files) / best


def _photographs(folder: Path, count: int) -> list[Path]:
    """JPEGs of 500 x 400 with soft shapes, edges and the grain of a camera, as bytes go."""
    from PIL import Image, ImageDraw

    files = []
    for seed in range(count):
        random = np.random.default_rng(seed)
        coarse = random.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        picture = Image.fromarray(coarse).resize((500, 400), Image.Resampling.BICUBIC)
        draw = ImageDraw.Draw(picture)
        for _ in range(25):
            x, y, radius = (int(value) for value in random.integers((0, 0, 5), (500, 400, 60)))
            colour = tuple(int(value) for value in random.integers(0, 256, 3))
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
        grain = random.normal(0, 3, (400, 500, 1))
        pixels = (np.asarray(picture, dtype=np.float64) + grain).clip(0, 255).astype(np.uint8)
        files.append(folder / f"{seed:04d}.jpg")
        Image.fromarray(pixels).save(files[-1], quality=85)
    return files


def _main(case: str, count: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if case == "faiss":
        result = _faiss(count)
    elif case == "hashing":
        result = _hashing(count)
    else:
        result = _search(count, equal=case == "equal")
    print(json.dumps(result))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
