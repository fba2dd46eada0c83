"""Surveys; people are known by keyed hashes. In: names of columns. Out: their `Table`s."""

from __future__ import annotations

from memeloc.store.tables.types import table

surveys = table("surveys", "name design created_at", key="name")
"""Each survey, and how it was designed."""

survey_batches = table(
    "survey_batches", "survey id round position slots cultures answers created_at", key="survey id"
)
"""The batches of each round."""

survey_states = table(
    "survey_states",
    "survey target key value created_at",
    key="survey target key",
    append_only=False,
)
"""What a service made of a sheet: ids of forms, questions and studies."""

submissions = table(
    "submissions",
    "number survey id sheet participant source status code started submitted answers presented "
    "hash file_id row created_at",
    optional="started submitted presented",
    unique=["survey hash"],
    index=["survey sheet"],
)
"""What annotators sent; of several of one person for one sheet the latest holds."""

survey_participants = table(
    "survey_participants",
    "number survey participant study submission status seconds facts details hash file_id "
    "created_at",
    optional="seconds",
    unique=["survey hash"],
)
"""What a recruitment service reports of people; the newest row of a person and study holds."""

rejected_rows = table(
    "rejected_rows",
    "number survey file_id row participant reason message content hash created_at",
    unique=["survey hash"],
)
"""Rows that could not be resolved and why, as far as they can be kept without naming anybody.

participant: empty where the row does not say whose it is.
"""

survey_results = table(
    "survey_results",
    "number survey kind settings result created_at",
    index=["survey kind"],
    people=True,
)
"""Each `check` (rules and report) and each settling (`labels`); the newest of a kind holds."""


label_decisions = table(
    "label_decisions",
    "number survey item culture label further reason created_at",
    index=["survey item culture"],
)
"""Each decision about an item's label, or its other answers; the newest about a question holds."""

label_deciders = table("label_deciders", "decision participant", key="decision participant")
"""Who took part in a decision, as keyed hashes."""


survey_places = table(
    "survey_places",
    "id survey sheet participant sex origin status held_until presented created_at",
    key="id",
    optional="origin presented",
    unique=["survey sheet participant"],
    append_only=False,
)
"""Who has a place in which sheet; status: `open`, or how the person came to the sheet's end;
presented: as of `Submission`, NULL before the person has agreed to take part."""

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


erasures = table("erasures", "number counts created_at", optional="counts", append_only=False)
"""A receipt of each erasure, which names nobody: how many rows it deleted, by table.

Its counts are NULL while it is under way: then, and only then, the tables with people in them let
go of rows.
"""

erased_people = table("erased_people", "token", key="token")
"""A token for each person who was erased, so that no file brings them back."""
