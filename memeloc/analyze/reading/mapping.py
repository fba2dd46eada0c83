"""How a table of answers is to be read. In: a TOML file. Out: an `AnswersMap`.

abstentions = ["I don't know"]       # stored, and left out of the vote
order = ["none", "some", "much"]     # the labels as a scale, lowest first
models = ["model-a"]                 # annotators that are programs: no vote

[columns]
item = "meme"
annotator = "worker"
demographics = ["age", "gender"]

[labels]                             # as the table has them = as the report names them
"Hate speech" = "hate"

[levels]                             # instead of `order`: places on the scale, any numbers
none = 0
much = 4

[cultures]
"United States" = "US"
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memeloc.settings import read_toml, validate

ABSTENTIONS = (
    "i don't know",
    "i don’t know",
    "i dont know",
    "don't know",
    "don’t know",
    "dont know",
    "idk",
)
"""Labels that are taken for abstentions where a map names none (multi3hate 3.3)."""

_STRICT = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ColumnNames(BaseModel):
    """Which column of the table is what; capitals do not matter."""

    model_config = _STRICT

    item: str = Field(default="item", description="the id of the meme or other item")
    annotator: str = Field(default="annotator", description="who answered")
    culture: str = Field(default="culture", description="the culture of the annotator")
    label: str = Field(default="label", description="the answer")
    time: str = Field(default="", description="when it was given; else `time`, if it is there")
    category: str = Field(default="", description="of the item; else `category`, if it is there")
    topic: str = Field(default="", description="of the item; else `topic`, if it is there")
    template: str = Field(default="", description="of the item; else `template`, if it is there")
    demographics: tuple[str, ...] = Field(default=(), description="columns: facts about annotators")


class AnswersMap(BaseModel):
    """What the columns, labels and cultures of a table mean."""

    model_config = _STRICT

    columns: ColumnNames = Field(default=ColumnNames(), description="which column is what")
    labels: dict[str, str] = Field(default={}, description="names, by what the table has")
    order: tuple[str, ...] = Field(default=(), description="the scale, lowest label first")
    levels: dict[str, float] = Field(default={}, description="by label its place on the scale")
    abstentions: tuple[str, ...] | None = Field(
        default=None, description="labels that are left out of the vote"
    )
    cultures: dict[str, str] = Field(default={}, description="names, by what the table has")
    models: tuple[str, ...] = Field(default=(), description="annotators that are programs")

    @field_validator("order")
    @classmethod
    def _each_once(cls, order: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(order)) < len(order):
            raise ValueError("a label stands in it twice")
        return order

    @field_validator("levels")
    @classmethod
    def _finite(cls, levels: dict[str, float]) -> dict[str, float]:
        if not all(map(math.isfinite, levels.values())):
            raise ValueError("a place on the scale is a number")
        return levels

    @property
    def scale(self) -> dict[str, float]:
        """By label its place on the scale; empty where the labels have no order."""
        return self.levels or {label: float(place) for place, label in enumerate(self.order)}


def read_map(source: AnswersMap | Mapping[str, Any] | str | Path | None) -> AnswersMap:
    """A map as it is, from plain values, or from a TOML file.

    Raises:
        InputError: it cannot be read, or a setting is unknown or has a value that it cannot have.
    """
    if isinstance(source, AnswersMap):
        return source
    if isinstance(source, str | Path):
        path = Path(source)
        return validate(AnswersMap, read_toml(path), "the map", file=path)
    return validate(AnswersMap, source or {}, "the map")
