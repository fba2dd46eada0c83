"""Splits. In: a dataset, settings. Out: `Split`s: which rows are trained on, which tested on.

A dataset's own splits win. Elsewhere they are drawn by a seed: examples of a group (a template)
stay together, and labels are spread in the shares of the whole, see `memeloc.splits`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from memeloc.errors import InputError
from memeloc.evaluate.training.examples import Dataset, Rows
from memeloc.evaluate.training.settings import Settings
from memeloc.splits import split_memes


class SplitSettings(Settings):
    """How examples are divided."""

    method: Literal["auto", "own", "seeded", "folds"] = Field(
        default="auto", description="own, seeded or folds; auto is own where the dataset has splits"
    )
    train: tuple[str, ...] = Field(default=("train",), description="own splits that are trained on")
    test: tuple[str, ...] = Field(default=("test",), description="own splits that are tested on")
    share: float = Field(
        default=0.8, gt=0, lt=1, description="of a seeded split: what is trained on"
    )
    folds: int = Field(
        default=5, ge=2, le=100, description="of folds: how many; each is tested on once"
    )
    seed: int | None = Field(
        default=None, description="of what is drawn; the run's unless it is named"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Rows that are trained on, and rows that are tested on; no row is both."""

    name: str
    train: Rows
    test: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """The splits of a run.

    Attributes:
        method: own, seeded or folds.
        about: how they came about, a sentence for every output.
        left_out: examples that are in none, such as a validation split.
    """

    method: str
    splits: tuple[Split, ...]
    about: str
    left_out: int = 0


def split_dataset(dataset: Dataset, settings: SplitSettings, *, seed: int = 0) -> Splits:
    """The splits of a dataset.

    Args:
        seed: where the settings name none.

    Raises:
        InputError: the dataset lacks the splits that are named, or has too few groups for folds.
    """
    names = {example.split for example in dataset.examples}
    drawn = seed if settings.seed is None else settings.seed
    method = settings.method
    if method == "auto":
        has_own = names.intersection(settings.train) and names.intersection(settings.test)
        method = "own" if has_own else "folds"
    if method == "own":
        return _own(dataset, settings)
    if method == "seeded":
        parts = grouped_parts(dataset, {"train": settings.share, "test": 1 - settings.share}, drawn)
        about = (
            f"{settings.share:.0%} of the examples are trained on and the rest tested on, drawn "
            f"with seed {drawn}, {_TOGETHER}"
        )
        return Splits(method, (Split("test", parts["train"], parts["test"]),), about)
    parts = grouped_parts(dataset, {f"fold {k + 1}": 1.0 for k in range(settings.folds)}, drawn)
    every = np.arange(len(dataset.examples))
    splits = tuple(
        Split(name, np.setdiff1d(every, test, assume_unique=True), test)
        for name, test in parts.items()
    )
    about = f"{settings.folds} folds, drawn with seed {drawn}, {_TOGETHER}"
    return Splits(method, splits, about)


_TOGETHER = "examples of a template together and labels in the shares of the whole"


def grouped_parts(dataset: Dataset, shares: Mapping[str, float], seed: int) -> dict[str, Rows]:
    """Rows by part: groups stay together, labels are spread evenly.

    Raises:
        InputError: there are fewer groups than parts.
    """
    parts = split_memes(
        {example.item: example.group for example in dataset.examples},
        {example.item: example.label for example in dataset.examples},
        shares,
        seed=seed,
    )
    chosen = np.array([parts[example.item] for example in dataset.examples])
    rows = {name: np.flatnonzero(chosen == name) for name in shares}
    for name, own in rows.items():
        if not len(own):
            raise InputError(
                f"No example is left for {name}: the dataset has fewer templates than there are "
                "parts; name fewer folds, or leave the column `group` out."
            )
    return rows


def _own(dataset: Dataset, settings: SplitSettings) -> Splits:
    names = [example.split for example in dataset.examples]
    both = set(settings.train) & set(settings.test)
    if both:
        raise InputError(f"The split {min(both)!r} is both trained on and tested on.")
    train, test = (
        np.flatnonzero([name in wanted for name in names])
        for wanted in (settings.train, settings.test)
    )
    for rows, wanted in ((train, settings.train), (test, settings.test)):
        if not len(rows):
            known = ", ".join(sorted(set(names) - {""})) or "none"
            raise InputError(
                f"No example is in the split {' or '.join(wanted)}; the dataset's are {known}."
            )
    about = (
        f"the dataset's own splits: trained on {', '.join(settings.train)}, "
        f"tested on {', '.join(settings.test)}"
    )
    left_out = len(names) - len(train) - len(test)
    return Splits("own", (Split(settings.test[0], train, test),), about, left_out)
