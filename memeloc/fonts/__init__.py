"""Finding and loading fonts. In: fonts/fonts.toml, what a user names. Out: stacks of faces.

1. `families`: a `Family` is a font file with the settings of its faces, as fonts.toml lists them.
2. `entries`: what a user asks for, `ur=FILE` or `de:comic=Comic Neue`; `system` finds the fonts of
   the operating system by name.
3. `faces`: a `Face` is a family at one of its settings, ready for HarfBuzz.
4. `stacks`: a `FontStack` says which face draws a grapheme cluster, which may be emoji.
5. `library`: `FontLibrary` has all families, and makes the stacks of a locale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.fonts.faces import Face as Face
    from memeloc.fonts.faces import FontStack as FontStack
    from memeloc.fonts.families import Family as Family
    from memeloc.fonts.families import load_families as load_families
    from memeloc.fonts.library import FontLibrary as FontLibrary
    from memeloc.model import FaceName as FaceName

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
