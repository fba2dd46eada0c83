"""Text and template in, picture and proof out.

One caption, from table to picture:

1. `parallel_set.render_table` reads the table once; `join` takes off what is unchanged, the rest
   goes in shards to `memeloc.engine.pool`, and `shards` makes them in each process.
2. `renderer.Renderer.render`: `background` has the template's picture (the language's own, where
   it has one), decoded once, and lends a copy that notes which rows are painted on.
   Steps 3 to 6 are in `typesetting/`, 7 in `painting/`, 10 in `sets/`.
3. `text`: line breaks become paragraphs; what cannot be drawn becomes a space or U+FFFD.
4. `itemize`: a paragraph is cut into runs of one direction (`bidi`, UAX #9), one script and one
   face, never within a grapheme cluster.
5. `shape`: HarfBuzz shapes each run once, in units of the em; `east_asian` takes the blanks of
   full-width marks away where two meet, and parts Chinese characters and kana from Latin letters.
6. `layout`: `breaks` says where lines may end (ICU, UAX #14; BudouX for phrases), `line_cost` what
   that costs the reader, and `fit` finds the size and the lines that cost least: arithmetic over
   advances, no shaping.
   `lines` puts each line in display order, and shapes it again only where HarfBuzz calls a break
   unsafe; `stacking` sets them one below the other, as close as their ink at each place allows.
   Of boxes that are bars the height follows, and the background is the picture with its bars.
7. `paint`: small pictures of the glyphs (`glyphs`, drawn by Skia once a size) are laid on the
   picture, first the outlines of all letters, then the letters. Between runs they are `kept`.
8. `checks`: sizes, ink, contrast, the boxes of lines and words, and findings become a `proof`.
9. `encode`: a JPEG has a restart marker after each row of blocks, so that of a template's pictures
   only the rows that text touches are encoded anew.
10. `picture_writers` writes pictures, `manifest` the table of a shard's rows. When the last shard
    is done, `join` writes tables anew that lost rows, and `page` the contact sheet. `review`
    reads the tables for `memeloc proof`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memeloc.lazy_imports import lazy_package

if TYPE_CHECKING:
    from memeloc.render.proof import KINDS as KINDS
    from memeloc.render.proof import PROBLEMS as PROBLEMS
    from memeloc.render.proof import Finding as Finding
    from memeloc.render.proof import PartProof as PartProof
    from memeloc.render.proof import Proof as Proof
    from memeloc.render.renderer import Rendered as Rendered
    from memeloc.render.renderer import Renderer as Renderer

__all__, __getattr__, __dir__ = lazy_package(__name__, __file__)
