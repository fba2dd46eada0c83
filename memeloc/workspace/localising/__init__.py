"""Localising finished memes. In: pictures, or a workspace. Out: templates, captions, a page."""

from __future__ import annotations

from memeloc.workspace.localising.localising import (
    LocalisedPicture,
    LocaliseResult,
    Localising,
    ToLocalise,
    localise_pictures,
)

__all__ = [
    "LocaliseResult",
    "LocalisedPicture",
    "Localising",
    "ToLocalise",
    "localise_pictures",
]
