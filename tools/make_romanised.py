"""Make romanised.txt.xz. In: word lists, wordfreq's frequencies. Out: memeloc/curate/data/.

Run `python -m tools.make_romanised WHEEL` with the wheel of the package wordfreq that VERSION names
(`pip download --no-deps wordfreq==VERSION`): only its frequency lists are read. It needs
the extra `tools`.

The classes are Arabic, Hindi with Urdu, and Bengali in Latin letters, and everything else. Their
words are those of tools/romanised/*.txt, written for this, and those of wordfreq's lists of the
three languages, spelled in Latin letters by rule, in random variants. Everything else is wordfreq's
lists of the languages that are written in Latin letters. A multinomial logistic regression over the
letters of a word, up to five neighbours at once, learns to tell them apart.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import math
import random
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from memeloc.curate.filters.identification import CLASSES, features
from tools.romanised_spelling import arabic, bengali, hindi

VERSION = "3.1.1"
WORDS = Path(__file__).parent / "romanised"
OUT = Path(__file__).parent.parent / "memeloc" / "curate" / "data" / "romanised.txt.xz"

_LATIN = [
    "ca",
    "cs",
    "da",
    "de",
    "en",
    "es",
    "fi",
    "fil",
    "fr",
    "hu",
    "id",
    "is",
    "it",
    "lt",
    "lv",
    "ms",
    "nb",
    "nl",
    "pl",
    "pt",
    "ro",
    "sh",
    "sk",
    "sl",
    "sv",
    "tr",
    "vi",
]
_SPELL = {"ar-Latn": ("ar", arabic), "hi-Latn": ("hi", hindi), "bn-Latn": ("bn", bengali)}
_EVERYWHERE, _WRITTEN, _SPELLED, _OTHER = 6.0, 1.5, 0.4, 1.0
"""Weights of a word of a list's first paragraph, of its others, of a word spelled by rule, and of
a word of another language at the middle of its list."""
_MOST = {"en": 12_000}
_MOST_OTHER = 3_000
_MOST_SPELLED = 12_000
_VARIANTS = 3
_STRENGTH = 4.0
"""Inverse of the regularisation."""
_LEAST = 0.2
"""Weights below this for all classes are left out."""
_STEP = 0.1
"""Weights are rounded to multiples of it."""

_LICENCE = """\
Weights of letters for telling romanised words apart; made by tools/make_romanised.py.
From word lists written for memeloc (tools/romanised, CC0) and the frequency lists of wordfreq
{version} by Robyn Speer (github.com/rspeer/wordfreq; data CC BY-SA 4.0). This file: CC BY-SA 4.0.
"""

Sample = tuple[str, str, float]
"""A word, its class (empty: everything else) and its weight."""


def make(wheel: Path, out: Path = OUT, seed: int = 15) -> int:
    """Write the file; how many features it holds."""
    samples = [*_written(), *_spelled(wheel, random.Random(seed)), *_others(wheel)]
    names, weights, bias = _fit(samples)
    head = [f"# {line}" for line in _LICENCE.format(version=VERSION).splitlines()]
    lines = [*head, f"step {_STEP}", f"bias {' '.join(f'{value:.3f}' for value in bias)}"]
    kept = 0
    for name, row in sorted(zip(names, weights, strict=True), key=lambda entry: str(entry[0])):
        if np.abs(row).max() >= _LEAST:
            lines.append(f"{name} {' '.join(str(round(value / _STEP)) for value in row)}")
            kept += 1
    packed = lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME)
    out.write_bytes(packed)
    return kept


def _written() -> Iterator[Sample]:
    for name in CLASSES:
        for number, paragraph in enumerate(_paragraphs(name)):
            for word in paragraph:
                yield word, name, _EVERYWHERE if number == 0 else _WRITTEN
    for paragraph in _paragraphs("other"):
        for word in paragraph:
            yield word, "", 2 * _OTHER


def _paragraphs(name: str) -> list[list[str]]:
    text = (WORDS / f"{name}.txt").read_text(encoding="utf-8")
    lines = ["" if line.startswith("#") else line for line in text.splitlines()]
    return [
        [part for word in block.split() for part in word.split("-")]
        for block in "\n".join(lines).split("\n\n")
        if block.strip()
    ]


def _spelled(wheel: Path, chance: random.Random) -> Iterator[Sample]:
    for name, (language, spell) in _SPELL.items():
        for place, word in enumerate(_frequent(wheel, language, _MOST_SPELLED)):
            variants = {spell(word, chance) for _ in range(_VARIANTS)} - {""}
            for variant in sorted(variants):
                yield variant, name, _SPELLED * _falling(place) / len(variants)


def _others(wheel: Path) -> Iterator[Sample]:
    for language in _LATIN:
        most = _MOST.get(language, _MOST_OTHER)
        share = 1.5 if language == "en" else 0.3
        for place, word in enumerate(_frequent(wheel, language, most)):
            if any(map(str.isalpha, word)) and " " not in word:
                yield word, "", share * _OTHER * _falling(place)


def _falling(place: int) -> float:
    """Weight by rank: 12 for the first words, 1 for the thousandth, 0.3 for the ten thousandth."""
    return min(12.0, math.sqrt(1_000 / (place + 1)))


def _frequent(wheel: Path, language: str, most: int) -> list[str]:
    import msgpack

    with zipfile.ZipFile(wheel) as package:
        data = package.read(f"wordfreq/data/small_{language}.msgpack.gz")
    header, *bins = msgpack.unpackb(gzip.decompress(data), raw=False)
    assert header["format"] == "cB"
    return [word for words in bins for word in words][:most]


def _fit(samples: list[Sample]) -> tuple[list[str], Any, Any]:
    """Features, their weights (features x classes, against everything else), and the bias."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    written = {word for word, name, weight in samples if name and weight >= _WRITTEN}
    merged: dict[tuple[str, str], float] = {}
    for word, name, weight in samples:
        merged[word, name] = merged.get((word, name), 0.0) + weight
    rows = [dict.fromkeys(features(word), 1.0) for word, _ in merged]
    counts = Counter(feature for row in rows for feature in row)
    for row in rows:
        for feature in [feature for feature in row if counts[feature] < 3]:
            if feature[1:-1] not in written:
                del row[feature]
    labels = [("", *CLASSES).index(name) for _, name in merged]
    totals = dict.fromkeys(labels, 0.0)
    for label, weight in zip(labels, merged.values(), strict=True):
        totals[label] += weight
    balanced = [
        weight * len(rows) / 4 / totals[label]
        for label, weight in zip(labels, merged.values(), strict=True)
    ]
    vectors = DictVectorizer(dtype=np.float32)
    matrix = vectors.fit_transform(rows)
    model = LogisticRegression(C=_STRENGTH, max_iter=150, tol=1e-3)
    model.fit(matrix, labels, sample_weight=balanced)
    weights = (model.coef_[1:] - model.coef_[0]).T
    return list(vectors.feature_names_), weights, model.intercept_[1:] - model.intercept_[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    print(make(parser.parse_args().wheel), "features in", OUT)
