"""Captions and what people made of them. In: SQLAlchemy. Out: their `Table`s.

captions, corrections and decisions, and what they stand on, are append-only: a newer row
supersedes.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

from memeloc.store.tables.types import Moment, Parts, SafeText

metadata = MetaData()

files = Table(
    "files",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("name", SafeText, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("rows", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("kind", "sha256", name="files_once"),
)
"""Each imported file: kind (captions, answers, memory, ...), its name, rows taken from it."""

memes = Table(
    "memes",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(100), nullable=False, unique=True),
    Column("template", String(100), nullable=False),
    Column("source_language", String(40), nullable=False),
    Column("file_id", Integer, ForeignKey("files.id")),
    Column("created_at", Moment, nullable=False),
    Column("kind", String(20), nullable=False, server_default="caption"),
    Column("item_id", String(100)),
)
"""The texts that people work on, numbered in the order in which they came.

kind: `caption` of a meme, `transcript` of a picture, or text of a `survey`; item_id: the item it
was selected or read from.
"""

captions = Table(
    "captions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("meme_id", String(100), ForeignKey("memes.id"), nullable=False),
    Column("language", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("parts", Parts, nullable=False),
    Column("stage", String(20), nullable=False),
    Column("round", Integer, nullable=False),
    Column("person", SafeText, nullable=False),
    Column("origin", SafeText, nullable=False),
    Column("translator", String(100), nullable=False),
    Column("source_id", Integer, ForeignKey("captions.id")),
    Column("marks", Parts, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("cost", Float, nullable=False),
    Column("currency", String(10), nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("meme_id", "language", "version", name="captions_version_once"),
    Index("captions_by_source", "source_id"),
)
"""Every version of every caption; the highest version of a meme and language is the current one."""

sheets = Table(
    "sheets",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("language", String(40), nullable=False),
    Column("source_language", String(40), nullable=False),
    Column("round", Integer, nullable=False),
    Column("person", SafeText, nullable=False),
    Column("format", String(20), nullable=False),
    Column("name", SafeText, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index("sheets_by_language", "language", "round"),
)
"""What was sent to whom."""

sheet_items = Table(
    "sheet_items",
    metadata,
    Column("sheet_id", String(40), ForeignKey("sheets.id"), primary_key=True),
    Column("meme_id", String(100), ForeignKey("memes.id"), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("source_id", Integer, ForeignKey("captions.id"), nullable=False),
    Column("base_id", Integer, ForeignKey("captions.id"), nullable=False),
)
"""The versions of source and text to be corrected that a sheet showed."""

corrections = Table(
    "corrections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("file_id", Integer, ForeignKey("files.id"), nullable=False),
    Column("row", Integer, nullable=False),
    Column("sheet_id", String(40), ForeignKey("sheets.id"), nullable=False),
    Column("meme_id", String(100), ForeignKey("memes.id"), nullable=False),
    Column("language", String(40), nullable=False),
    Column("round", Integer, nullable=False),
    Column("person", SafeText, nullable=False),
    Column("parts", Parts, nullable=False),
    Column("typed", Parts, nullable=False),
    Column("status", String(20), nullable=False),
    Column("comment", SafeText, nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("reason", SafeText, nullable=False),
    Column("message", SafeText, nullable=False),
    Column("caption_id", Integer, ForeignKey("captions.id")),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("file_id", "row", "meme_id", name="corrections_once"),
    Index("corrections_by_meme", "meme_id", "language", "round"),
)
"""What a person answered (`typed` as it stood in the file, `parts` the text it stands for)."""

cases = Table(
    "cases",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("meme_id", String(100), ForeignKey("memes.id"), nullable=False),
    Column("language", String(40), nullable=False),
    Column("round", Integer, nullable=False),
    Column("reason", SafeText, nullable=False),
    Column("message", SafeText, nullable=False),
    Column("correction_id", Integer, ForeignKey("corrections.id"), nullable=False, unique=True),
    Column("created_at", Moment, nullable=False),
    Index("cases_by_meme", "meme_id", "language"),
)
"""What is left for somebody to settle; open until a decision names it."""

decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("case_id", Integer, ForeignKey("cases.id"), nullable=False),
    Column("action", String(20), nullable=False),
    Column("correction_id", Integer, ForeignKey("corrections.id")),
    Column("parts", Parts, nullable=False),
    Column("person", SafeText, nullable=False),
    Column("comment", SafeText, nullable=False),
    Column("caption_id", Integer, ForeignKey("captions.id")),
    Column("created_at", Moment, nullable=False),
    Index("decisions_by_case", "case_id"),
)
"""How a case was settled; the newest decision of a case holds."""

memory_units = Table(
    "memory_units",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("source_language", String(40), nullable=False),
    Column("language", String(40), nullable=False),
    Column("source", Parts, nullable=False),
    Column("target", Parts, nullable=False),
    Column("origin", SafeText, nullable=False),
    Column("person", SafeText, nullable=False),
    Column("file_id", Integer, ForeignKey("files.id")),
    Column("created_at", Moment, nullable=False),
    Index("memory_by_languages", "source_language", "language"),
)
"""Translation memory from outside, such as TMX. What was corrected here is memory as it stands."""

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("subject", SafeText, nullable=False),
    Column("detail", SafeText, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""What else happened: a meme's template exchanged, a migration."""
