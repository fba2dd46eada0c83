"""Qualtrics, by its survey format."""
