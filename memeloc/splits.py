"""Splits. In: memes with their templates and labels. Out: the split of each meme.

Memes that share a template are in one split, so that no picture is learned from and tested on.
Within that the splits have the labels in the shares of the whole, as far as templates let them:
groups are placed one by one, the largest first, each where the counts of its labels are missing
most. That is how scikit-learn's StratifiedGroupKFold proceeds, here for parts of different sizes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memeloc.errors import InputError

_BLOCK = 256  # texts that are compared with their neighbours at a time
_NEAR_TEXT = 0.9  # similarity of captions that are nearly the same, as deduplication has it
_LONG_TEXT = 20
"""Characters from which on a similar text is a version of another: of short ones a word is much."""
_MOST_TEXTS = 50_000
"""Texts of which all pairs are compared: some thirty seconds. Of more, equal ones are enough."""


def split_memes(
    templates: Mapping[str, str],
    strata: Mapping[str, str],
    shares: Mapping[str, float],
    *,
    seed: int = 0,
    together: Iterable[Sequence[str]] = (),
) -> dict[str, str]:
    """Return the split of each meme. Raise InputError if there are no splits, or a share is not
    above 0.

    Args:
        templates: by meme; an empty one is a template of the meme's own.
        strata: by meme what is to be spread evenly, such as its label; may lack some.
        shares: by split; they need not sum up to 1.
        seed: places groups of the same size in another order.
        together: memes that are to be in one split for another reason, such as near-duplicates.
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


def _gain(present: int, more: int, wanted: float) -> float:
    """Return by how much the squared relative distance to the wanted share shrinks."""
    return ((wanted - present) ** 2 - (wanted - present - more) ** 2) / max(wanted, 1e-9)


def _groups(
    templates: Mapping[str, str], together: Iterable[Sequence[str]]
) -> list[tuple[str, ...]]:
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


def near_captions(texts: Iterable[tuple[str, str]]) -> Iterator[Sequence[str]]:
    """Yield memes with the same text, and pairs with nearly the same: who learned one has seen the
    other. Takes each meme with each of its texts, without case and punctuation."""
    by_text: dict[str, list[str]] = {}
    for meme, text in texts:
        if text:
            by_text.setdefault(text, []).append(meme)
    yield from by_text.values()
    long = [text for text in by_text if len(text) >= _LONG_TEXT]
    if len(long) <= _MOST_TEXTS:
        for one, other, _ in similar_texts(long, _NEAR_TEXT):
            yield by_text[long[one]][0], by_text[long[other]][0]


def similar_texts(
    texts: Sequence[str], least: float, jobs: int = 1
) -> Iterator[tuple[int, int, float]]:
    """Yield all pairs of plain texts whose similarity (rapidfuzz's `ratio`) is at least `least`.

    Exact: texts too different in length are not compared, as they cannot be similar; all others
    are, some 40 million pairs a second, in blocks of bounded memory, on `jobs` threads. Yields
    places of two texts, the lesser first, and their similarity, 0 to 1; in the same order in every
    run.
    """
    import numpy as np
    from rapidfuzz import fuzz, process

    lengths = np.array([len(text) for text in texts])
    order = np.argsort(lengths, kind="stable")
    lengths = lengths[order]
    ordered = [texts[at] for at in order]
    for start in range(0, len(ordered), _BLOCK):
        block = ordered[start : start + _BLOCK]
        # ratio = 2 * common / (a + b), and no more is common than the shorter has.
        longest = len(block[-1]) * (2 - least) / least
        end = int(np.searchsorted(lengths, longest + 1e-9, side="right"))
        table = process.cdist(
            block,
            ordered[start:end],
            scorer=fuzz.ratio,
            score_cutoff=least * 100 - 1e-9,
            dtype=np.float32,
            workers=jobs,
        )
        rows, columns = np.nonzero(table)
        after = columns > rows
        for row, column in zip(rows[after].tolist(), columns[after].tolist(), strict=True):
            score = min(1.0, max(least, float(table[row, column]) / 100))
            one, other = int(order[start + row]), int(order[start + column])
            yield min(one, other), max(one, other), score
