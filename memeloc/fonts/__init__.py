"""Finding and loading fonts. In: fonts/fonts.toml, what a user names. Out: stacks of faces.

1. `families`: a `Family` is a font file with the settings of its faces, as fonts.toml lists them.
2. `entries`: what a user asks for, `ur=FILE` or `de:comic=Comic Neue`; `system` finds the fonts of
   the operating system by name.
3. `faces`: a `Face` is a family at one of its settings, ready for HarfBuzz.
4. `emoji`: which clusters are emoji, and what they lose in one colour.
5. `stacks`: a `FontStack` says which face draws a grapheme cluster.
6. `library`: `FontLibrary` has all families, and makes the stacks of a locale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.fonts.faces import Face
    from memeloc.fonts.families import Family, load_families
    from memeloc.fonts.library import FontLibrary
    from memeloc.fonts.stacks import FontStack
    from memeloc.model import FaceName

__all__ = ["Face", "FaceName", "Family", "FontLibrary", "FontStack", "load_families"]

__getattr__, __dir__ = lazy_package(
    __name__,
    {
        "memeloc.fonts.faces": ["Face"],
        "memeloc.fonts.families": ["Family", "load_families"],
        "memeloc.fonts.library": ["FontLibrary"],
        "memeloc.fonts.stacks": ["FontStack"],
        "memeloc.model": ["FaceName"],
    },
)
