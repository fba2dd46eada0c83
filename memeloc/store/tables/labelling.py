"""What language models answered of memes. In: names of columns. Out: their `Table`s."""

from __future__ import annotations

from memeloc.store.tables.columns import table

knowledge_answers = table(
    "knowledge_answers",
    "number item content_hash version_language step dimension recipe language model prompt status "
    "fields answer settings cost currency created_at",
    index=["step recipe model", "item"],
)
"""Each answer of a model about a dimension of a meme; the newest of the same key holds.

content_hash: of what the model was given. prompt: SHA-256 of it. fields: the answer by the names of
its form. answer: as the model wrote it.
"""


model_labels = table(
    "model_labels",
    "number item content_hash question taxonomy model prompt round seed status labels caption "
    "topics answer settings cost currency created_at",
    index=["taxonomy model", "item"],
)
"""Each answer of a model in a round of labelling; the newest of an item, content and round holds.

content_hash: of what the model was given. prompt: SHA-256 of it. labels: lists of category and
subcategory. answer: as the model wrote it.
"""

topic_merges = table(
    "topic_merges", "number topic topic_into person reason created_at", index=["topic"]
)
"""What people decided about topics that models proposed; the newest about a topic holds."""
