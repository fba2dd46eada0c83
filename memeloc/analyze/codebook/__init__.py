"""Why labels of two cultures differ. In: differing items. Out: sheets, and shares of themes.

The qualitative analysis of multi3hate 4.3:

1. `write_reasons` shows both versions of each item that differs, with both labels, to a person who
   knows both cultures, and leaves a cell for the reason; `read_reasons` reads it (`sheets`).
2. `write_coding` shows the reasons to a coder, beside a codebook; `read_coding` reads the codes; a
   second coder gets a sheet without the first one's codes.
3. `themes` gives the share of each code and theme, and how far the coders agree (`shares`).

A `Codebook` is a TOML: the one of multi3hate is shipped, with its six themes (`book`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.analyze.codebook.book import Codebook as Codebook
    from memeloc.analyze.codebook.book import Theme as Theme
    from memeloc.analyze.codebook.book import load_codebook as load_codebook
    from memeloc.analyze.codebook.shares import themes as themes
    from memeloc.analyze.codebook.sheets import Coding as Coding
    from memeloc.analyze.codebook.sheets import Reason as Reason
    from memeloc.analyze.codebook.sheets import read_coding as read_coding
    from memeloc.analyze.codebook.sheets import read_reasons as read_reasons
    from memeloc.analyze.codebook.sheets import write_coding as write_coding
    from memeloc.analyze.codebook.sheets import write_reasons as write_reasons

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
