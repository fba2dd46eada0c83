"""A report as such. In: sections and what stands above them. Out: `Report`, to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memeloc.reports.sections import Section


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
