"""The tables of a workspace. In: SQLAlchemy. Out: `Table`s, as the migrations leave them."""

HEAD = "schema_1"
"""The newest migration in versions/."""

APPEND_ONLY = (
    "captions",
    "sheets",
    "sheet_items",
    "corrections",
    "cases",
    "decisions",
    "items",
    "item_versions",
    "refusals",
    "verdicts",
    "pair_sets",
    "pairs",
    "judgements",
    "selections",
    "selection_items",
    "surveys",
    "survey_batches",
    "submissions",
    "survey_participants",
    "rejected_rows",
    "survey_results",
)
"""Tables whose rows are never changed or deleted; triggers in the database refuse it."""
