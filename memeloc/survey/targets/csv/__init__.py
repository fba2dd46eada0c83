"""Sheets as tables. In: a pack, filled tables. Out: tables, raw answers."""
