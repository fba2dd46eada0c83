"""Surveys. In: a rendered parallel set. Out: sheets for annotators of many cultures, and labels."""
