"""The settings of a selection. In: nothing. Out: `SelectSettings`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from memeloc.curate.protocol import FilterSettings

OF_PICTURES = ("kind", "filters", "duplicates", "asked", "take", "balance", "seed")
"""The settings of the selection that concern finished memes; the others are of captions only."""


class SelectSettings(FilterSettings):
    """The settings of the selection; the defaults are Multi3Hate's (appendix A.2).

    Who says how many to take has no topics and no templates with many captions in mind: with `take`
    what else is not set of these asks for nothing.
    """

    kind: Literal["all", "caption", "picture"] = Field(
        "all", description="what is selected: captions, finished memes (picture), or all"
    )
    filters: tuple[str, ...] = Field(
        (),
        description="filters to pass, in this order; empty: all that were run. dedup and topics "
        "among them say when duplicates and templates without a topic go",
    )
    duplicates: Literal["out", "keep"] = Field("out", description="what becomes of duplicates")
    topics: bool = Field(True, description="whether only templates on a topic are taken")
    per_template: int = Field(10, ge=0, description="captions that a template must have at least")
    templates_per_topic: int = Field(3, ge=0, description="templates that a topic has at least")
    top: int = Field(3, ge=0, description="templates of a topic that are taken, 0 for all")
    most_per_template: int = Field(
        0, ge=0, description="captions a template that are taken, 0: all"
    )
    asked: Literal["out", "keep"] = Field("out", description="items that wait for a person")
    take: int = Field(
        0, ge=0, description="how many of what passes are taken in all, of each kind; 0: all"
    )
    balance: Literal["none", "template", "language", "label"] = Field(
        "none", description="over what those that are taken are spread evenly"
    )
    seed: int = Field(0, description="what chance begins with, where it decides what is taken")

    @model_validator(mode="before")
    @classmethod
    def _all_that_passes(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("take"):
            return {"topics": False, "per_template": 0, **values}
        return values
