"""Whether two texts are the same but for how they are written. In: captions. Out: 0 to 1."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

_BLOCK = 256
"""Texts that are compared with their neighbours at a time."""
_DIGITS = re.compile(r"\d+")
_TATWEEL = 0x0640


class _Letters(dict[int, int | None]):
    """What `str.translate` makes of each character: None for those that are no matter."""

    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        selector = 0xFE00 <= code <= 0xFE0F or code == _TATWEEL
        self[code] = None if category[0] in "PZC" or category == "Sk" or selector else code
        return self[code]


_letters = _Letters()


def plain_text(parts: Sequence[str]) -> str:
    """A text with only what makes it that text: NFKC, case folded, no spaces and no punctuation.

    Signs such as emoji stay. A text of nothing but punctuation keeps it.

    >>> plain_text(["Me, on MONDAY:", " zzz..."])
    'meonmondayzzz'
    """
    whole = unicodedata.normalize("NFKC", " ".join(parts)).casefold()
    plain = unicodedata.normalize("NFKC", whole.translate(_letters))
    return plain or "".join(whole.split()).encode("utf-8", "replace").decode()


@functools.lru_cache(maxsize=1 << 16)
def numbers(plain: str) -> tuple[str, ...]:
    """The numbers in a plain text; texts that differ in one are not the same, however similar."""
    return tuple(_DIGITS.findall(plain))


def similar_texts(
    texts: Sequence[str], least: float, jobs: int = 1
) -> Iterator[tuple[int, int, float]]:
    """All pairs of plain texts whose similarity (rapidfuzz's `ratio`, 0 to 1) is at least `least`.

    Exact: texts too different in length are not compared, as they cannot be similar; all others
    are, some 40 million pairs a second, in blocks of bounded memory, on `jobs` threads. Yields
    places of two texts, the lesser first, and their similarity; in the same order in every run.
    """
    from rapidfuzz import fuzz, process

    if len(texts) < 2:
        return
    lengths = np.array([len(text) for text in texts])
    order = np.argsort(lengths, kind="stable")
    lengths = lengths[order]
    ordered = [texts[at] for at in order]
    cutoff = least * 100 - 1e-9
    for start in range(0, len(ordered), _BLOCK):
        block = ordered[start : start + _BLOCK]
        # ratio = 2 * common / (a + b), and no more is common than the shorter has.
        longest = len(block[-1]) * (2 - least) / least
        end = int(np.searchsorted(lengths, longest + 1e-9, side="right"))
        if end - start == 1:
            continue
        table = process.cdist(
            block,
            ordered[start:end],
            scorer=fuzz.ratio,
            score_cutoff=cutoff,
            dtype=np.float32,
            workers=jobs,
        )
        rows, columns = np.nonzero(table)
        after = columns > rows
        for row, column in zip(rows[after].tolist(), columns[after].tolist(), strict=True):
            score = min(1.0, max(least, float(table[row, column]) / 100))
            one, other = int(order[start + row]), int(order[start + column])
            yield min(one, other), max(one, other), score
