"""Prolific."""
