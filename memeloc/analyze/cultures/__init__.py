"""Answers and agreement of cultures. In: `Answers`. Out: rows of figures.

Intervals are over items and people (`memeloc.statistics.two_way`); whether cultures differ is
tested with people permuted between them (`memeloc.statistics.two_way`).
"""
