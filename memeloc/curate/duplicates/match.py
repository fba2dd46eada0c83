"""Which template a meme was made from. In: hashes of memes and of templates. Out: `Match`es.

A caption changes some bits of a picture's hash: on memeloc's own templates and starter captions 0
to 18, 6 in the middle, where two templates differ in 20 at the least. So a match is the nearest
template when it is near, and the next one is farther off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memeloc.curate.duplicates.hashing import as_array, bits_between
from memeloc.curate.duplicates.near import nearest
from memeloc.curate.protocol import cache_key_of
from memeloc.curate.verdict import Verdict

FILTER = "match"
"""The name under which matches are stored."""

DISTANCE = 12
"""Bits of 64 in which a meme and its template may differ, by default."""

_MARGIN = 4
"""Bits that the next template must be farther away than the nearest."""
_ONE_TEMPLATE = 5
"""Bits in which two pictures of one template may differ: the distance of deduplication."""
_LOOKED_AT = 16
"""Nearest templates among which the next one is looked for."""


@dataclass(frozen=True, slots=True)
class Match:
    """The template nearest to a picture, and the nearest that is another one; empty for none.

    Distances are bits in which the hashes differ. `found` is whether the picture is taken to be
    made from `template`.
    """

    picture: str
    template: str = ""
    distance: int = 64
    next_template: str = ""
    next_distance: int = 64
    found: bool = False


def match_pictures(
    pictures: Mapping[str, int], templates: Mapping[str, int], distance: int = DISTANCE
) -> list[Match]:
    """The nearest template of each picture, from hashes by name; of equally near ones the first.

    A picture may differ from its template in `distance` bits.
    """
    if not templates:
        return [Match(picture) for picture in pictures]
    names, values = list(templates), list(templates.values())
    places, bits = nearest(as_array(pictures.values()), as_array(values), _LOOKED_AT)
    matches: list[Match] = []
    for picture, row, distances in zip(pictures, places.tolist(), bits.tolist(), strict=True):
        others = (
            (names[place], bits)
            for place, bits in zip(row, distances, strict=True)
            if bits_between(values[place], values[row[0]]) > _ONE_TEMPLATE
        )
        other, after = next(others, ("", 64))
        is_match = distances[0] <= distance and after - distances[0] >= _MARGIN
        matches.append(Match(picture, names[row[0]], distances[0], other, after, is_match))
    return matches


def match_verdicts(
    matches: Iterable[Match], templates: Sequence[str], distance: int
) -> list[Verdict]:
    """Matches as they are stored: always `keep`, with the template as evidence."""
    cache_key = cache_key_of(FILTER, 1, distance, sorted(templates))
    verdicts = []
    for match in matches:
        evidence = {
            "template": match.template if match.found else "",
            "nearest": match.template,
            "distance": match.distance,
            "next": match.next_template,
            "next_distance": match.next_distance,
        }
        score = float(match.distance) if match.template else None
        verdicts.append(Verdict(match.picture, FILTER, "keep", score, "", evidence, cache_key))
    return verdicts
