"""What made translations, what failed ones cost, who works on which. In: schema 6. Out: 7."""

import sqlalchemy as sa
from alembic import op

from memeloc.store.tables.columns import refuse_changes

revision, down_revision, branch_labels, depends_on = "schema_7", "schema_6", None, None


def upgrade() -> None:
    """Add the column and make the tables."""
    op.add_column("captions", sa.Column("provenance", sa.Text()))
    op.create_table(
        "translation_failures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("meme_id", sa.String(100), sa.ForeignKey("memes.id"), nullable=False),
        sa.Column("language", sa.String(100), nullable=False),
        sa.Column("translator", sa.String(100), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("currency", sa.String(100), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "translation_claims",
        sa.Column("meme_id", sa.String(100), sa.ForeignKey("memes.id"), nullable=False),
        sa.Column("language", sa.String(100), nullable=False),
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("held_until", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("meme_id", "language"),
    )
    refuse_changes(op.get_bind(), ["translation_failures"])
