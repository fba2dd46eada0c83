"""What models learn from. In: rows of a dataset. Out: `Dataset`, an `Example` a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memeloc.arrays import Ints
from memeloc.errors import InputError
from memeloc.evaluate.gold import Gold

Rows = NDArray[np.int64]
"""Places of examples in their dataset, from 0."""


@dataclass(frozen=True, slots=True)
class Example:
    """A meme with its label.

    Attributes:
        item: its id, which no other example of the dataset has.
        label: its name.
        text: of the meme; empty where there is none.
        picture: its file; None where there is none.
        language: of the text, a BCP 47 tag; may be empty.
        group: what keeps examples together in one split, such as the template; empty for none.
        split: of the dataset's own splits; empty for none.
        year: of the template, or of the meme; None where it is not known.
        other: further columns by name, such as `target`.
    """

    item: str
    label: str
    text: str = ""
    picture: Path | None = None
    language: str = ""
    group: str = ""
    split: str = ""
    year: int | None = None
    other: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Dataset:
    """Examples, and what their labels mean.

    Attributes:
        examples: in the order of the source.
        labels: all that there are, in order; also ones that no example has.
        levels: by label a number, where labels are ordered (for MAE and MMAE).
        coarser: by name of a coarser task its label for each label.
        about: what it is, for every output: source, columns, what was left out.
        notes: what was noticed while it was read, a sentence each.
    """

    examples: tuple[Example, ...]
    labels: tuple[str, ...]
    levels: Mapping[str, int] = field(default_factory=dict)
    coarser: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise InputError for a label that is not in the list, or an item that comes twice."""
        known, items = set(self.labels), set()
        for example in self.examples:
            if example.label not in known:
                raise InputError(
                    f"The item {example.item[:60]!r} has the label {example.label[:60]!r}, which "
                    f"is none of {', '.join(self.labels)}; name it in [labels], or map it."
                )
            if example.item in items:
                raise InputError(f"The item {example.item[:60]!r} comes twice in the dataset.")
            items.add(example.item)

    @cached_property
    def classes(self) -> Ints:
        """By example the place of its label."""
        place = {label: number for number, label in enumerate(self.labels)}
        return np.array([place[example.label] for example in self.examples], dtype=np.int64)

    @cached_property
    def gold(self) -> Gold:
        """The labels as what is right; a column, `gold`."""
        import pandas as pd

        index = pd.Index([example.item for example in self.examples], name="item")
        column = [example.label for example in self.examples]
        table = pd.DataFrame({"gold": pd.array(column, dtype="object")}, index=index)
        return Gold(table, self.labels, self.levels, self.coarser, self.about)
