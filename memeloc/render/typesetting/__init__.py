"""A part's text in, lines of placed glyphs out: cleaned, itemised, shaped, broken, stacked."""
