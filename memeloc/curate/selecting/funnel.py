"""How many came in and went out of each stage, and why. In: nothing. Out: the funnel's nouns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the selection.

    Attributes:
        name: what it asks, for people.
        came: captions that came in.
        left: captions that stayed.
        templates_came, templates_left: the templates that these captions are on.
        reasons: captions that went out, by reason, most first.
    """

    name: str
    came: int
    left: int
    templates_came: int
    templates_left: int
    reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def went(self) -> int:
        """Captions that went out."""
        return self.came - self.left


@dataclass(frozen=True, slots=True)
class TopicLine:
    """What became of one topic.

    Attributes:
        category, topic: as in the file of topics.
        captions: captions of each of its templates that passed all filters, most first.
        enough: how many of these templates have captions enough.
        taken: ids of the templates that were taken, most captions first.
        outcome: `taken` or `too few templates`.
    """

    category: str
    topic: str
    captions: Mapping[str, int]
    enough: int
    taken: tuple[str, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class Funnel:
    """All stages, in their order, and all topics."""

    stages: tuple[Stage, ...]
    topics: tuple[TopicLine, ...] = ()

    def as_json(self) -> list[dict[str, Any]]:
        """JSON values, a stage each; the topics stand with the last."""
        rows: list[dict[str, Any]] = [
            {
                "stage": stage.name,
                "in": stage.came,
                "out": stage.went,
                "left": stage.left,
                "templates_in": stage.templates_came,
                "templates_left": stage.templates_left,
                "reasons": dict(stage.reasons),
            }
            for stage in self.stages
        ]
        return rows

    def topics_as_json(self) -> list[dict[str, Any]]:
        """JSON values, a topic each."""
        return [
            {
                "category": line.category,
                "topic": line.topic,
                "templates": dict(line.captions),
                "enough": line.enough,
                "taken": list(line.taken),
                "outcome": line.outcome,
            }
            for line in self.topics
        ]
