"""What is collected. In: the first schema. Out: items, verdicts, judgements and selections.

Memes get a kind (a caption to translate, a transcript of a picture, a text of a survey), and those
that were selected from what was collected know their item.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

APPEND_ONLY = (
    "items",
    "item_versions",
    "refusals",
    "verdicts",
    "pair_sets",
    "pairs",
    "judgements",
    "selections",
    "selection_items",
)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _text(name: str, size: int | None = None, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(size) if size else sa.Text, nullable=nullable)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _item(name: str = "item_id", *, primary: bool = False) -> sa.Column[str]:
    return sa.Column(
        name, sa.String(100), sa.ForeignKey("items.id"), nullable=False, primary_key=primary
    )


def upgrade() -> None:
    """Add the tables, and the columns of memes."""
    op.add_column(
        "memes", sa.Column("kind", sa.String(20), nullable=False, server_default="caption")
    )
    op.add_column("memes", sa.Column("item_id", sa.String(100), nullable=True))
    op.create_table(
        "pictures",
        sa.Column("sha256", sa.String(64), primary_key=True),
        _text("format", 10),
        _number("width"),
        _number("height"),
        _number("size"),
        _text("created_at", 32),
    )
    op.create_table(
        "items",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(100), nullable=False, unique=True),
        _text("source", 60),
        _text("kind", 20),
        _text("key"),
        sa.Column("key_hash", sa.String(64), nullable=False, unique=True),
        _text("created_at", 32),
    )
    op.create_table(
        "item_versions",
        _id(),
        _item(),
        _number("version"),
        _text("name"),
        _text("parent_hash", 64),
        _text("parts"),
        _text("language", 40),
        _text("content"),
        sa.Column("picture", sa.String(64), sa.ForeignKey("pictures.sha256"), nullable=True),
        _text("url"),
        _text("terms"),
        _text("fetched_at", 32, nullable=True),
        _text("created_at", 32),
        sa.UniqueConstraint("item_id", "version", name="item_version_once"),
    )
    op.create_table(
        "refusals",
        _id(),
        _text("source", 60),
        _text("url"),
        _text("reason", 100),
        _text("sentence"),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        _text("created_at", 32),
    )
    op.create_table(
        "features",
        sa.Column("name", sa.String(60), primary_key=True),
        sa.Column("picture", sa.String(64), primary_key=True),
        _text("value"),
        _text("created_at", 32),
    )
    op.create_table(
        "verdicts",
        _id(),
        _item(),
        _text("filter", 60),
        _text("verdict", 10),
        sa.Column("score", sa.Float, nullable=True),
        _text("reason"),
        _text("evidence"),
        _text("settings", 64),
        _text("created_at", 32),
    )
    op.create_index("verdicts_by_item", "verdicts", ["item_id", "filter"])
    op.create_index("verdicts_by_filter", "verdicts", ["filter"])
    op.create_table("pair_sets", _id(), _text("settings"), _text("created_at", 32))
    op.create_table(
        "pairs",
        sa.Column("set_id", sa.Integer, sa.ForeignKey("pair_sets.id"), primary_key=True),
        _item("first", primary=True),
        _item("second", primary=True),
        _text("stage", 20),
        _text("outcome", 20),
        _text("scores"),
        _text("reason"),
    )
    op.create_table(
        "judgements",
        _id(),
        sa.Column("file_id", sa.Integer, sa.ForeignKey("files.id"), nullable=False),
        _number("row"),
        _text("subject", 201),
        _text("question", 60),
        _text("person"),
        _text("answer"),
        _text("comment"),
        _text("created_at", 32),
        sa.UniqueConstraint("file_id", "row", "subject", "question", name="judgements_once"),
    )
    op.create_index("judgements_by_question", "judgements", ["question", "subject"])
    op.create_table(
        "model_answers",
        sa.Column("key", sa.String(64), primary_key=True),
        _text("value"),
        _text("created_at", 32),
    )
    op.create_table(
        "selections", _id(), _text("settings"), _text("funnel"), _text("created_at", 32)
    )
    op.create_table(
        "selection_items",
        sa.Column("selection_id", sa.Integer, sa.ForeignKey("selections.id"), primary_key=True),
        _item(primary=True),
    )
    _keep(op.get_bind().dialect.name)


def _keep(dialect: str) -> None:
    """Let the database itself refuse to change or delete what was said once."""
    sentence = "is append-only: its rows are never changed or deleted, a newer row supersedes"
    for table in APPEND_ONLY:
        if dialect == "sqlite":
            for action in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} {sentence}'); END"
                )
        else:
            op.execute(
                f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION memeloc_append_only()"
            )


def downgrade() -> None:
    """What was collected is not thrown away."""
    raise NotImplementedError("A workspace is not taken back to an earlier schema.")
