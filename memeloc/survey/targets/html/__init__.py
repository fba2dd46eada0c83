"""Sheets as web pages. In: a pack, saved JSON. Out: pages, raw answers."""
