"""The tables of a workspace. In: SQLAlchemy. Out: `Table`s, as the migrations leave them.

captions, corrections and decisions, and what they stand on, are append-only: a newer row
supersedes, and triggers in the database refuse to change or delete a row (see versions/).
Timestamps are UTC in ISO 8601, texts of several parts JSON arrays, so that both databases, and
people, read them alike.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

HEAD = "0003"
"""The newest migration in versions/."""

APPEND_ONLY = ("captions", "sheets", "sheet_items", "corrections", "cases", "decisions")
"""Tables whose rows are never changed or deleted."""


def encode_parts(parts: tuple[str, ...] | list[str]) -> str:
    """Parts as a JSON array, always the same for the same parts; a lone surrogate is escaped."""
    text = json.dumps(list(parts), ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(list(parts), separators=(",", ":"))
    return text


class Parts(TypeDecorator[tuple[str, ...]]):
    """A tuple of texts, as a JSON array."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Any) -> str | None:
        """To the database."""
        return None if value is None else encode_parts(value)

    def process_result_value(self, value: Any, dialect: Any) -> tuple[str, ...] | None:
        """From the database."""
        return None if value is None else tuple(json.loads(value))


class Words(TypeDecorator[str]):
    """A text that a database can hold: what none can (NUL, lone surrogates) becomes U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """To the database."""
        if value is None:
            return None
        return (
            value.replace("\0", "\ufffd")
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
        )


class Moment(TypeDecorator[datetime]):
    """A point in time, as ISO 8601 in UTC; text order is order in time."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> str | None:
        """To the database."""
        if value is None:
            return None
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        """From the database."""
        return None if value is None else datetime.fromisoformat(value)


metadata = MetaData()

files = Table(
    "files",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("name", Words, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("rows", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("kind", "sha256", name="files_once"),
)
"""Each imported file: kind (captions, answers, memory), what it was called, rows taken from it."""

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

kind: `caption` of a meme, `transcript` of a picture, or text of a `survey`; item_id: what it was
selected or read from, see item_tables.
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
    Column("person", Words, nullable=False),
    Column("origin", Words, nullable=False),
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
    Column("person", Words, nullable=False),
    Column("format", String(20), nullable=False),
    Column("name", Words, nullable=False),
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
    Column("person", Words, nullable=False),
    Column("parts", Parts, nullable=False),
    Column("typed", Parts, nullable=False),
    Column("status", String(20), nullable=False),
    Column("comment", Words, nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("reason", Words, nullable=False),
    Column("message", Words, nullable=False),
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
    Column("reason", Words, nullable=False),
    Column("message", Words, nullable=False),
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
    Column("person", Words, nullable=False),
    Column("comment", Words, nullable=False),
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
    Column("origin", Words, nullable=False),
    Column("person", Words, nullable=False),
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
    Column("subject", Words, nullable=False),
    Column("detail", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""What else happened: a meme's template exchanged, a migration."""
