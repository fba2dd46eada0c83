"""The settings of deduplication. In: memeloc.toml's `[dedup]`, options. Out: `DedupSettings`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from memeloc.curate.duplicates.keep import Rule
from memeloc.curate.protocol import FilterSettings

Share = Annotated[float, Field(gt=0, le=1)]


class DedupSettings(FilterSettings):
    """The settings of deduplication; the thresholds of likeness are charmemes' (4.3)."""

    rule: Annotated[
        Literal["text", "paper"],
        Field(
            description="what makes near pictures duplicates: the same text too, or, as in the "
            "paper, nothing more"
        ),
    ] = "text"
    distance: Annotated[
        int, Field(ge=0, le=16, description="bits of 64 in which hashes of near pictures differ")
    ] = 5
    keep: Annotated[Rule, Field(description="which of several stays")] = "largest"
    same_text: Annotated[
        Share, Field(description="how alike texts of near pictures are to be the same")
    ] = 0.92
    ask_text: Annotated[
        Share, Field(description="how alike texts of near pictures are that a person looks at")
    ] = 0.8
    same_likeness: Annotated[
        Share, Field(description="cosine of embeddings from which on both make a duplicate")
    ] = 0.95
    ask_likeness: Annotated[
        Share, Field(description="cosine of embeddings from which on a person looks at both")
    ] = 0.85
    near_captions: Annotated[
        Share, Field(description="how alike captions are to be the same; 1 is equality")
    ] = 0.92
    scope: Annotated[
        Literal["template", "all"],
        Field(description="whether captions are compared within a template or all with all"),
    ] = "template"
    questions: Annotated[
        int, Field(ge=1, le=100, description="pairs that a person is asked of one item at a time")
    ] = 5

    @model_validator(mode="after")
    def _ordered(self) -> DedupSettings:
        if self.ask_text > self.same_text or self.ask_likeness > self.same_likeness:
            raise ValueError("what a person looks at begins below what is the same")
        return self
