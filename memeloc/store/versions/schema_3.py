"""People can be erased, and files of answers have no names. In: schema 2. Out: schema 3."""

import sqlalchemy as sa
from alembic import op

from memeloc.store.tables.columns import refuse_changes

revision, down_revision, branch_labels, depends_on = "schema_3", "schema_2", None, None

_OF_PEOPLE = (
    "submissions",
    "survey_participants",
    "rejected_rows",
    "survey_results",
    "given_answers",
)


def upgrade() -> None:
    """Add the tables of erasures; let them, and nothing else, delete rows of people."""
    op.create_table(
        "erasures",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("counts", sa.Text),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_table("erased_people", sa.Column("token", sa.String(64), primary_key=True))
    for name in _OF_PEOPLE:
        if op.get_bind().dialect.name == "sqlite":
            op.execute(f"DROP TRIGGER {name}_no_update")
            op.execute(f"DROP TRIGGER {name}_no_delete")
        else:
            op.execute(f"DROP TRIGGER {name}_keep ON {name}")
    op.add_column(
        "rejected_rows",
        sa.Column("participant", sa.String(100), nullable=False, server_default=""),
    )
    refuse_changes(op.get_bind(), ["erased_people"])
    refuse_changes(op.get_bind(), _OF_PEOPLE, people=True)
    # A name of a file of answers is often its participant's id.
    op.execute("UPDATE files SET name = '' WHERE kind = 'submissions'")
