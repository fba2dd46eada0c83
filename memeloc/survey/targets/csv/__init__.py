"""Sheets as tables."""
