"""Painting text. In: lines of placed glyphs. Out: the picture's pixels, changed in place."""
