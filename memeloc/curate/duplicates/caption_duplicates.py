"""Captions that are the same. In: items of kind caption. Out: pairs, in a `Grouping`.

Captions of one template are compared with each other (or all with all). The same but for case,
spaces and punctuation is the same; nearly the same is too, by rapidfuzz's ratio, unless a number
differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memeloc.curate.duplicates.grouping import Grouping
from memeloc.curate.texts import numbers, plain_text, similar_texts

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings


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
