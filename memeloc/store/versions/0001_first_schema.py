"""The first schema. In: an empty database. Out: all tables, and triggers that keep what is said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

APPEND_ONLY = ("captions", "sheets", "sheet_items", "corrections", "cases", "decisions")


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _text(name: str, size: int | None = None) -> sa.Column[str]:
    return sa.Column(name, sa.String(size) if size else sa.Text, nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _link(name: str, target: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(target), nullable=nullable)


def _meme() -> sa.Column[str]:
    return sa.Column("meme_id", sa.String(100), sa.ForeignKey("memes.id"), nullable=False)


def upgrade() -> None:
    """Make all tables of an empty database."""
    op.create_table(
        "files",
        _id(),
        _text("kind", 20),
        _text("name"),
        _text("sha256", 64),
        _number("rows"),
        _text("created_at", 32),
        sa.UniqueConstraint("kind", "sha256", name="files_once"),
    )
    op.create_table(
        "memes",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(100), nullable=False, unique=True),
        _text("template", 100),
        _text("source_language", 40),
        _link("file_id", "files.id", nullable=True),
        _text("created_at", 32),
    )
    op.create_table(
        "captions",
        _id(),
        _meme(),
        _text("language", 40),
        _number("version"),
        _text("parts"),
        _text("stage", 20),
        _number("round"),
        _text("person"),
        _text("origin"),
        _text("translator", 100),
        _link("source_id", "captions.id", nullable=True),
        _text("marks"),
        _number("characters"),
        sa.Column("cost", sa.Float, nullable=False),
        _text("currency", 10),
        _text("created_at", 32),
        sa.UniqueConstraint("meme_id", "language", "version", name="captions_version_once"),
    )
    op.create_index("captions_by_source", "captions", ["source_id"])
    op.create_table(
        "sheets",
        sa.Column("id", sa.String(40), primary_key=True),
        _text("kind", 20),
        _text("language", 40),
        _text("source_language", 40),
        _number("round"),
        _text("person"),
        _text("format", 20),
        _text("name"),
        _text("created_at", 32),
    )
    op.create_index("sheets_by_language", "sheets", ["language", "round"])
    op.create_table(
        "sheet_items",
        sa.Column("sheet_id", sa.String(40), sa.ForeignKey("sheets.id"), primary_key=True),
        sa.Column("meme_id", sa.String(100), sa.ForeignKey("memes.id"), primary_key=True),
        _number("position"),
        _link("source_id", "captions.id"),
        _link("base_id", "captions.id"),
    )
    op.create_table(
        "corrections",
        _id(),
        _link("file_id", "files.id"),
        _number("row"),
        sa.Column("sheet_id", sa.String(40), sa.ForeignKey("sheets.id"), nullable=False),
        _meme(),
        _text("language", 40),
        _number("round"),
        _text("person"),
        _text("parts"),
        _text("typed"),
        _text("status", 20),
        _text("comment"),
        _text("outcome", 20),
        _text("reason"),
        _text("message"),
        _link("caption_id", "captions.id", nullable=True),
        _text("created_at", 32),
        sa.UniqueConstraint("file_id", "row", "meme_id", name="corrections_once"),
    )
    op.create_index("corrections_by_meme", "corrections", ["meme_id", "language", "round"])
    op.create_table(
        "cases",
        _id(),
        _meme(),
        _text("language", 40),
        _number("round"),
        _text("reason"),
        _text("message"),
        sa.Column(
            "correction_id",
            sa.Integer,
            sa.ForeignKey("corrections.id"),
            nullable=False,
            unique=True,
        ),
        _text("created_at", 32),
    )
    op.create_index("cases_by_meme", "cases", ["meme_id", "language"])
    op.create_table(
        "decisions",
        _id(),
        _link("case_id", "cases.id"),
        _text("action", 20),
        _link("correction_id", "corrections.id", nullable=True),
        _text("parts"),
        _text("person"),
        _text("comment"),
        _link("caption_id", "captions.id", nullable=True),
        _text("created_at", 32),
    )
    op.create_index("decisions_by_case", "decisions", ["case_id"])
    op.create_table(
        "memory_units",
        _id(),
        sa.Column("key", sa.String(64), nullable=False, unique=True),
        _text("source_language", 40),
        _text("language", 40),
        _text("source"),
        _text("target"),
        _text("origin"),
        _text("person"),
        _link("file_id", "files.id", nullable=True),
        _text("created_at", 32),
    )
    op.create_index("memory_by_languages", "memory_units", ["source_language", "language"])
    op.create_table(
        "events",
        _id(),
        _text("kind", 40),
        _text("subject"),
        _text("detail"),
        _text("created_at", 32),
    )
    _keep(op.get_bind().dialect.name)


def _keep(dialect: str) -> None:
    """Let the database itself refuse to change or delete what was said once."""
    sentence = "is append-only: its rows are never changed or deleted, a newer row supersedes"
    if dialect == "sqlite":
        for table in APPEND_ONLY:
            for action in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} {sentence}'); END"
                )
        return
    op.execute(
        "CREATE FUNCTION memeloc_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION '% {sentence}', TG_TABLE_NAME; END $$"
    )
    for table in APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION memeloc_append_only()"
        )


def downgrade() -> None:
    """There is nothing before the first schema."""
    raise NotImplementedError("A workspace is not taken back to nothing.")
