"""Whole sets of pictures. In: a captions table. Out: pictures, a manifest, a page."""
