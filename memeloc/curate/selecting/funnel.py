"""How many came in and went out of each stage, and why. In: stages, topics. Out: JSON, a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from memeloc.pages import fill_page

_PAGE = Path(__file__).parents[1] / "pages" / "funnel.html"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the selection: captions that came and stayed, and the templates they are on.

    Reasons are of the captions that went out, most first.
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
        templates: captions of each of its templates that passed all filters, most first.
        enough: how many of these templates have captions enough.
        taken: ids of the templates that were taken, most captions first.
        outcome: `taken` or `too few templates`.
    """

    category: str
    topic: str
    templates: Mapping[str, int]
    enough: int
    taken: tuple[str, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class Funnel:
    """All stages, in their order, and all topics."""

    stages: tuple[Stage, ...]
    topics: tuple[TopicLine, ...] = ()

    def as_json(self) -> list[dict[str, Any]]:
        """JSON values, a stage each."""
        return [
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

    def topics_as_json(self) -> list[dict[str, Any]]:
        """JSON values, a topic each."""
        return [asdict(line) for line in self.topics]


def funnel_page(funnel: Funnel, names: Mapping[str, str], settings: Mapping[str, object]) -> str:
    """The funnel as one page of HTML that works from disk, without scripts.

    Names of templates, by id, are untrusted: they are shown as text.
    """
    return fill_page(
        _PAGE,
        funnel=funnel,
        names=names,
        settings={name: _plain(value) for name, value in settings.items()},
        first=max((stage.came for stage in funnel.stages), default=0),
        left=funnel.stages[-1].left if funnel.stages else 0,
    )


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
