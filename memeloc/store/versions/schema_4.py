"""The table of memes that were dropped and taken back. In: schema 3. Out: schema 4."""

import sqlalchemy as sa
from alembic import op

from memeloc.store.tables.columns import refuse_changes

revision, down_revision, branch_labels, depends_on = "schema_4", "schema_3", None, None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "drops",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("meme_id", sa.String(100), sa.ForeignKey("memes.id"), nullable=False),
        sa.Column("language", sa.String(100), nullable=False),
        sa.Column("action", sa.String(100), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("drops_by_meme_id_language", "drops", ["meme_id", "language"])
    refuse_changes(op.get_bind(), ["drops"])
