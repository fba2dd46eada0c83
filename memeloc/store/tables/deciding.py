"""What people decided about labels. In: names of columns. Out: their `Table`s."""

from __future__ import annotations

from memeloc.store.tables.columns import table

label_decisions = table(
    "label_decisions",
    "number survey item culture label further reason created_at",
    index=["survey item culture"],
)
"""Each decision about an item's label, or its other answers; the newest about a question holds."""

label_deciders = table(
    "label_deciders",
    "decision participant",
    key="decision participant",
)
"""Who took part in a decision, as keyed hashes."""
