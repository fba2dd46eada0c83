"""A report and its parts. In: what an analysis computed. Out: `Section`s, in a `Report`.

An analysis knows its figures; how a page, a file of LaTeX or a plot looks is the report's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table of the report; its file is NAME.csv and NAME.tex.

    Attributes:
        frame: plain columns, no index; shares as 0 to 1, NaN for what is not defined.
        columns: by column what it is, with the unit and range; of every column.
        method: how the figures were computed and on how many, with the source.
        captions: columns whose text is in a language of its own, any script.
    """

    name: str
    title: str
    frame: pd.DataFrame
    columns: Mapping[str, str]
    method: str
    captions: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        rows: Iterable[Sequence[Any] | Mapping[str, Any]],
        columns: Mapping[str, str],
        method: str,
        captions: tuple[str, ...] = (),
    ) -> Table:
        """A table of rows with a cell for each of the columns, or of cells by their names."""
        import pandas as pd

        frame = pd.DataFrame(list(rows), columns=list(columns))
        return cls(name, title, frame, columns, method, captions)


@dataclass(frozen=True, slots=True, eq=False)
class Heatmap:
    """A matrix; `values` has its rows' and columns' labels as index and columns."""

    name: str
    title: str
    values: pd.DataFrame
    method: str


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often a value came; `marks` are values of interest by label, beside the distribution."""

    name: str
    title: str
    values: Sequence[float]
    axis: str
    method: str
    marks: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Values with intervals. `frame`: label, value, low, high, and optionally `group`."""

    name: str
    title: str
    frame: pd.DataFrame
    axis: str
    method: str


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Bars. `frame` is indexed by bar, a column a series; `stacked` where they are shares."""

    name: str
    title: str
    frame: pd.DataFrame
    axis: str
    method: str
    stacked: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines over an ordered axis. `frame` is indexed by the axis, a column a line."""

    name: str
    title: str
    frame: pd.DataFrame
    axis: str
    method: str


Plot = Heatmap | Histogram | Intervals | Bars | Lines


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """One analysis of the report.

    Attributes:
        name: plain letters and hyphens, for links and files.
        sentences: what a methods paragraph says of it, with the figures filled in.
        figures: single figures by name, for programs and for tests; None for what is not defined.
        gaps: what could not be computed, and why: a sentence each.
        items: items that the report shows with their versions and votes, the first first.
    """

    name: str
    title: str
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    sentences: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Votes:
    """What a culture answered about an item: `counts` in the order of the labels."""

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
    """What a folder with a page, tables and plots is made of; see `write_report`.

    Attributes:
        name: of the JSON file, NAME.json.
        title: of the page in a browser; `heading`, its first line.
        facts: what stands below the heading, by its name.
        sections: in their order; one that could not be computed has a gap only.
        methods: paragraphs for a paper.
        notes: what was noticed, a sentence each, below `notes_title`.
        labels: columns of the cards' votes.
        cards: by the name of a section items that it shows.
        data: what the JSON file holds besides the sections.
        jobs: processes that draw; the result is the same for any number.
    """

    name: str
    title: str
    heading: str
    facts: Mapping[str, str]
    sections: tuple[Section, ...]
    methods: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    notes_title: str = "What was noticed"
    labels: tuple[str, ...] = ()
    cards: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    jobs: int = 1
