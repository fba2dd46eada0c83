"""Right labels. In: labels of items by culture or annotator. Out: `Gold`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with options of its own, as baselines read it.

    Attributes:
        options: in the order listed.
        language: of question and options, a tag.
        text: of the meme, its caption; empty where it has none or none is known.
    """

    question: str
    options: tuple[str, ...]
    language: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """The right labels, in the eyes of each culture.

    Attributes:
        table: indexed by item (texts), a column a culture (or the only one, such as `gold`); names
            of labels, missing where a culture has none. Of multiple choice: the right option.
        labels: all that there are, in order; empty for multiple choice.
        levels: by label a number, where labels are ordered (for MAE and MMAE).
        coarser: by name of a coarser task its label for each label (charmemes: 11, 4 and 2
            classes by mapping, 5.1).
        groups: indexed as the table, a column a grouping of items (araharmeme: items without text,
            code-switched ones), text, missing where an item is in no group; each group is also
            scored by itself. None for none.
        questions: of multiple choice by item what is asked, where it is known.
        templates: by item the template of its meme, where it is known: intervals draw templates.
        about: which dataset, split, mapping and seed these are; it stands in every output.
    """

    table: pd.DataFrame
    labels: tuple[str, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)
    coarser: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    groups: pd.DataFrame | None = None
    questions: Mapping[str, ChoiceQuestion] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)

    @property
    def cultures(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(map(str, self.table.columns))

    @property
    def tasks(self) -> dict[str, Mapping[str, str]]:
        """Return the labels themselves, then the coarser ones, as mappings of labels.

        >>> import pandas as pd
        >>> Gold(pd.DataFrame(), ("a", "b"), coarser={"one": {"a": "c", "b": "c"}}).tasks
        {'2 classes': {'a': 'a', 'b': 'b'}, 'one': {'a': 'c', 'b': 'c'}}
        """
        return {f"{len(self.labels)} classes": {name: name for name in self.labels}, **self.coarser}
