"""What models found in memes. In: names of columns. Out: its `Table`."""

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
