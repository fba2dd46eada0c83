"""Surveys; people are known by keyed hashes. In: SQLAlchemy. Out: their `Table`s."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, String, Table, UniqueConstraint

from memeloc.store.tables.captions import metadata
from memeloc.store.tables.types import Json, Moment, SafeText

surveys = Table(
    "surveys",
    metadata,
    Column("name", String(60), primary_key=True),
    Column("design", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""Each survey, and how it was designed."""

survey_batches = Table(
    "survey_batches",
    metadata,
    Column("survey", String(60), ForeignKey("surveys.name"), primary_key=True),
    Column("id", String(40), primary_key=True),
    Column("round", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("slots", Json, nullable=False),
    Column("cultures", Json, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""The batches of each round."""

survey_states = Table(
    "survey_states",
    metadata,
    Column("survey", String(60), ForeignKey("surveys.name"), primary_key=True),
    Column("target", String(60), primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("value", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""What a service made of a sheet: ids of forms, questions and studies."""

submissions = Table(
    "submissions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("survey", String(60), ForeignKey("surveys.name"), nullable=False),
    Column("id", String(64), nullable=False),
    Column("sheet", String(60), nullable=False),
    Column("participant", String(64), nullable=False),
    Column("source", String(40), nullable=False),
    Column("status", String(40), nullable=False),
    Column("code", SafeText, nullable=False),
    Column("started_at", Moment),
    Column("submitted_at", Moment),
    Column("answers", Json, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("file_id", Integer, ForeignKey("files.id"), nullable=False),
    Column("row", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("survey", "hash", name="submission_once"),
    Index("submissions_by_sheet", "survey", "sheet"),
)
"""What annotators sent; of several of one person for one sheet the latest holds."""

survey_participants = Table(
    "survey_participants",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("survey", String(60), ForeignKey("surveys.name"), nullable=False),
    Column("participant", String(64), nullable=False),
    Column("study", SafeText, nullable=False),
    Column("submission", String(64), nullable=False),
    Column("status", String(40), nullable=False),
    Column("seconds", Float),
    Column("facts", Json, nullable=False),
    Column("details", Json, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("file_id", Integer, ForeignKey("files.id"), nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("survey", "hash", name="survey_participant_once"),
)
"""What a recruitment service says of people; the newest row of a person and study holds."""

rejected_rows = Table(
    "rejected_rows",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("survey", String(60), ForeignKey("surveys.name"), nullable=False),
    Column("file_id", Integer, ForeignKey("files.id"), nullable=False),
    Column("row", Integer, nullable=False),
    Column("reason", String(100), nullable=False),
    Column("message", SafeText, nullable=False),
    Column("content", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
)
"""Rows that could not be resolved, whole, and why."""

survey_results = Table(
    "survey_results",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("survey", String(60), ForeignKey("surveys.name"), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("settings", Json, nullable=False),
    Column("result", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index("survey_results_by_kind", "survey", "kind"),
)
"""Each `check` (rules and report) and each settling (`labels`); the newest of a kind holds."""
