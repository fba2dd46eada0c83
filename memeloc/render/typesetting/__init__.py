"""Setting text. In: a part's text, its box. Out: its size, and lines of placed glyphs."""
