"""Items whose labels differ between two cultures. In: `Answers`. Out: the items, and rows.

multi3hate 4.3 shows such items of the pair that differs most to people who know both cultures, and
asks them why; `memeloc.analyze.codebook` makes the sheets for that.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from memeloc.analyze.answers import ITEM_COLUMNS, Answers, Settings
from memeloc.arrays import NO_LABEL, Ints
from memeloc.errors import InputError
from memeloc.reports.figures import BETWEEN, joined, tidy

NAME = "differing"
_METHOD = "items with a majority label in both cultures; multi3hate 4.3"


def least_agreeing(answers: Answers) -> tuple[str, str]:
    """Return the pair of cultures with the smallest share of items of the same label, or the first
    of such pairs. Raise InputError if no two cultures have labels of the same item."""
    shares = {}
    for pair in combinations(answers.cultures, 2):
        first, second = _labels(answers, pair).T
        if (both := (first != NO_LABEL) & (second != NO_LABEL)).any():
            shares[pair] = float((first == second)[both].mean())
    if not shares:
        raise InputError("no two cultures have labels of the same item, so none differ")
    return min(shares, key=lambda pair: (shares[pair], pair))


def differing_items(answers: Answers, pair: tuple[str, str]) -> pd.DataFrame:
    """Return all items that have another label in the one culture than in the other. Raise
    InputError if a culture of the pair has no answers.

    Returns:
        `item`, the columns of `ITEM_COLUMNS` that are known, and for both cultures language, text,
        label, votes and picture, as `US text`; sorted by item. A tie is no label, so it does not
        differ.
    """
    labels = _labels(answers, pair)
    rows = np.flatnonzero((labels[:, 0] != labels[:, 1]) & (labels != NO_LABEL).all(axis=1))
    names = pd.Index(answers.names, dtype=object)[rows]
    parts = [answers.items.reindex(names)[[n for n in ITEM_COLUMNS if n in answers.items]]]
    for side, culture in enumerate(pair):
        versions = answers.versions[answers.versions["culture"] == culture]
        of_items = versions.drop_duplicates("item").set_index("item").reindex(names)
        counts = answers.votes[rows, answers.cultures.index(culture)].tolist()
        votes = [zip(answers.labels, numbers, strict=True) for numbers in counts]
        of_items["label"] = [answers.labels[label] for label in labels[rows, side]]
        of_items["votes"] = [", ".join(f"{label} {n}" for label, n in each if n) for each in votes]
        of_items = of_items[["language", "text", "label", "votes", "picture"]]
        parts.append(of_items.add_prefix(f"{culture} "))
    frame = pd.concat(parts, axis=1).astype(object)
    return frame.where(frame.notna(), "").astype(str).rename_axis("item").reset_index()


def differing(answers: Answers, settings: Settings) -> pd.DataFrame:
    """Return how many items two cultures label differently, and which way.

    The pair is that of the settings, or the one that agrees least; it is the group. Of all items
    `differing` and `share`, n are those labelled in both; of each way (`hate–non-hate`) `items` and
    `share` of the items that differ. Raise InputError if no two cultures have labels of the same
    item, or one of them has no answers.
    """
    pair = settings.pair or least_agreeing(answers)
    labels = _labels(answers, pair)
    labels = labels[(labels != NO_LABEL).all(axis=1)]
    if not len(labels):
        raise InputError(f"{pair[0]} and {pair[1]} have no labels of the same item")
    ways, items = np.unique(labels[labels[:, 0] != labels[:, 1]], axis=0, return_counts=True)
    group, count, n = BETWEEN.join(pair), int(items.sum()), len(labels)
    whole = pd.DataFrame([{"group": group, "differing": count, "share": count / n, "n": n}])
    names = [BETWEEN.join(answers.labels[label] for label in way) for way in ways]
    directions = pd.DataFrame({"item": names, "items": items, "share": items / max(count, 1)})
    parts = (whole, directions.assign(group=group, n=count))
    return joined(tidy(NAME, part, _METHOD) for part in parts)


def _labels(answers: Answers, pair: tuple[str, str]) -> Ints:
    """Return the majority labels of the two cultures: (items, 2). Raise InputError if a culture of
    the pair has no answers."""
    for culture in pair:
        if culture not in answers.cultures:
            cultures = ", ".join(answers.cultures)
            raise InputError(f"there are no answers of {culture[:40]!r}; there are of {cultures}")
    return answers.majority[:, [answers.cultures.index(culture) for culture in pair]]
