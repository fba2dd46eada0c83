"""Pictures that are the same. In: items, their hashes and texts. Out: pairs, in a `Grouping`.

Two stages: files that are the same byte by byte, and perceptual hashes within a distance. Different
memes on one template are near in hash, so a near pair is a duplicate only when its texts are equal
too; where a text is not known, or the texts are similar, a person decides.
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
from memeloc.curate.duplicates.plain_text import plain_text
from memeloc.curate.duplicates.texts import near_texts

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings

_FIRST = 256
"""The better hashes that one is compared with first when a person is to be asked."""
_COMMON = 20
"""Different hashes of pictures with one text; from more on, the text says little of the picture."""


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
    known = known_texts(grouping, settings)
    compared = _Compared(grouping, settings, places, values, [known[at] for at in places])
    compared.unite_equal_texts()
    for members in _components(as_array(values), settings.distance):
        compared.ask(members)


def known_texts(grouping: Grouping, settings: DedupSettings) -> dict[int, str | None]:
    """The plain text of each representative: its own, else that of the first of its group with one.

    By the rule `paper` (charmemes 4.3) no text counts, nor does a template have one: "" for these.
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
class _Compared:
    """Pictures whose hashes and texts are compared, the better ones first."""

    grouping: Grouping
    settings: DedupSettings
    places: Sequence[int]
    values: Sequence[int]
    texts: Sequence[str | None]

    def unite_equal_texts(self) -> None:
        """Unite near ones of equal text: a text is a second witness, so their hashes may be farther
        apart, unless many pictures have it.
        """
        for text, members in self._by_text(range(len(self.places))).items():
            if len(members) == 1:
                continue
            leaders: dict[int, int] = {}
            for at in members:
                leader = leaders.setdefault(self.values[at], at)
                if leader != at:
                    self._report_same(leader, at, 0)
            wide = max(self.settings.distance, self.settings.text_distance)
            distance = wide if text and len(leaders) <= _COMMON else self.settings.distance
            values = sorted(leaders)
            for pairs in near_pairs(as_array(values), distance):
                rows = zip(*(column.tolist() for column in pairs), strict=True)
                for first, second, bits in sorted(rows, key=itemgetter(2)):
                    self._report_same(leaders[values[first]], leaders[values[second]], bits)

    def ask(self, members: Sequence[int]) -> None:
        """Ask about those, connected by near hashes, whose texts are similar or not known."""
        leaders = {
            text: list({self.values[at]: at for at in reversed(equal)}.values())
            for text, equal in self._by_text(members).items()
        }
        texts = list(leaders)
        for near in near_texts(texts, self.settings.ask_text):
            for left, right in product(leaders[texts[near.first]], leaders[texts[near.second]]):
                bits = bits_between(self.values[left], self.values[right])
                if bits <= self.settings.distance:
                    places = self.places[left], self.places[right]
                    scores = {"distance": bits, "text": round(near.similarity, 4)}
                    self.grouping.ask(*places, "hash", scores, f"{_differ(bits)} {near.reason}")
        if any(self.texts[at] is None for at in members):
            self._ask_unknown(members)

    def _by_text(self, members: Sequence[int]) -> dict[str, list[int]]:
        by_text: dict[str, list[int]] = {}
        for at in members:
            text = self.texts[at]
            if text is not None:
                by_text.setdefault(text, []).append(at)
        return by_text

    def _report_same(self, first: int, second: int, bits: int) -> None:
        places = self.places[first], self.places[second]
        if self.texts[first]:
            reason = f"{_differ(bits)} Their texts are the same."
            self.grouping.same(*places, "hash", {"distance": bits, "text": 1.0}, reason)
        else:
            self.grouping.same(*places, "hash", {"distance": bits}, _differ(bits))

    def _ask_unknown(self, members: Sequence[int]) -> None:
        """Ask about near ones of which at least one has no known text, a few of each.

        The better ones come first; where these are enough, the others are not compared.
        """
        places = [self.places[at] for at in members]
        values = as_array(self.values[at] for at in members)
        unknown: NDArray[Any] = np.array([self.texts[at] is None for at in members])
        for row in range(1, len(values)):
            most = self.settings.questions + self.grouping.judged(places[row])
            for width in dict.fromkeys((min(row, _FIRST), row)):
                bits = np.bitwise_count(values[:width] ^ values[row])
                near = (bits <= self.settings.distance) & (unknown[:width] | unknown[row])
                columns = np.flatnonzero(near)[:most].tolist()
                if len(columns) == most:
                    break
            for column in columns:
                both = unknown[row] and unknown[column]
                texts = "Their texts are not known." if both else "The text of one is not known."
                distance = int(bits[column])
                reason = f"{_differ(distance)} {texts}"
                pair = places[column], places[row]
                self.grouping.ask(*pair, "hash", {"distance": distance}, reason)


def _differ(bits: int) -> str:
    if bits == 0:
        return "The pictures' hashes are the same."
    return f"The pictures' hashes differ in {bits} bit{'s' if bits > 1 else ''} of 64."
