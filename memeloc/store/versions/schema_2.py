"""The tables of the server for sheets. In: schema 1. Out: places, given answers, departures."""

import sqlalchemy as sa
from alembic import op

from memeloc.store.tables.columns import refuse_changes

revision, down_revision, branch_labels, depends_on = "schema_2", "schema_1", None, None


def upgrade() -> None:
    """Make the three tables."""
    op.create_table(
        "survey_places",
        sa.Column("id", sa.String(100), nullable=False),
        sa.Column("survey", sa.Text(), sa.ForeignKey("surveys.name"), nullable=False),
        sa.Column("sheet", sa.String(100), nullable=False),
        sa.Column("participant", sa.String(100), nullable=False),
        sa.Column("sex", sa.String(100), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("held_until", sa.String(32), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint(
            *("survey", "sheet", "participant"),
            name="survey_places_once_survey_sheet_participant",
        ),
    )
    op.create_table(
        "given_answers",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("place_id", sa.String(100), sa.ForeignKey("survey_places.id"), nullable=False),
        sa.Column("item", sa.String(100), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint(
            *("place_id", "item", "turn"), name="given_answers_once_place_id_item_turn"
        ),
    )
    op.create_table(
        "departures",
        sa.Column("survey", sa.Text(), sa.ForeignKey("surveys.name"), nullable=False),
        sa.Column("sheet", sa.String(100), nullable=False),
        sa.Column("outcome", sa.String(100), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("survey", "sheet", "outcome"),
    )
    refuse_changes(op.get_bind(), ["given_answers"])
