"""Tables of collecting, curating and models' answers. In: names of columns. Out: `Table`s.

Collecting again adds versions, judging again adds verdicts, choosing again adds a selection, and
the newest holds.
"""

from __future__ import annotations

from memeloc.store.tables.types import table

pictures = table(
    "pictures", "sha256 format width height size created_at", key="sha256", append_only=False
)
"""The pictures in images/, by the SHA-256 of their bytes."""

items = table("items", "number id source kind key key_hash created_at", unique=["id", "key_hash"])
"""What was collected, numbered in the order in which it came; key_hash is of source, kind, key."""

datasets = table("datasets", "id source name root created_at", index=["source name"])
"""Where each dataset of a source was collected from; the newest root of a name holds.

A root within the workspace's folder is relative to it.
"""

item_datasets = table(
    "item_datasets", "item_id dataset key_hash created_at", key="item_id", unique=["key_hash"]
)
"""The dataset of each item that has one; key_hash is of dataset, source, kind, key."""

item_versions = table(
    "item_versions",
    "id item_id version name parent_hash parts language content picture url terms fetched_at "
    "created_at",
    optional="picture fetched_at",
    unique=["item_id version"],
)
"""Each item as it was each time it differed; parent_hash is the key_hash of its template."""

refusals = table("refusals", "id source url reason sentence hash created_at", unique=["hash"])
"""What was not taken, and why."""

features = table(
    "features", "name sha256 value created_at", key="name sha256", append_only=False, cached=True
)
"""What was computed of a picture once; the name says how, and by which version."""

verdicts = table(
    "verdicts",
    "id item_id filter verdict score reason evidence settings content_hash created_at",
    optional="score",
    index=["item_id filter", "filter"],
)
"""What filters decided about items; the newest of an item, filter and content holds.

content_hash, here and below: of what was judged, see `memeloc.items.content_hash`; what is about
another content than an item has now does not count.
"""

pair_sets = table("pair_sets", "id settings created_at")
"""Each time duplicates were looked for; the pairs of the newest hold."""

pairs = table(
    "pairs",
    "set_id first second stage outcome scores reason content_hash",
    key="set_id first second",
)
"""Two items that are duplicates, or that a person has to look at."""

judgements = table(
    "judgements",
    "id file_id row subject question person answer comment content_hash created_at",
    unique=["file_id row subject question"],
    index=["question subject"],
)
"""What people answered about an item or a pair (`a|b`); a person's newest of a content holds."""

model_answers = table("model_answers", "hash value created_at", key="hash", append_only=False)
"""What language models answered, by the hash of all that they were asked."""

selections = table("selections", "id settings funnel created_at")
"""Each time captions were chosen; the newest holds."""

selection_items = table("selection_items", "selection_id item_id", key="selection_id item_id")
"""What was chosen."""

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
