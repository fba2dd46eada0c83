"""The settings of deduplication. In: memeloc.toml's `[dedup]`, options. Out: `DedupSettings`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from memeloc.curate.protocol import FilterSettings
from memeloc.items import Item

Rule = Literal["largest", "oldest", "votes", "first"]
"""Most pixels; earliest made; most votes; first collected."""


def in_order(items: Sequence[Item], rule: Rule) -> list[Item]:
    """Return items, given as they were collected, the one to keep before the others.

    Where the rule does not decide, the other rules do: largest, votes, oldest, first. An item that
    has no date or no votes comes after all that have.
    """

    def rank(row: tuple[int, Item]) -> list[tuple[float, ...]]:
        place, item = row
        ranks: dict[str, tuple[float, ...]] = {
            "largest": (-item.width * item.height, -item.size),
            "votes": (math.inf if item.votes is None else -item.votes,),
            "oldest": (_made(item),),
            "first": (place,),
        }
        return [ranks.pop(rule), *ranks.values()]

    return [item for _, item in sorted(enumerate(items), key=rank)]


def _made(item: Item) -> float:
    """Return when an item was made, in seconds from 1970; infinite when it has no date."""
    year = f"{item.year.year:04d}" if item.year is not None else ""
    for date in (item.created.strip(), year):
        try:
            made = datetime.fromisoformat(f"{date}-01-01" if len(date) == 4 else date)
            return made.replace(tzinfo=made.tzinfo or UTC).timestamp()
        except (ValueError, OverflowError):
            continue
    return math.inf


Share = Annotated[float, Field(gt=0, le=1)]


class DedupSettings(FilterSettings):
    """The settings of deduplication; the thresholds of similarity are charmemes' (4.3)."""

    rule: Literal["text", "paper"] = Field(
        "text",
        description="what makes near pictures duplicates: the same text too, or, as in the "
        "paper, nothing more",
    )
    distance: int = Field(
        5,
        ge=0,
        le=16,
        description="bits of 64 in which hashes differ at most where no text decides: by the rule "
        "paper, of templates, and of pictures that a person is asked about",
    )
    text_distance: int = Field(
        16,
        ge=0,
        le=16,
        description="bits in which hashes of pictures with equal texts differ at most",
    )
    copies: bool = Field(
        False,
        description="whether pictures are looked at closely, so that crops, frames, bars, "
        "watermarks and mirrored copies are found",
    )
    keep: Rule = Field("largest", description="which of several stays")
    ask_text: Share = Field(
        0.8, description="similarity of texts of near pictures from which on a person looks at both"
    )
    same_likeness: Share = Field(0.95, description="cosine of both embeddings of a duplicate")
    ask_likeness: Share = Field(0.85, description="cosine from which on a person looks at both")
    near_captions: Share = Field(
        0.9, description="similarity of captions from which on a person looks at both; 1 is never"
    )
    scope: Literal["template", "all"] = Field(
        "template", description="whether captions are compared within a template or all with all"
    )
    questions: int = Field(
        5,
        ge=1,
        le=100,
        description="pairs of captions, or of pictures without a text, asked of one at a time",
    )

    @model_validator(mode="after")
    def _ordered(self) -> DedupSettings:
        if self.ask_likeness > self.same_likeness:
            raise ValueError("what a person looks at begins below what is the same")
        return self
