"""Items whose labels differ between two cultures. In: `Answers`. Out: the items, and a `Section`.

multi3hate 4.3 shows such items of the pair that differs most to people who know both cultures, and
asks them why; `memeloc.analyze.codebook` makes the sheets for that.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from memeloc.analyze.answers import ITEM_COLUMNS, NO_LABEL, Answers
from memeloc.analyze.settings import Settings
from memeloc.arrays import Ints
from memeloc.errors import InputError
from memeloc.reports.sections import Section, Table

if TYPE_CHECKING:
    import pandas as pd

SIDE_COLUMNS = ("language", "text", "label", "votes", "picture")
"""What a table of differing items has of each of both cultures, as `US text`."""


def least_agreeing(answers: Answers) -> tuple[str, str]:
    """The pair of cultures with the smallest share of items of the same label; the first of a tie.

    Raises:
        InputError: no two cultures have labels of the same item.
    """
    shares = {}
    for pair in combinations(range(len(answers.cultures)), 2):
        first, second = _labels(answers, pair)
        both = (first != NO_LABEL) & (second != NO_LABEL)
        if both.any():
            shares[pair] = float((first == second)[both].mean())
    if not shares:
        raise InputError("no two cultures have labels of the same item, so none differ")
    least = min(shares, key=lambda pair: (shares[pair], pair))
    return answers.cultures[least[0]], answers.cultures[least[1]]


def differing_items(answers: Answers, pair: tuple[str, str]) -> pd.DataFrame:
    """All items that have another label in the one culture than in the other.

    Returns:
        `item`, the columns of `ITEM_COLUMNS` that are known, and for both cultures the
        `SIDE_COLUMNS`; sorted by item. A tie is no label, so it does not differ.

    Raises:
        InputError: a culture of the pair has no answers.
    """
    import pandas as pd

    for culture in pair:
        if culture not in answers.cultures:
            known = ", ".join(answers.cultures)
            raise InputError(f"there are no answers of {culture[:40]!r}; there are of {known}")
    places = _places(answers, pair)
    first, second = _labels(answers, places)
    rows = np.flatnonzero((first != second) & (first != NO_LABEL) & (second != NO_LABEL))
    names = pd.Index([answers.names[row] for row in rows], dtype=object)
    facts = [name for name in ITEM_COLUMNS if name in answers.items.columns]
    items = answers.items.reindex(names)
    columns: dict[str, Any] = {"item": list(names)}
    columns |= {name: items[name].fillna("").astype(str).tolist() for name in facts}
    for culture, place in zip(pair, places, strict=True):
        versions = answers.versions[answers.versions["culture"] == culture]
        own = versions.drop_duplicates("item").set_index("item").reindex(names).fillna("")
        votes = answers.votes[rows, place]
        cells = {
            "language": own["language"].tolist(),
            "text": own["text"].tolist(),
            "label": [answers.labels[label] for label in answers.majority[rows, place]],
            "votes": [_votes(counts, answers.labels) for counts in votes],
            "picture": [str(path) for path in own["picture"]],
        }
        columns |= {f"{culture} {name}": cells[name] for name in SIDE_COLUMNS}
    return pd.DataFrame(columns)


def differing(answers: Answers, settings: Settings) -> Section:
    """The items on which two cultures differ: those of the settings, or the pair that agrees least.

    Raises:
        InputError: no two cultures have labels of the same item, or one of them has no answers.
    """
    pair = settings.pair or least_agreeing(answers)
    first, second = pair
    frame = differing_items(answers, pair)
    places = _places(answers, pair)
    both = int(np.all([labels != NO_LABEL for labels in _labels(answers, places)], axis=0).sum())
    if not both:
        raise InputError(f"{first} and {second} have no labels of the same item")
    method = (
        f"Items with a majority label in both cultures and not the same one: {len(frame):,} of "
        f"{both:,} (multi3hate 4.3). Ties have no label."
    )
    shown = frame.drop(columns=[f"{culture} picture" for culture in pair])
    ways = [f"{culture} label" for culture in pair]
    directions = frame.groupby(ways, as_index=False).size().rename(columns={"size": "items"})
    directions["share"] = directions["items"] / max(len(frame), 1)
    title = f"Items whose labels differ between {first} and {second}"
    return Section(
        "differing",
        title,
        (
            Table(
                "differing-directions",
                f"{title}: which way",
                directions,
                {
                    **dict.fromkeys(ways, "majority label there"),
                    "items": "count",
                    "share": "of the items that differ, 0 to 1",
                },
                method,
            ),
            Table(
                "differing-items",
                title,
                shown,
                {str(name): _described(str(name)) for name in shown.columns},
                method,
                captions=tuple(f"{culture} text" for culture in pair),
            ),
        ),
        sentences=(
            f"{first} and {second} give {len(frame):,} of {both:,} items "
            f"({len(frame) / both:.1%}) another label.",
        ),
        figures={"pair": list(pair), "items": both, "differing": len(frame)},
    )


def _places(answers: Answers, pair: tuple[str, str]) -> tuple[int, int]:
    return answers.cultures.index(pair[0]), answers.cultures.index(pair[1])


def _labels(answers: Answers, pair: tuple[int, int]) -> tuple[Ints, Ints]:
    return answers.majority[:, pair[0]], answers.majority[:, pair[1]]


def _votes(counts: Ints, labels: tuple[str, ...]) -> str:
    pairs = zip(labels, counts, strict=True)
    return ", ".join(f"{label} {count}" for label, count in pairs if count)


def _described(name: str) -> str:
    described = {
        "language": "tag",
        "text": "the caption that the culture saw",
        "label": "majority label there",
        "votes": "answers that vote there, by label",
    }
    return described.get(name.rpartition(" ")[2], "of the item")
