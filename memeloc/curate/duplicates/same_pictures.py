"""Pictures that are the same. In: items, their hashes and texts. Out: pairs, in a `Grouping`.

Two stages: files that are the same byte by byte, and perceptual hashes within a distance. Different
memes on one template are near in hash, so a near pair is a duplicate only when its texts are equal
too; where a text is not known, or the texts are similar, a person decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
        if item.picture and (there := first.setdefault(item.picture, place)) != place:
            grouping.same(there, place, "bytes", {"distance": 0}, "The files are the same.")


def known_texts(grouping: Grouping, settings: DedupSettings) -> dict[int, str | None]:
    """Return the plain text of each representative: its own, else the first of its group's.

    By the rule `paper` (charmemes 4.3) no text counts, nor does a template have one: "" for these.
    """
    texts: dict[int, str | None] = {}
    for item, root in zip(grouping.items, grouping.groups.roots().tolist(), strict=True):
        if settings.rule == "paper" or item.kind == "template":
            texts[root] = ""
        elif texts.get(root) is None:
            texts[root] = plain_text(item.parts) or None
    return texts


def group_near_hashes(
    grouping: Grouping, hashes: Mapping[str, int], settings: DedupSettings
) -> None:
    """Unite what has near hashes (by SHA-256) and, by the rule `text`, the same text.

    A text is a second witness, so that hashes of equal texts may be farther apart, unless many
    pictures have it. A person is asked about near ones whose texts are similar or not known.
    """
    places = [at for at in grouping.left() if grouping.items[at].picture in hashes]
    value = {at: hashes[grouping.items[at].picture] for at in places}
    texts = known_texts(grouping, settings)
    for text, members in _by_text(places, texts).items():
        leaders: dict[int, int] = {}
        near: list[tuple[int, int, int]] = []
        for at in members:
            if (leader := leaders.setdefault(value[at], at)) != at:
                near.append((leader, at, 0))
        wide = max(settings.distance, settings.text_distance)
        distance = wide if text and len(leaders) <= _COMMON else settings.distance
        values = sorted(leaders)
        for pairs in near_pairs(as_array(values), distance):
            rows = zip(*(column.tolist() for column in pairs), strict=True)
            ordered = sorted(rows, key=itemgetter(2))
            near += [(leaders[values[a]], leaders[values[b]], bits) for a, b, bits in ordered]
        for first, second, bits in near:
            scores = {"distance": bits, "text": 1.0} if text else {"distance": bits}
            reason = f"{_differ(bits)} Their texts are the same." if text else _differ(bits)
            grouping.same(first, second, "hash", scores, reason)
    for component in _components(as_array(value.values()), settings.distance):
        members = [places[row] for row in component]
        leading = {
            text: list({value[at]: at for at in reversed(equal)}.values())
            for text, equal in _by_text(members, texts).items()
        }
        names = list(leading)
        for similar in near_texts(names, settings.ask_text):
            for left, right in product(
                leading[names[similar.first]], leading[names[similar.second]]
            ):
                if (bits := bits_between(value[left], value[right])) <= settings.distance:
                    scores = {"distance": bits, "text": round(similar.similarity, 4)}
                    reason = f"{_differ(bits)} {similar.reason}"
                    grouping.ask(left, right, "hash", scores, reason)
        if any(texts[at] is None for at in members):
            _ask_unknown(grouping, members, value, texts, settings)


def _by_text(places: Sequence[int], texts: Mapping[int, str | None]) -> dict[str, list[int]]:
    by_text: dict[str, list[int]] = {}
    for at in places:
        if (text := texts[at]) is not None:
            by_text.setdefault(text, []).append(at)
    return by_text


def _components(values: Hashes, distance: int) -> Iterator[list[int]]:
    """Yield what is connected by near hashes, ascending; only what is not alone."""
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


def _ask_unknown(
    grouping: Grouping,
    places: Sequence[int],
    value: Mapping[int, int],
    texts: Mapping[int, str | None],
    settings: DedupSettings,
) -> None:
    """Ask about near ones of which at least one has no known text, a few of each.

    The better ones come first; where these are enough, the others are not compared.
    """
    values = as_array(value[at] for at in places)
    unknown: NDArray[Any] = np.array([texts[at] is None for at in places])
    for row in range(1, len(values)):
        most = settings.questions + grouping.judged[places[row]]
        for width in dict.fromkeys((min(row, _FIRST), row)):
            bits = np.bitwise_count(values[:width] ^ values[row])
            near = (bits <= settings.distance) & (unknown[:width] | unknown[row])
            columns = np.flatnonzero(near)[:most].tolist()
            if len(columns) == most:
                break
        for column in columns:
            both = unknown[row] and unknown[column]
            why = "Their texts are not known." if both else "The text of one is not known."
            distance = int(bits[column])
            reason = f"{_differ(distance)} {why}"
            pair = places[column], places[row]
            grouping.ask(*pair, "hash", {"distance": distance}, reason, of_many=True)


def _differ(bits: int) -> str:
    if bits == 0:
        return "The pictures' hashes are the same."
    return f"The pictures' hashes differ in {bits} bit{'s' if bits > 1 else ''} of 64."
