"""Texts that are the same but for how they are written. In: captions. Out: pairs, in a `Grouping`.

Captions of one template are compared with each other (or all with all). The same but for case,
spaces and punctuation is the same; nearly the same is too, by rapidfuzz's ratio, unless a number
differs.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memeloc.curate.duplicates.grouping import Grouping

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings

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


def group_captions(
    grouping: Grouping, stays: Mapping[str, str], settings: DedupSettings, jobs: int = 1
) -> None:
    """Unite captions with the same text, compared by `jobs` threads.

    `stays` has, of templates that are duplicates, the one that stays.
    """
    by_template: dict[str, dict[str, list[int]]] = {}
    for place, item in enumerate(grouping.items):
        template = stays.get(item.parent, item.parent) if settings.scope == "template" else ""
        by_text = by_template.setdefault(template, {})
        by_text.setdefault(plain_text(item.parts), []).append(place)
    for by_text in by_template.values():
        for first, *others in by_text.values():
            for other in others:
                reason = "The texts are the same but for case, spaces and punctuation."
                grouping.same(first, other, "caption", {"text": 1.0}, reason)
        if settings.near_captions >= 1:
            continue
        texts, places = list(by_text), list(by_text.values())
        near = similar_texts(texts, settings.near_captions, jobs)
        for one, other, score in sorted(near, key=lambda pair: -pair[2]):
            if numbers(texts[one]) == numbers(texts[other]):
                reason = f"The texts are nearly the same ({score:.0%})."
                scores = {"text": round(score, 4)}
                grouping.same(places[one][0], places[other][0], "caption", scores, reason)
