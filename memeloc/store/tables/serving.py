"""Sheets that the server shows. In: names of columns. Out: their `Table`s.

People are known by keyed hashes.
"""

from __future__ import annotations

from memeloc.store.tables.columns import table

survey_places = table(
    "survey_places",
    "id survey sheet participant sex status held_until created_at",
    key="id",
    unique=["survey sheet participant"],
    append_only=False,
)
"""Who has a place in which sheet; status: `open`, or how the person came to the sheet's end."""

given_answers = table(
    "given_answers",
    "number place_id item turn value created_at",
    unique=["place_id item turn"],
    people=True,
)
"""Each answer as it was given; of several to an item the one with the highest turn holds."""

departures = table(
    "departures",
    "survey sheet outcome people created_at",
    key="survey sheet outcome",
    append_only=False,
)
"""How many declined, or left before their first answer: all that is kept of them."""
