"""Pictures that were cropped, framed, marked or mirrored. In: local features. Out: pairs.

An index of local features names pairs that may show the same, each is laid on the other and
compared (`comparison`), and the texts are a second witness. Different memes on one template are
laid on each other just as well: they differ where the captions are.

| pictures | texts equal | one not known | similar | others |
| --- | --- | --- | --- | --- |
| the same | joined | joined | asked | asked |
| differ in little | joined | asked | asked | |
| different | asked | | | |

The text of a picture in a mirror cannot be read, and counts as not known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.curate.duplicates.comparison import Comparison
from memeloc.curate.duplicates.grouping import DedupSettings, Grouping, known_texts
from memeloc.curate.duplicates.texts import near_texts
from memeloc.items import Item
from memeloc.registration import LocalFeatures

_AT_A_TIME = 256
"""Pairs that are compared at a time."""
_WITNESSES = 12
"""Pairs of two groups that are compared before these become one."""
_LOST = 0.01
"""Share of a picture from which on a copy may lack what tells two memes apart."""

_TABLES = 8  # choices of bits
_LEAST_BITS, _MOST_BITS = 16, 30  # fewer are equal by chance; a key has 31 beside a place
_PLACE_BITS = 33  # of a picture's place, and whether it is in a mirror, beside its key in 64 bits
_SPARE_BITS = 2  # more bits than number the corners, so that few keys are equal by chance
_OF_EACH = 6
"""Pairs of a picture that are looked at, those that share the most and the rarest keys first."""
_SEED = 15  # any number, always the same

Texts = Literal["equal", "unknown", "similar", "other"]


class Candidate(NamedTuple):
    """Two pictures by their places, the lesser first, and whether one is to be mirrored."""

    first: int
    second: int
    mirrored: bool


@dataclass(frozen=True, slots=True)
class PicturePair:
    """Two pictures that are to be compared, the second as it is or mirrored."""

    first: Item
    second: Item
    mirrored: bool = False


@dataclass(frozen=True, slots=True)
class Looking:
    """What can be seen of pictures.

    Attributes:
        features: by SHA-256.
        compare: the comparison of each pair; None for one that cannot be laid on the other.
    """

    features: Mapping[str, LocalFeatures]
    compare: Callable[[Sequence[PicturePair]], Sequence[Comparison | None]]


Look = Callable[[Sequence[Item]], Looking]
"""Gives the features of some pictures, and compares them."""


def group_copies(grouping: Grouping, look: Look, settings: DedupSettings) -> None:
    """Unite copies, ask where that is not clear, and take back what pictures answer."""
    left = [at for at in grouping.left() if grouping.items[at].picture]
    looking = look([grouping.items[at] for at in left])
    places = [at for at in left if grouping.items[at].picture in looking.features]
    stage = _Copies(grouping, settings, looking, known_texts(grouping, settings))
    index = candidates([looking.features[grouping.items[at].picture] for at in places])
    stage.join(Candidate(places[row.first], places[row.second], row.mirrored) for row in index)
    compared = set(places)
    asked = [pair for pair in grouping.asked() if compared.issuperset(pair)]
    stage.join((Candidate(*pair, False) for pair in asked), asked=True)


@dataclass(frozen=True, slots=True)
class _Copies:
    """What was joined so far.

    `members` are the places of a group by its root, `mirrored` whether one is as in a mirror beside
    the group's first, `partial` the places that are in a group although something is lacking, and
    `apart` the roots of groups that differ.
    """

    grouping: Grouping
    settings: DedupSettings
    looking: Looking
    texts: Mapping[int, str | None]
    members: dict[int, list[int]] = field(default_factory=dict)
    mirrored: dict[int, bool] = field(default_factory=dict)
    partial: set[int] = field(default_factory=set)
    apart: set[tuple[int, int]] = field(default_factory=set)

    def join(self, pairs: Iterable[Candidate], *, asked: bool = False) -> None:
        """Compare pairs in turn and do what is found; of those asked about before, no more asks."""
        root = self.grouping.groups.root
        rows = iter(pairs)
        while chunk := list(islice(rows, _AT_A_TIME)):
            open_ = [
                pair
                for pair in chunk
                if root(pair.first) != root(pair.second)
                and (asked or self._roots(pair) not in self.apart)
            ]
            for pair, comparison in zip(open_, self._compare(open_), strict=True):
                if comparison is not None and root(pair.first) != root(pair.second):
                    self._judge(pair, comparison, asked=asked)

    def _compare(self, pairs: Sequence[Candidate]) -> Sequence[Comparison | None]:
        items = self.grouping.items
        return self.looking.compare(
            [PicturePair(items[one.first], items[one.second], one.mirrored) for one in pairs]
        )

    def _judge(self, pair: Candidate, comparison: Comparison, *, asked: bool) -> None:
        texts = self._compare_texts(pair)
        outcome = comparison.outcome
        scores = {"differing": comparison.differing, "lost": comparison.lost}
        reason = f"{_seen(pair, comparison)} {_READ[texts]}"
        joins = (outcome == "same" and texts in ("equal", "unknown")) or (
            outcome == "doubtful" and texts == "equal"
        )
        if outcome == "different":
            self.apart.add(self._roots(pair))
        if joins and self._agree(pair, comparison):
            self._unite(pair, comparison, scores, reason)
        elif asked:
            if outcome == "different" and texts == "unknown":
                self.grouping.different(pair.first, pair.second)
        elif outcome == "same" or texts == "equal" or (outcome == "doubtful" and texts != "other"):
            self.grouping.ask(pair.first, pair.second, "copy", scores, reason)

    def _compare_texts(self, pair: Candidate) -> Texts:
        first, second = self.texts.get(pair.first), self.texts.get(pair.second)
        if pair.mirrored or not first or not second:
            return "unknown"
        if first == second:
            return "equal"
        return "similar" if near_texts([first, second], self.settings.ask_text) else "other"

    def _agree(self, pair: Candidate, comparison: Comparison) -> bool:
        """Return whether two groups may become one.

        A crop may lack the caption in which two memes differ, and is the same as each of them: so
        where something is lacking, a picture of one group must be wholly the same as one of the
        other, or none may differ.
        """
        one, other = self._group(pair.first), self._group(pair.second)
        texts = [
            {self.texts[at] for at in group if not self.mirrored.get(at)} - {None, ""}
            for group in (one, other)
        ]
        if not pair.mirrored and all(texts) and texts[0].isdisjoint(texts[1]):
            return False
        whole = comparison.lost < _LOST
        if whole and self.partial.isdisjoint((pair.first, pair.second)):
            return True
        turn = self._turn(pair)
        between = [
            Candidate(first, second, self._is_turned(first) ^ self._is_turned(second) ^ turn)
            for first, second in product(one, other)
            if (first, second) != (pair.first, pair.second)
        ][:_WITNESSES]
        seen = [comparison for comparison in self._compare(between) if comparison is not None]
        if any(other.outcome == "same" and other.lost < _LOST for other in seen):
            return True
        return not any(other.differs for other in seen)

    def _unite(
        self, pair: Candidate, comparison: Comparison, scores: Mapping[str, float], reason: str
    ) -> None:
        one, other, turn = self._group(pair.first), self._group(pair.second), self._turn(pair)
        self.grouping.same(pair.first, pair.second, "copy", scores, reason)
        root = self.grouping.groups.root(pair.first)
        if root != self.grouping.groups.root(pair.second):
            return  # people hold them apart
        for at in other:
            self.mirrored[at] = self._is_turned(at) ^ turn
        for at in (one[0], other[0]):
            self.members.pop(at, None)
        self.members[root] = sorted((*one, *other))
        if comparison.lost >= _LOST:
            self.partial.update(other)

    def _roots(self, pair: Candidate) -> tuple[int, int]:
        one, other = (self.grouping.groups.root(at) for at in (pair.first, pair.second))
        return min(one, other), max(one, other)

    def _group(self, place: int) -> list[int]:
        """Return the places, of those that were compared, of a group, its root first."""
        root = self.grouping.groups.root(place)
        return self.members.get(root, [root])

    def _is_turned(self, place: int) -> bool:
        return self.mirrored.get(place, False)

    def _turn(self, pair: Candidate) -> bool:
        """Return whether the group of the second is in a mirror beside that of the first."""
        return pair.mirrored ^ self._is_turned(pair.first) ^ self._is_turned(pair.second)


_READ: Mapping[Texts, str] = {
    "equal": "Their texts are the same.",
    "unknown": "Their texts cannot be compared.",
    "similar": "Their texts are similar, but not the same.",
    "other": "Their texts are not the same.",
}


def _seen(pair: Candidate, comparison: Comparison) -> str:
    how = "laid on each other, one in a mirror" if pair.mirrored else "laid on each other"
    if comparison.outcome == "same":
        return f"The pictures, {how}, show the same."
    if comparison.differing == 0:
        return f"The pictures, {how}, show the same, but each or one shows more."
    return f"The pictures, {how}, differ in {comparison.differing:.1%}."


# An index of bits: a key is some bits of a descriptor, by seed, and two pictures with several
# equal keys may show the same. Each is paired with the best one that has its key and with the one
# before it, not with all, so the number of pairs grows as the number of corners does, however many
# pictures have one template in common. Sorting takes n log n, a table at a time.


def candidates(features: Sequence[LocalFeatures]) -> list[Candidate]:
    """Return pairs that share corners, by place: the best pair of every picture, then the second
    best."""
    counts = [len(of.points) for of in features]
    total = sum(counts)
    if total == 0 or len(features) < 2:
        return []
    plain = np.concatenate([of.descriptors for of in features]).T.copy()
    mirrored = np.concatenate([of.mirrored for of in features]).T.copy()
    place = np.repeat(np.arange(len(features), dtype=np.int64), counts)
    places = np.concatenate([place, place])
    in_mirror = np.repeat(np.array([False, True]), total)
    bits = min(_MOST_BITS, max(_LEAST_BITS, math.ceil(math.log2(total)) + _SPARE_BITS))
    chance = np.random.default_rng(_SEED)
    codes = np.zeros(0, dtype=np.int64)
    votes = np.zeros(0, dtype=np.float64)
    for _ in range(_TABLES):
        chosen = chance.permutation(8 * len(plain))[:bits]
        keys = np.concatenate([_keys(columns, chosen) for columns in (plain, mirrored)])
        pairs, weights = _pairs(keys, places, in_mirror, len(features))
        codes, votes = _summed(np.append(codes, pairs), np.append(votes, weights))
    return _best(codes, votes, len(features))


def _keys(columns: NDArray[np.uint8], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    keys = np.zeros(columns.shape[1], dtype=np.int64)
    for bit in chosen.tolist():
        keys <<= 1
        keys |= (columns[bit >> 3] >> (bit & 7)) & 1
    return keys


def _pairs(
    keys: NDArray[np.int64], places: NDArray[np.int64], in_mirror: NDArray[np.bool_], count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the pairs that one table of keys gives, each as a number, and what each is worth.

    A key that few pictures have tells more than one of many, as a letter's.
    """
    # By key, and of one key the pictures as they are before those in a mirror, the best first: one
    # number is sorted several times as fast as three columns.
    whole = (keys << _PLACE_BITS) | (in_mirror.astype(np.int64) << (_PLACE_BITS - 1)) | places
    whole.sort()
    keys = whole >> _PLACE_BITS
    equal = keys[1:] == keys[:-1]
    # A key that one corner has pairs nothing.
    shared = np.append(equal, False) | np.append(False, equal)
    whole, keys = whole[shared], keys[shared]
    if len(keys) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64)
    in_mirror = (whole >> (_PLACE_BITS - 1)) & 1 == 1
    places = whole & ((1 << (_PLACE_BITS - 1)) - 1)
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    lengths = np.diff(np.append(begins, len(keys)))
    start, length = np.repeat(begins, lengths), np.repeat(lengths, lengths)
    at = np.arange(len(keys))
    made, worth = [], []
    for partner in (start, np.maximum(at - 1, start)):
        # Two in a mirror are a pair as they are, too.
        fits = ~in_mirror[partner] & (places[partner] != places)
        first, second, mirror = places[partner[fits]], places[fits], in_mirror[fits]
        lesser, greater = np.minimum(first, second), np.maximum(first, second)
        made.append(((greater * count + lesser) << 1) | mirror)
        worth.append(1 / length[fits])
    return _summed(np.concatenate(made), np.concatenate(worth))


def _summed(
    codes: NDArray[np.int64], votes: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    once, places = np.unique(codes, return_inverse=True)
    sums = np.bincount(places, weights=votes, minlength=len(once))
    return once, np.asarray(sums, dtype=np.float64)


def _best(codes: NDArray[np.int64], votes: NDArray[np.float64], count: int) -> list[Candidate]:
    order = np.lexsort((codes, -votes, (codes >> 1) // count))
    second = ((codes >> 1) // count)[order]
    begins = np.flatnonzero(np.append(True, second[1:] != second[:-1])[: len(second)])
    rank = np.arange(len(second)) - np.repeat(begins, np.diff(np.append(begins, len(second))))
    chosen = rank < _OF_EACH
    best = order[chosen][np.argsort(rank[chosen], kind="stable")]
    return [
        Candidate(code // 2 % count, code // 2 // count, bool(code % 2))
        for code in codes[best].tolist()
    ]
