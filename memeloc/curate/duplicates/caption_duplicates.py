"""Captions that are the same. In: items of kind caption. Out: pairs, in a `Joining`.

Captions of one template are compared with each other (or all with all). The same but for case,
spaces and punctuation is the same; nearly the same is too, by rapidfuzz's ratio, unless a number
differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memeloc.curate.duplicates.grouping import Joining
from memeloc.curate.texts import alike_texts, numbers, plain_text
from memeloc.items import Item

if TYPE_CHECKING:
    from memeloc.curate.duplicates.settings import DedupSettings


def join_captions(
    joining: Joining,
    template: Callable[[Item], str],
    settings: DedupSettings,
    jobs: int = 1,
) -> None:
    """Unite captions with the same text.

    Args:
        joining: of captions.
        template: a caption's template; of templates that are duplicates, the one that stays.
        settings: scope and threshold.
        jobs: threads.
    """
    crowds: dict[str, dict[str, list[int]]] = {}
    for place, item in enumerate(joining.items):
        crowd = crowds.setdefault(template(item) if settings.scope == "template" else "", {})
        crowd.setdefault(plain_text(item.parts), []).append(place)
    for crowd in crowds.values():
        for first, *others in crowd.values():
            for other in others:
                reason = "The texts are the same but for case, spaces and punctuation."
                joining.same(first, other, "caption", {"text": 1.0}, reason)
        texts = list(crowd)
        if settings.near_captions >= 1:
            continue
        alike = list(alike_texts(texts, settings.near_captions, jobs))
        for one, other, score in sorted(alike, key=lambda pair: -pair[2]):
            if numbers(texts[one]) == numbers(texts[other]):
                joining.same(
                    crowd[texts[one]][0],
                    crowd[texts[other]][0],
                    "caption",
                    {"text": round(score, 4)},
                    f"The texts are nearly the same ({score:.0%}).",
                )
