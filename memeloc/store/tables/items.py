"""What was collected and curated. In: SQLAlchemy. Out: its `Table`s.

Collecting again adds versions, judging again adds verdicts, choosing again adds a selection, and
the newest holds.
"""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, String, Table, UniqueConstraint

from memeloc.store.tables.captions import metadata
from memeloc.store.tables.types import Json, Moment, Parts, SafeText

pictures = Table(
    "pictures",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("format", String(10), nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""The pictures in images/, by the SHA-256 of their bytes."""

items = Table(
    "items",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(100), nullable=False, unique=True),
    Column("source", String(60), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("key", SafeText, nullable=False),
    Column("key_hash", String(64), nullable=False, unique=True),
    Column("created_at", Moment, nullable=False),
)
"""What was collected, numbered in the order in which it came; key_hash is of source, kind, key."""

item_versions = Table(
    "item_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", String(100), ForeignKey("items.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("name", SafeText, nullable=False),
    Column("parent_hash", String(64), nullable=False),
    Column("parts", Parts, nullable=False),
    Column("language", String(40), nullable=False),
    Column("content", Json, nullable=False),
    Column("picture", String(64), ForeignKey("pictures.sha256")),
    Column("url", SafeText, nullable=False),
    Column("terms", SafeText, nullable=False),
    Column("fetched_at", Moment),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("item_id", "version", name="item_version_once"),
)
"""Each item as it was each time it differed; parent_hash is the key_hash of its template."""

refusals = Table(
    "refusals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("source", String(60), nullable=False),
    Column("url", SafeText, nullable=False),
    Column("reason", String(100), nullable=False),
    Column("sentence", SafeText, nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created_at", Moment, nullable=False),
)
"""What was not taken, and why."""

features = Table(
    "features",
    metadata,
    Column("name", String(60), primary_key=True),
    Column("picture", String(64), primary_key=True),
    Column("value", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""What was computed of a picture once; the name says how, and by which version."""

verdicts = Table(
    "verdicts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", String(100), ForeignKey("items.id"), nullable=False),
    Column("filter", String(60), nullable=False),
    Column("verdict", String(10), nullable=False),
    Column("score", Float),
    Column("reason", SafeText, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("settings", String(64), nullable=False),
    Column("created_at", Moment, nullable=False),
    Index("verdicts_by_item", "item_id", "filter"),
    Index("verdicts_by_filter", "filter"),
)
"""What filters said of items; the newest of an item and filter holds."""

pair_sets = Table(
    "pair_sets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("settings", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""Each time duplicates were looked for; the pairs of the newest hold."""

pairs = Table(
    "pairs",
    metadata,
    Column("set_id", Integer, ForeignKey("pair_sets.id"), primary_key=True),
    Column("first", String(100), ForeignKey("items.id"), primary_key=True),
    Column("second", String(100), ForeignKey("items.id"), primary_key=True),
    Column("stage", String(20), nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("scores", Json, nullable=False),
    Column("reason", SafeText, nullable=False),
)
"""Two items that are duplicates, or that a person has to look at."""

judgements = Table(
    "judgements",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("file_id", Integer, ForeignKey("files.id"), nullable=False),
    Column("row", Integer, nullable=False),
    Column("subject", String(201), nullable=False),
    Column("question", String(60), nullable=False),
    Column("person", SafeText, nullable=False),
    Column("answer", SafeText, nullable=False),
    Column("comment", SafeText, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("file_id", "row", "subject", "question", name="judgements_once"),
    Index("judgements_by_question", "question", "subject"),
)
"""What people answered about an item or a pair (`a|b`); the newest of a person holds."""

model_answers = Table(
    "model_answers",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", SafeText, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""What language models answered, by the hash of all that they were asked."""

selections = Table(
    "selections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("settings", Json, nullable=False),
    Column("funnel", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""Each time captions were chosen; the newest holds."""

selection_items = Table(
    "selection_items",
    metadata,
    Column("selection_id", Integer, ForeignKey("selections.id"), primary_key=True),
    Column("item_id", String(100), ForeignKey("items.id"), primary_key=True),
)
"""What was chosen."""
