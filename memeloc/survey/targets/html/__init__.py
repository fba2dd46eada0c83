"""Sheets as web pages. In: sheets, saved JSON. Out: pages, raw answers."""
