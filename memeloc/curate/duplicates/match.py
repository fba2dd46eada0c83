"""The template that a meme was made from. In: memes and templates, looked at. Out: `Match`es.

A caption changes some bits of a picture's hash: on memeloc's own templates and starter captions 0
to 18, 6 in the middle, where two templates differ in 20 at the least. So a match is the nearest
template when it is near, and the next one is farther off.

Where the hash names none, as of a meme that was cropped, or set below a bar, local features do: the
template on which most corners of the meme lie, spread over it, when no other has nearly as many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from memeloc.curate.duplicates.hashing import as_array, bits_between, nearest
from memeloc.curate.protocol import cache_key_of
from memeloc.curate.verdict import Verdict
from memeloc.registration import ALIKE, LocalFeatures, align, opencv

FILTER = "match"  # the name under which matches are stored

DISTANCE = 12  # bits of 64 in which a meme and its template may differ, by default

_MARGIN = 4  # bits that the next template must be farther away than the nearest
_ONE_TEMPLATE = 5
"""Bits in which two pictures of one template may differ: the distance of deduplication."""
_LOOKED_AT = 16  # nearest templates among which the next one is looked for
_CORNERS = 14  # corners that a meme and its template share at least
_PARTS, _SPREAD = 4, 4
"""Rows and columns of a template, and of their parts those in which shared corners lie at least: a
logo, a frame or a word that two pictures have in common lies in fewer."""
_CLEARLY = 0.6  # share of the nearest template's corners that another one has at most
_ALIGNED = 4  # templates with the most similar corners, on which a meme is laid


@dataclass(frozen=True, slots=True)
class Match:
    """The template nearest to a picture, and the nearest that is another one; empty for none.

    Distances are bits in which the hashes differ. `found` is whether the picture is taken to be
    made from `template`; `corners` is how many lie on it, where its local features say so.
    """

    picture: str
    template: str = ""
    distance: int = 64
    next_template: str = ""
    next_distance: int = 64
    found: bool = False
    corners: int = 0


def match_pictures(
    pictures: Mapping[str, int], templates: Mapping[str, int], distance: int = DISTANCE
) -> list[Match]:
    """Return the nearest template of each picture, from hashes by name; of equally near ones the
    first.

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


def match_corners(
    matches: Sequence[Match],
    pictures: Mapping[str, LocalFeatures],
    templates: Mapping[str, LocalFeatures],
    hashes: Mapping[str, int],
    jobs: int,
) -> list[Match]:
    """Return the matches, those without a template found by the local features of pictures and
    templates.

    Args:
        hashes: of the templates; two of one picture are not told apart.
    """
    cv2 = opencv()
    names = list(templates)
    counts = [len(templates[name].points) for name in names]
    owner = np.repeat(np.arange(len(names)), counts)
    if not len(owner):
        return list(matches)
    described = np.concatenate([templates[name].descriptors for name in names])

    def looked_at(match: Match) -> Match:
        picture = pictures.get(match.picture)
        if match.found or picture is None or not len(picture.points):
            return match
        near = cv2.BFMatcher(cv2.NORM_HAMMING).match(picture.descriptors, described)
        votes = np.bincount(
            [owner[pair.trainIdx] for pair in near if pair.distance < ALIKE], minlength=len(names)
        )
        likely = [place for place in np.argsort(-votes, kind="stable")[:_ALIGNED] if votes[place]]
        corners = {names[place]: _shared(templates[names[place]], picture) for place in likely}
        best = max(corners, key=lambda name: corners[name], default="")
        others = [
            count
            for name, count in corners.items()
            if bits_between(hashes[name], hashes[best]) > _ONE_TEMPLATE
        ]
        if corners.get(best, 0) < _CORNERS or max(others, default=0) > _CLEARLY * corners[best]:
            return match
        return replace(match, template=best, found=True, corners=corners[best])

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        return list(pool.map(looked_at, matches))


def _shared(template: LocalFeatures, picture: LocalFeatures) -> int:
    """Count the corners of a template that a picture has, laid on it; 0 where they are close."""
    aligned = align(template, picture)
    if aligned is None:
        return 0
    parts = np.floor(_PARTS * aligned[1] / template.size)
    return len(aligned[1]) if len(np.unique(parts, axis=0)) >= _SPREAD else 0


def match_verdicts(
    matches: Iterable[Match], templates: Sequence[str], distance: int
) -> list[Verdict]:
    """Return matches as they are stored: always `keep`, with the template as evidence."""
    cache_key = cache_key_of(FILTER, 2, distance, sorted(templates))
    verdicts = []
    for match in matches:
        evidence = {
            "template": match.template if match.found else "",
            "nearest": match.template,
            "distance": match.distance,
            "corners": match.corners,
            "next": match.next_template,
            "next_distance": match.next_distance,
        }
        score = float(match.distance) if match.template else None
        verdicts.append(Verdict(match.picture, FILTER, "keep", score, "", evidence, cache_key))
    return verdicts
