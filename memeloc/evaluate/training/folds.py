"""Splitters. In: a dataset. Out: `Fold`s: which rows are trained on, which tested on.

A dataset's own splits win. Elsewhere they are drawn by a seed: examples of a group (a template), or
with nearly the same text, stay together, and labels are spread in the shares of the whole, see
`memeloc.splits`. Periods are folds, too: consecutive parts of the years.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memeloc.errors import InputError
from memeloc.evaluate.training.dataset import Dataset, Example
from memeloc.evaluate.training.run_file import SplitSettings
from memeloc.splits import near_captions, split_memes

Rows = NDArray[np.int64]
"""Places of examples in their dataset, from 0."""
_TOGETHER = (
    "examples of a template, and of nearly the same text, together and labels in the shares of the "
    "whole"
)
_LEAST_TEXT = 20
"""Characters of a text that keeps examples together: a shorter one is many memes' by chance, and
would join their templates into one part."""


class Fold(NamedTuple):
    """Rows that are trained on, and rows that are tested on; no row is both."""

    name: str
    train: Rows
    test: Rows


def folds_of(
    dataset: Dataset, settings: SplitSettings | None = None, *, seed: int = 0
) -> tuple[list[Fold], str]:
    """Return the folds of a dataset, and how they came about, a sentence for every output. Raise
    InputError if the dataset lacks the splits that are named, or has too few groups for folds.

    Args:
        settings: five folds, or the dataset's own split where it has one, if left out.
        seed: where the settings name none.
    """
    settings = settings or SplitSettings()
    names = np.array([example.split for example in dataset.examples], dtype=object)
    drawn = seed if settings.seed is None else settings.seed
    sides = (settings.train, settings.test)
    method = settings.method
    if method == "auto":
        method = "own" if all(set(names).intersection(side) for side in sides) else "folds"
    if method == "own":
        if both := set(settings.train) & set(settings.test):
            raise InputError(f"The split {min(both)!r} is both trained on and tested on.")
        train, test = (np.flatnonzero(np.isin(names, side)) for side in sides)
        for rows, side in zip((train, test), sides, strict=True):
            if not len(rows):
                existing = ", ".join(sorted(set(names) - {""})) or "none"
                raise InputError(
                    f"No example is in the split {' or '.join(side)}; the dataset's are {existing}."
                )
        trained, tested = map(", ".join, sides)
        about = f"the dataset's own splits: trained on {trained}, tested on {tested}"
        return [Fold(settings.test[0], train, test)], about
    if method == "seeded":
        shares = {"train": settings.share, "test": 1 - settings.share}
        parts = _parts(dataset.examples, shares, drawn)
        about = (
            f"{settings.share:.0%} of the examples are trained on and the rest tested on, drawn "
            f"with seed {drawn}, {_TOGETHER}"
        )
        return [Fold("test", parts["train"], parts["test"])], about
    parts = _parts(dataset.examples, {f"fold {k + 1}": 1.0 for k in range(settings.folds)}, drawn)
    every = np.arange(len(dataset.examples))
    folds = [Fold(name, np.setdiff1d(every, test), test) for name, test in parts.items()]
    return folds, f"{settings.folds} folds, drawn with seed {drawn}, {_TOGETHER}"


def _parts(examples: Sequence[Example], shares: Mapping[str, float], seed: int) -> dict[str, Rows]:
    part_of = _split(examples, shares, seed)
    rows = {name: np.flatnonzero(part_of == name) for name in shares}
    if empty := [name for name, part in rows.items() if not len(part)]:
        raise InputError(
            f"No example is left for {empty[0]}: the dataset has fewer templates than there are "
            "parts; name fewer folds, or leave the column `group` out."
        )
    return rows


def _split(examples: Sequence[Example], shares: Mapping[str, float], seed: int) -> NDArray[Any]:
    """Return the name of each example's part."""
    words = re.compile(r"\w+")
    plain = ((each.item, " ".join(words.findall(each.text.casefold()))) for each in examples)
    parts = split_memes(
        {example.item: example.group for example in examples},
        {example.item: example.label for example in examples},
        shares,
        seed=seed,
        together=near_captions(row for row in plain if len(row[1]) >= _LEAST_TEXT),
    )
    return np.array([parts[example.item] for example in examples], dtype=object)


def periods_of(
    dataset: Dataset, rows: Rows | None = None, *, count: int = 5, held_out: float = 0.1,
    seed: int = 0,
) -> list[Fold]:  # fmt: skip
    """Return consecutive periods of near equal size, each a fold named by its years.

    charmemes 5.4 has five: 2007-2016, 2016-2017, 2017-2019, 2019-2020 and 2020-2025, each of some
    4,600 memes: a year at a boundary belongs to both sides of it. Such a year is divided at random,
    with the labels in equal shares as far as templates let them: a template is in one period, that
    of its earliest item. Raise InputError if there are fewer than two templates for each period.

    Args:
        rows: those that are divided; all that have a year if left out.
        held_out: share of each period that is for tests (10 % in charmemes).
    """
    if rows is None:
        rows = np.flatnonzero([example.year is not None for example in dataset.examples])
    examples = [dataset.examples[row] for row in rows]
    homes = [example.group or f"item {example.item}" for example in examples]
    if len(set(homes)) < 2 * count:
        raise InputError(
            f"{count} periods need {2 * count} templates with a year, and there are "
            f"{len(set(homes))}."
        )
    earliest: dict[str, int] = {}
    for home, example in zip(homes, examples, strict=True):
        year = example.year or 0
        earliest[home] = min(year, earliest.get(home, year))
    years = np.array([earliest[home] for home in homes])
    period_of = np.zeros(len(rows), dtype=np.int64)
    before = 0
    for year in np.unique(years):
        places = np.flatnonzero(years == year)
        # In units of 1 / count of an item, where boundaries are whole numbers.
        start, end = before * count, (before + len(places)) * count
        shares: dict[str, float] = {
            str(number): min(end, (number + 1) * len(rows)) - max(start, number * len(rows))
            for number in range(start // len(rows), -(-end // len(rows)))
        }
        period_of[places] = _split([examples[place] for place in places], shares, seed).astype(int)
        before += len(places)
    folds = []
    for number in range(count):
        places = np.flatnonzero(period_of == number)
        if not len(places):
            raise InputError(
                "A period has no items: a template has too many of them. Ask for fewer."
            )
        first, last = years[places].min(), years[places].max()
        name = str(first) if first == last else f"{first}-{last}"
        shares = {"train": 1 - held_out, "test": held_out}
        parts = _split([examples[place] for place in places], shares, seed)
        train, test = (rows[places[parts == part]] for part in shares)
        if not len(train) or not len(test):
            raise InputError(f"The period {name} has one template only. Ask for fewer.")
        folds.append(Fold(name, train, test))
    return folds
