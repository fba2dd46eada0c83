"""Pictures that are the same. In: items, their hashes and texts. Out: pairs, in a `Joining`.

Two stages: files that are the same byte by byte, and perceptual hashes within a distance. Different
memes on one template are near in hash, so a near pair is a duplicate only when its texts are the
same too; where a text is not known, or the texts are nearly the same, a person says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memeloc.curate.duplicates.grouping import Joining
from memeloc.curate.duplicates.hashing import as_array, bits_between
from memeloc.curate.duplicates.keep import Groups
from memeloc.curate.duplicates.near import Hashes, group_hashes, near_pairs
from memeloc.curate.texts import alike_texts, numbers, plain_text
from memeloc.items import Item

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings

_FIRST = 256
"""The better hashes that one is compared with first when a person is to be asked."""


def text_of(item: Item) -> str | None:
    """The plain text in an item's picture; None when it is not known. A template has none in it."""
    if item.kind == "template":
        return ""
    return plain_text(item.parts) or None


def join_same_files(joining: Joining) -> None:
    """Unite what is the same byte by byte (SHA-256)."""
    first: dict[str, int] = {}
    for place, item in enumerate(joining.items):
        if item.picture:
            there = first.setdefault(item.picture, place)
            if there != place:
                joining.same(there, place, "bytes", {"distance": 0}, "The files are the same.")


def join_near_hashes(joining: Joining, hashes: Mapping[str, int], settings: DedupSettings) -> None:
    """Unite what has near hashes and, by the rule `text`, the same text.

    Args:
        joining: what is left of it is compared.
        hashes: by SHA-256 of the picture; one without a hash is left as it is.
        settings: rule, distance, and when texts are the same.
    """
    places = [at for at in joining.left() if joining.items[at].picture in hashes]
    values = as_array(hashes[joining.items[at].picture] for at in places)
    if settings.rule == "paper":
        _join_all(joining, places, values, settings.distance)
        return
    texts = _texts(joining)
    for members in _components(values, settings.distance):
        crowd = _Crowd(
            joining, [places[at] for at in members], [int(values[at]) for at in members], settings
        )
        crowd.join_by_text([texts[joining.groups.root(places[at])] for at in members])


def _texts(joining: Joining) -> dict[int, str | None]:
    """The text of each representative: its own, else that of the first of its group with one."""
    roots = joining.groups.roots().tolist()
    found: dict[int, str | None] = {}
    for place, root in enumerate(roots):
        if found.get(root) is None:
            found[root] = text_of(joining.items[place])
    return found


def _join_all(joining: Joining, places: Sequence[int], values: Hashes, distance: int) -> None:
    """Unite whatever is near; charmemes 4.3."""
    groups = group_hashes(values)
    for group in range(len(groups.values)):
        first, *others = groups.members(group).tolist()
        for other in others:
            joining.same(places[first], places[other], "hash", {"distance": 0}, _differ(0))
    at = np.asarray(places, dtype=np.int64)
    leaders = at[groups.order[groups.starts[:-1]]] if len(places) else at
    for some in near_pairs(groups.values, distance):
        nearest_first = np.argsort(some.distance, kind="stable")
        first, second = leaders[some.first][nearest_first], leaders[some.second][nearest_first]
        bits = some.distance[nearest_first]
        for one in joining.groups.unite_all(first, second):
            differ = int(bits[one])
            joining.pairs.append(
                joining.pair(
                    int(first[one]),
                    int(second[one]),
                    "hash",
                    {"distance": differ},
                    _differ(differ),
                )
            )


def _components(values: Hashes, distance: int) -> Iterable[list[int]]:
    """What is connected by near hashes, ascending; only what is not alone."""
    groups = group_hashes(values)
    joined = Groups(len(groups.values))
    for some in near_pairs(groups.values, distance):
        joined.unite_all(some.first, some.second)
    root_of = np.empty(len(values), dtype=np.int64)
    root_of[groups.order] = np.repeat(joined.roots(), np.diff(groups.starts))
    order = np.argsort(root_of, kind="stable")
    edges = np.flatnonzero(np.diff(root_of[order], prepend=-1, append=-1)).tolist()
    for start, stop in pairwise(edges):
        if stop - start > 1:
            yield order[start:stop].tolist()


