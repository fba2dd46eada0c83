"""Pictures that are the same. In: items, their hashes and texts. Out: pairs, in a `Grouping`.

Two stages: files that are the same byte by byte, and perceptual hashes within a distance. Different
memes on one template are near in hash, so a near pair is a duplicate only when its texts are the
same too; where a text is not known, or the texts are nearly the same, a person decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memeloc.curate.duplicates.grouping import Grouping, Groups
from memeloc.curate.duplicates.hashing import as_array, bits_between
from memeloc.curate.duplicates.near import Hashes, group_hashes, near_pairs
from memeloc.curate.duplicates.texts import numbers, plain_text, similar_texts

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings

_FIRST = 256
"""The better hashes that one is compared with first when a person is to be asked."""


def group_same_files(grouping: Grouping) -> None:
    """Unite what is the same byte by byte (SHA-256)."""
    first: dict[str, int] = {}
    for place, item in enumerate(grouping.items):
        if item.picture and first.setdefault(item.picture, place) != place:
            there = first[item.picture]
            grouping.same(there, place, "bytes", {"distance": 0}, "The files are the same.")


def group_near_hashes(
    grouping: Grouping, hashes: Mapping[str, int], settings: DedupSettings
) -> None:
    """Unite what has near hashes (by SHA-256) and, by the rule `text`, the same text."""
    places = [at for at in grouping.left() if grouping.items[at].picture in hashes]
    values = [hashes[grouping.items[at].picture] for at in places]
    texts = _texts(grouping, settings)
    for members in _components(as_array(values), settings.distance):
        own = [places[at] for at in members]
        own_values, own_texts = [values[at] for at in members], [texts[at] for at in own]
        _Component(grouping, settings, own, own_values, own_texts).group()


def _texts(grouping: Grouping, settings: DedupSettings) -> dict[int, str | None]:
    """The text of each representative: its own, else that of the first of its group with one.

    By the rule `paper` (charmemes 4.3) no text counts, nor does a template have one.
    """
    texts: dict[int, str | None] = {}
    for item, root in zip(grouping.items, grouping.groups.roots().tolist(), strict=True):
        if settings.rule == "paper" or item.kind == "template":
            texts[root] = ""
        elif texts.get(root) is None:
            texts[root] = plain_text(item.parts) or None
    return texts


def _components(values: Hashes, distance: int) -> Iterator[list[int]]:
    """What is connected by near hashes, ascending; only what is not alone."""
    groups = group_hashes(values)
    connected = Groups(len(groups.values))
    for pairs in near_pairs(groups.values, distance):
        connected.unite_all(pairs.first, pairs.second)
    root_of = np.empty(len(values), dtype=np.int64)
    root_of[groups.order] = np.repeat(connected.roots(), np.diff(groups.starts))
    order = np.argsort(root_of, kind="stable")
    edges = np.flatnonzero(np.diff(root_of[order], prepend=-1, append=-1)).tolist()
    for start, stop in pairwise(edges):
        if stop - start > 1:
            yield order[start:stop].tolist()


@dataclass(frozen=True, slots=True)
class _Component:
    """Pictures that are connected by near hashes, the better ones first."""

    grouping: Grouping
    settings: DedupSettings
    places: Sequence[int]
    values: Sequence[int]
    texts: Sequence[str | None]

    def group(self) -> None:
        """Unite what has the same text, and ask where that is not clear."""
        by_text: dict[str, list[int]] = {}
        for at, text in enumerate(self.texts):
            if text is not None:
                by_text.setdefault(text, []).append(at)
        leaders = {text: self._group_equal(members) for text, members in by_text.items()}
        texts = list(leaders)
        for one, other, score in similar_texts(texts, self.settings.ask_text):
            first, second = texts[one], texts[other]
            same = score >= self.settings.same_text and numbers(first) == numbers(second)
            for left, right in product(leaders[first], leaders[second]):
                bits = bits_between(self.values[left], self.values[right])
                if bits <= self.settings.distance:
                    self._report(left, right, bits, score, same=same)
        if None in self.texts:
            self._ask_unknown(np.array([text is None for text in self.texts]))

    def _group_equal(self, members: Sequence[int]) -> list[int]:
        """Unite near ones of equal text; one of each hash."""
        leaders: dict[int, int] = {}
        for at in members:
            leader = leaders.setdefault(self.values[at], at)
            if leader != at:
                self._report(leader, at, 0, 1.0, same=True)
        values = sorted(leaders)
        for pairs in near_pairs(as_array(values), self.settings.distance):
            rows = zip(*(column.tolist() for column in pairs), strict=True)
            for one, other, bits in sorted(rows, key=itemgetter(2)):
                self._report(leaders[values[one]], leaders[values[other]], bits, 1.0, same=True)
        return list(leaders.values())

    def _report(self, one: int, other: int, bits: int, score: float, *, same: bool) -> None:
        places = self.places[one], self.places[other]
        scores = {"distance": bits, "text": round(score, 4)}
        if not same:
            reason = f"{_differ(bits)} Their texts are similar ({score:.0%}), but not the same."
            self.grouping.ask(*places, "hash", scores, reason)
        elif not self.texts[one]:
            self.grouping.same(*places, "hash", {"distance": bits}, _differ(bits))
        else:
            reason = f"{_differ(bits)} Their texts are the same."
            self.grouping.same(*places, "hash", scores, reason)

    def _ask_unknown(self, unknown: NDArray[Any]) -> None:
        """Ask about near ones of which at least one has no known text, a few of each.

        The better ones come first; where these are enough, the others are not compared.
        """
        values = as_array(self.values)
        for row in range(1, len(values)):
            most = self.settings.questions + self.grouping.judged(self.places[row])
            for width in dict.fromkeys((min(row, _FIRST), row)):
                bits = np.bitwise_count(values[:width] ^ values[row])
                near = (bits <= self.settings.distance) & (unknown[:width] | unknown[row])
                columns = np.flatnonzero(near)[:most].tolist()
                if len(columns) == most:
                    break
            for column in columns:
                both = unknown[row] and unknown[column]
                texts = "Their texts are not known." if both else "The text of one is not known."
                places = self.places[column], self.places[row]
                distance = int(bits[column])
                reason = f"{_differ(distance)} {texts}"
                self.grouping.ask(*places, "hash", {"distance": distance}, reason)


def _differ(bits: int) -> str:
    if bits == 0:
        return "The pictures' hashes are the same."
    return f"The pictures' hashes differ in {bits} bit{'s' if bits > 1 else ''} of 64."
