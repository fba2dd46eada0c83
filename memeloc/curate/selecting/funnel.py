"""How many came in and went out of each stage, and why. In: stages, topics. Out: a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memeloc.items import ItemKind
from memeloc.pages import fill_page

if TYPE_CHECKING:
    from memeloc.curate.recipes import StageBeside

NOUNS: Mapping[ItemKind, str] = {
    "caption": "captions",
    "picture": "finished memes",
    "template": "templates",
}
"""What several items of a kind are called."""

_PAGE = Path(__file__).parents[1] / "pages" / "funnel.html"


def funnel_page(
    stages: Sequence[Mapping[str, Any]],
    topics: Sequence[Mapping[str, Any]],
    names: Mapping[str, str],
    settings: Mapping[str, object],
    refused: Mapping[str, int] | None = None,
    paper: str | None = None,
    beside: Sequence[StageBeside] = (),
) -> str:
    """Return the funnel as one page of HTML that works from disk, without scripts.

    Names of templates, by id, are untrusted: they are shown as text. `refused` is what was not
    taken when it was collected, by reason; for stages and topics see `memeloc.curate.selecting`.
    """
    kinds = dict.fromkeys(stage["kind"] for stage in stages)
    return fill_page(
        _PAGE,
        kinds={NOUNS[kind]: [s for s in stages if s["kind"] == kind] for kind in kinds},
        topics=topics,
        names=names,
        settings={name: _plain(value) for name, value in settings.items()},
        refused=refused or {},
        paper=paper,
        beside=beside,
    )


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
