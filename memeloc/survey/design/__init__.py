"""Batches of a survey, and what it will take."""