class _Crowd:
    """Pictures that are connected by near hashes, the better ones first."""

    def __init__(
        self,
        joining: Joining,
        places: Sequence[int],
        values: Sequence[int],
        settings: DedupSettings,
    ) -> None:
        self._joining = joining
        self._places = places
        self._values = values
        self._settings = settings

    def join_by_text(self, texts: Sequence[str | None]) -> None:
        """Unite what has the same text, and ask where that is not clear."""
        by_text: dict[str, list[int]] = {}
        for at, text in enumerate(texts):
            if text is not None:
                by_text.setdefault(text, []).append(at)
        cells = {text: self._join_equal(members) for text, members in by_text.items()}
        unique = list(cells)
        for one, other, score in alike_texts(unique, self._settings.ask_text):
            first, second = unique[one], unique[other]
            same = score >= self._settings.same_text and numbers(first) == numbers(second)
            for left, right in product(cells[first], cells[second]):
                bits = bits_between(self._values[left], self._values[right])
                if bits <= self._settings.distance:
                    self._report(left, right, bits, score, same=same)
        if None in texts:
            self._ask_unknown(np.array([text is None for text in texts]))

    def _join_equal(self, members: Sequence[int]) -> list[int]:
        """Unite near ones of equal text; one of each hash."""
        leaders: dict[int, int] = {}
        for at in members:
            leader = leaders.setdefault(self._values[at], at)
            if leader != at:
                self._report(leader, at, 0, 1.0, same=True)
        values = sorted(leaders)
        for pairs in near_pairs(as_array(values), self._settings.distance):
            for one, other, bits in zip(
                pairs.first.tolist(), pairs.second.tolist(), pairs.distance.tolist(), strict=True
            ):
                self._report(leaders[values[one]], leaders[values[other]], bits, 1.0, same=True)
        return list(leaders.values())

    def _report(self, one: int, other: int, bits: int, score: float, *, same: bool) -> None:
        places = self._places[one], self._places[other]
        scores = {"distance": bits, "text": round(score, 4)}
        if not same:
            reason = f"{_differ(bits)} Their texts are alike ({score:.0%}), but not the same."
            self._joining.ask(*places, "hash", scores, reason)
        elif self._joining.items[places[0]].kind == "template":
            self._joining.same(*places, "hash", {"distance": bits}, _differ(bits))
        else:
            reason = f"{_differ(bits)} Their texts are the same."
            self._joining.same(*places, "hash", scores, reason)

    def _ask_unknown(self, unknown: NDArray[Any]) -> None:
        """Ask about near ones of which at least one has no known text, a few of each.

        The better ones come first; where these are enough, the others are not compared.
        """
        values = as_array(self._values)
        for row in range(1, len(values)):
            most = self._settings.questions + self._joining.judged(self._places[row])
            for width in dict.fromkeys((min(row, _FIRST), row)):
                bits = np.bitwise_count(values[:width] ^ values[row])
                near = (bits <= self._settings.distance) & (unknown[:width] | unknown[row])
                columns = np.flatnonzero(near)[:most].tolist()
                if len(columns) == most:
                    break
            for column in columns:
                both = unknown[row] and unknown[column]
                texts = "Their texts are not known." if both else "The text of one is not known."
                places = self._places[column], self._places[row]
                distance = int(bits[column])
                reason = f"{_differ(distance)} {texts}"
                self._joining.ask(*places, "hash", {"distance": distance}, reason)


def _differ(bits: int) -> str:
    if bits == 0:
        return "The pictures' hashes are the same."
    return f"The pictures' hashes differ in {bits} bit{'s' if bits > 1 else ''} of 64."
