"""What models found in memes. In: schema 9. Out: schema 10."""

import sqlalchemy as sa
from alembic import op

from memeloc.store.tables.columns import refuse_changes

revision, down_revision, branch_labels, depends_on = "schema_10", "schema_9", None, None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "knowledge_answers",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("item", sa.String(100), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("version_language", sa.String(100), nullable=False),
        sa.Column("step", sa.String(100), nullable=False),
        sa.Column("dimension", sa.String(100), nullable=False),
        sa.Column("recipe", sa.String(100), nullable=False),
        sa.Column("language", sa.String(100), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt", sa.String(64), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("currency", sa.String(100), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index(
        "knowledge_answers_by_step_recipe_model", "knowledge_answers", ["step", "recipe", "model"]
    )
    op.create_index("knowledge_answers_by_item", "knowledge_answers", ["item"])
    refuse_changes(op.get_bind(), ["knowledge_answers"])
