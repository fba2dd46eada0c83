"""Surveys. In: the second schema. Out: surveys, batches, submissions, checks and labels."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

APPEND_ONLY = (
    "surveys",
    "survey_batches",
    "submissions",
    "survey_participants",
    "unplaced_answers",
    "survey_checks",
    "survey_labels",
)


def _number() -> sa.Column[int]:
    return sa.Column("number", sa.Integer, primary_key=True)


def _text(name: str, size: int | None = None, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(size) if size else sa.Text, nullable=nullable)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _survey(*, primary: bool = False) -> sa.Column[str]:
    return sa.Column(
        "survey",
        sa.String(60),
        sa.ForeignKey("surveys.name"),
        nullable=False,
        primary_key=primary,
    )


def _file() -> sa.Column[int]:
    return sa.Column("file_id", sa.Integer, sa.ForeignKey("files.id"), nullable=False)


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "surveys",
        sa.Column("name", sa.String(60), primary_key=True),
        _text("design"),
        _text("created_at", 32),
    )
    op.create_table(
        "survey_batches",
        _survey(primary=True),
        sa.Column("id", sa.String(40), primary_key=True),
        _count("round"),
        _count("position"),
        _text("slots"),
        _text("cultures"),
        _count("answers"),
        _text("created_at", 32),
    )
    op.create_table(
        "survey_states",
        _survey(primary=True),
        sa.Column("target", sa.String(60), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        _text("value"),
        _text("created_at", 32),
    )
    op.create_table(
        "submissions",
        _number(),
        _survey(),
        _text("id", 64),
        _text("sheet", 60),
        _text("participant", 64),
        _text("source", 40),
        _text("status", 40),
        _text("code"),
        _text("started_at", 32, nullable=True),
        _text("submitted_at", 32, nullable=True),
        _text("answers"),
        _text("hash", 64),
        _file(),
        _count("row"),
        _text("created_at", 32),
        sa.UniqueConstraint("survey", "hash", name="submission_once"),
    )
    op.create_index("submissions_by_sheet", "submissions", ["survey", "sheet"])
    op.create_table(
        "survey_participants",
        _number(),
        _survey(),
        _text("participant", 64),
        _text("study"),
        _text("submission", 64),
        _text("status", 40),
        sa.Column("seconds", sa.Float, nullable=True),
        _text("facts"),
        _text("details"),
        _text("hash", 64),
        _file(),
        _text("created_at", 32),
        sa.UniqueConstraint("survey", "hash", name="survey_participant_once"),
    )
    op.create_table(
        "unplaced_answers",
        _number(),
        _survey(),
        _file(),
        _count("row"),
        _text("reason", 100),
        _text("message"),
        _text("content"),
        _text("created_at", 32),
    )
    op.create_table(
        "survey_checks",
        _number(),
        _survey(),
        _text("rules"),
        _text("report"),
        _text("created_at", 32),
    )
    op.create_table(
        "survey_labels",
        _number(),
        _survey(),
        _text("settings"),
        _text("labels"),
        _text("created_at", 32),
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
    """What people answered is not thrown away."""
    raise NotImplementedError("A workspace is not taken back to an earlier schema.")
