"""The tables of what people decided about labels. In: schema 5. Out: schema 6."""

import sqlalchemy as sa
from alembic import op

from memeloc.store.tables.columns import refuse_changes

revision, down_revision, branch_labels, depends_on = "schema_6", "schema_5", None, None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "label_decisions",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("survey", sa.Text(), sa.ForeignKey("surveys.name"), nullable=False),
        sa.Column("item", sa.String(100), nullable=False),
        sa.Column("culture", sa.String(100), nullable=False),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("further", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index(
        "label_decisions_by_survey_item_culture", "label_decisions", ["survey", "item", "culture"]
    )
    op.create_table(
        "label_deciders",
        sa.Column(
            "decision", sa.Integer(), sa.ForeignKey("label_decisions.number"), nullable=False
        ),
        sa.Column("participant", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("decision", "participant"),
    )
    refuse_changes(op.get_bind(), ["label_decisions"])
    refuse_changes(op.get_bind(), ["label_deciders"], people=True)
