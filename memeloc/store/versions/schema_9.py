"""Labels of language models, and what people make of topics. In: schema 8. Out: schema 9."""

import sqlalchemy as sa
from alembic import op

from memeloc.store.tables.columns import refuse_changes

revision, down_revision, branch_labels, depends_on = "schema_9", "schema_8", None, None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "model_labels",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("item", sa.String(100), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("question", sa.String(100), nullable=False),
        sa.Column("taxonomy", sa.String(100), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt", sa.String(64), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("caption", sa.Text(), nullable=False),
        sa.Column("topics", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("currency", sa.String(100), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("model_labels_by_taxonomy_model", "model_labels", ["taxonomy", "model"])
    op.create_index("model_labels_by_item", "model_labels", ["item"])
    op.create_table(
        "topic_merges",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("topic", sa.String(100), nullable=False),
        sa.Column("topic_into", sa.String(100), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("topic_merges_by_topic", "topic_merges", ["topic"])
    refuse_changes(op.get_bind(), ["model_labels", "topic_merges"])
