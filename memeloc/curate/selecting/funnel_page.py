"""The funnel as one page that works from disk. In: a `Funnel`. Out: HTML without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memeloc.curate.selecting.funnel import Funnel
from memeloc.pages import fill_page

_PAGE = Path(__file__).parents[1] / "pages" / "funnel.html"


def funnel_page(funnel: Funnel, names: Mapping[str, str], settings: Mapping[str, object]) -> str:
    """The page.

    Args:
        funnel: what to show; names that came from elsewhere are shown as text.
        names: of templates, by id.
        settings: what was chosen by.
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
