"""Records of a report. In: figures, texts, cards. Out: a `Report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.reports.cells import clean
from memeloc.reports.figures import BETWEEN
from memeloc.reports.texts import PARTS, Texts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Votes:
    """Answers of a culture about an item: `counts` in the order of the labels."""

    culture: str
    label: str
    counts: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Version:
    """An item as a culture saw it; `picture` is a data address, empty where there is none."""

    culture: str
    language: str
    text: str
    picture: str
    label: str


@dataclass(frozen=True, slots=True)
class Card:
    """An item with versions of it, and what each culture answered."""

    item: str
    about: tuple[str, ...]
    versions: tuple[Version, ...]
    votes: tuple[Votes, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A report: all that its page, tables and plots are made of; see `write_report`.

    `figures` are rows of `memeloc.reports.figures`; `texts` say what is said of each analysis;
    `settings` are those of the figures, the seed among them; `facts` stand below the title, `notes`
    are sentences. `names` are those of codes of cultures, questions and the like: people read names
    only. `cultures`, codes, are in the order of their colours (those of the cards' votes where none
    are named), `labels` in the order of the cards' counts. `cards` and `tables` (of texts, where
    figures cannot say it: captions, questions) are by analysis; `hashes` are the SHA-256 of the
    files that figures rest on, by name.
    """

    name: str
    title: str
    figures: pd.DataFrame
    texts: Path | Texts
    question: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    cultures: Sequence[str] = ()
    labels: Sequence[str] = ()
    cards: Mapping[str, Sequence[Card]] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)

    def for_people(self) -> Report:
        """Return the same with names in the place of codes in groups and items."""
        columns = {key: self.figures[key].map(self.named) for key in ("group", "item")}
        return replace(self, figures=self.figures.assign(**columns))

    def named(self, text: str) -> str:
        """Return a group or item with the names of its codes.

        >>> names = {"DE": "Germany", "US": "United States"}
        >>> Report("", "", None, Path(), names=names).named("category: tea · DE–US")
        'category: tea · Germany–United States'
        """
        names = self.names
        if text in names:
            return clean(names[text])
        parts = (part.split(BETWEEN) for part in text.split(PARTS))
        whole = PARTS.join(BETWEEN.join(names.get(name, name) for name in part) for part in parts)
        return clean(whole)
