"""Splits. In: memes with their templates and labels. Out: the split of each meme.

Memes that share a template are in one split, so that no picture is learned from and tested on.
Within that the splits have the labels in the shares of the whole, as far as templates let them:
groups are placed one by one, the largest first, each where the counts of its labels are missing
most. That is how scikit-learn's StratifiedGroupKFold proceeds, here for parts of different sizes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memeloc.errors import InputError


def split_memes(
    templates: Mapping[str, str],
    strata: Mapping[str, str],
    shares: Mapping[str, float],
    *,
    seed: int = 0,
    together: Iterable[Sequence[str]] = (),
) -> dict[str, str]:
    """Return the split of each meme.

    Args:
        templates: by meme; an empty one is a template of the meme's own.
        strata: by meme what is to be spread evenly, such as its label; may lack some.
        shares: by split; they need not sum up to 1.
        seed: places groups of the same size in another order.
        together: memes that are to be in one split for another reason, such as near-duplicates.

    Raises:
        InputError: there are no splits, or a share is not above 0.
    """
    total = sum(shares.values())
    if not shares or min(shares.values()) <= 0:
        raise InputError("Splits need shares above 0, such as train = 0.8, test = 0.2.")
    groups = _groups(templates, together)
    wanted_of = Counter(strata.get(meme, "") for meme in templates)
    counts: dict[str, Counter[str]] = {name: Counter() for name in shares}
    chosen: dict[str, str] = {}
    order = random.Random(seed)
    ordered = sorted(groups, key=lambda group: (-len(group), order.random()))
    for place, group in enumerate(ordered):
        of_group = Counter(strata.get(meme, "") for meme in group)
        empty = [name for name in shares if not counts[name]]
        # The last groups go to splits that would have none.
        candidates = empty if len(ordered) - place <= len(empty) else list(shares)
        gains = {
            name: sum(
                _gain(counts[name][label], count, shares[name] / total * wanted_of[label])
                for label, count in of_group.items()
            )
            for name in candidates
        }
        best = max(gains, key=gains.__getitem__)
        counts[best].update(of_group)
        chosen.update(dict.fromkeys(group, best))
    return {meme: chosen[meme] for meme in templates}


def _gain(there: int, more: int, wanted: float) -> float:
    """By how much the squared relative distance to what is wanted shrinks."""
    return ((wanted - there) ** 2 - (wanted - there - more) ** 2) / max(wanted, 1e-9)


def _groups(
    templates: Mapping[str, str], together: Iterable[Sequence[str]]
) -> list[tuple[str, ...]]:
    """Memes that share a template, or are to be together, also by way of others; in order."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        path = []
        while (parent := parents.setdefault(name, name)) != name:
            path.append(name)
            name = parent
        parents.update(dict.fromkeys(path, name))
        return name

    for meme, template in templates.items():
        if template:
            parents[root(f"meme {meme}")] = root(f"template {template}")
    for memes in together:
        with_template = [meme for meme in memes if meme in templates]
        for meme in with_template[1:]:
            parents[root(f"meme {meme}")] = root(f"meme {with_template[0]}")
    groups: dict[str, list[str]] = {}
    for meme in templates:
        groups.setdefault(root(f"meme {meme}"), []).append(meme)
    return [tuple(group) for group in groups.values()]
