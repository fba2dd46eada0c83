"""Sections of the report. In: what was scored. Out: a `Section` of `memeloc.reports` each."""
