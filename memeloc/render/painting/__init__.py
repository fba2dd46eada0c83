"""Lines of placed glyphs in, pixels out: glyphs drawn once a size, laid together and blended."""
