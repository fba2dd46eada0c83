"""The first schema. In: an empty database. Out: all tables; triggers keep append-only rows."""

from __future__ import annotations

from alembic import op

revision = "schema_1"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE events (
    id {serial}, kind VARCHAR(40) NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL,
    created_at VARCHAR(32) NOT NULL
);
CREATE TABLE features (
    name VARCHAR(60) NOT NULL, picture VARCHAR(64) NOT NULL, value TEXT NOT NULL,
    created_at VARCHAR(32) NOT NULL, PRIMARY KEY (name, picture)
);
CREATE TABLE files (
    id {serial}, kind VARCHAR(20) NOT NULL, name TEXT NOT NULL, sha256 VARCHAR(64) NOT NULL,
    rows INTEGER NOT NULL, created_at VARCHAR(32) NOT NULL,
    CONSTRAINT files_once UNIQUE (kind, sha256)
);
CREATE TABLE items (
    number {serial}, id VARCHAR(100) NOT NULL, source VARCHAR(60) NOT NULL,
    kind VARCHAR(20) NOT NULL, key TEXT NOT NULL, key_hash VARCHAR(64) NOT NULL,
    created_at VARCHAR(32) NOT NULL, UNIQUE (id), UNIQUE (key_hash)
);
CREATE TABLE model_answers (
    key VARCHAR(64) NOT NULL PRIMARY KEY, value TEXT NOT NULL, created_at VARCHAR(32) NOT NULL
);
CREATE TABLE pair_sets (
    id {serial}, settings TEXT NOT NULL, created_at VARCHAR(32) NOT NULL
);
CREATE TABLE pictures (
    sha256 VARCHAR(64) NOT NULL PRIMARY KEY, format VARCHAR(10) NOT NULL,
    width INTEGER NOT NULL, height INTEGER NOT NULL, size INTEGER NOT NULL,
    created_at VARCHAR(32) NOT NULL
);
CREATE TABLE refusals (
    id {serial}, source VARCHAR(60) NOT NULL, url TEXT NOT NULL, reason VARCHAR(100) NOT NULL,
    sentence TEXT NOT NULL, hash VARCHAR(64) NOT NULL, created_at VARCHAR(32) NOT NULL,
    UNIQUE (hash)
);
CREATE TABLE selections (
    id {serial}, settings TEXT NOT NULL, funnel TEXT NOT NULL, created_at VARCHAR(32) NOT NULL
);
CREATE TABLE sheets (
    id VARCHAR(40) NOT NULL PRIMARY KEY, kind VARCHAR(20) NOT NULL,
    language VARCHAR(40) NOT NULL, source_language VARCHAR(40) NOT NULL, round INTEGER NOT NULL,
    person TEXT NOT NULL, format VARCHAR(20) NOT NULL, name TEXT NOT NULL,
    created_at VARCHAR(32) NOT NULL
);
CREATE INDEX sheets_by_language ON sheets (language, round);
CREATE TABLE surveys (
    name VARCHAR(60) NOT NULL PRIMARY KEY, design TEXT NOT NULL, created_at VARCHAR(32) NOT NULL
);
CREATE TABLE item_versions (
    id {serial}, item_id VARCHAR(100) NOT NULL REFERENCES items (id), version INTEGER NOT NULL,
    name TEXT NOT NULL, parent_hash VARCHAR(64) NOT NULL, parts TEXT NOT NULL,
    language VARCHAR(40) NOT NULL, content TEXT NOT NULL,
    picture VARCHAR(64) REFERENCES pictures (sha256), url TEXT NOT NULL, terms TEXT NOT NULL,
    fetched_at VARCHAR(32), created_at VARCHAR(32) NOT NULL,
    CONSTRAINT item_version_once UNIQUE (item_id, version)
);
CREATE TABLE judgements (
    id {serial}, file_id INTEGER NOT NULL REFERENCES files (id), row INTEGER NOT NULL,
    subject VARCHAR(201) NOT NULL, question VARCHAR(60) NOT NULL, person TEXT NOT NULL,
    answer TEXT NOT NULL, comment TEXT NOT NULL, created_at VARCHAR(32) NOT NULL,
    CONSTRAINT judgements_once UNIQUE (file_id, row, subject, question)
);
CREATE INDEX judgements_by_question ON judgements (question, subject);
CREATE TABLE memes (
    number {serial}, id VARCHAR(100) NOT NULL, template VARCHAR(100) NOT NULL,
    source_language VARCHAR(40) NOT NULL, file_id INTEGER REFERENCES files (id),
    created_at VARCHAR(32) NOT NULL, kind VARCHAR(20) DEFAULT 'caption' NOT NULL,
    item_id VARCHAR(100), UNIQUE (id)
);
CREATE TABLE memory_units (
    id {serial}, key VARCHAR(64) NOT NULL, source_language VARCHAR(40) NOT NULL,
    language VARCHAR(40) NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    origin TEXT NOT NULL, person TEXT NOT NULL, file_id INTEGER REFERENCES files (id),
    created_at VARCHAR(32) NOT NULL, UNIQUE (key)
);
CREATE INDEX memory_by_languages ON memory_units (source_language, language);
CREATE TABLE pairs (
    set_id INTEGER NOT NULL REFERENCES pair_sets (id),
    first VARCHAR(100) NOT NULL REFERENCES items (id),
    second VARCHAR(100) NOT NULL REFERENCES items (id), stage VARCHAR(20) NOT NULL,
    outcome VARCHAR(20) NOT NULL, scores TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (set_id, first, second)
);
CREATE TABLE rejected_rows (
    number {serial}, survey VARCHAR(60) NOT NULL REFERENCES surveys (name),
    file_id INTEGER NOT NULL REFERENCES files (id), row INTEGER NOT NULL,
    reason VARCHAR(100) NOT NULL, message TEXT NOT NULL, content TEXT NOT NULL,
    created_at VARCHAR(32) NOT NULL
);
CREATE TABLE selection_items (
    selection_id INTEGER NOT NULL REFERENCES selections (id),
    item_id VARCHAR(100) NOT NULL REFERENCES items (id), PRIMARY KEY (selection_id, item_id)
);
CREATE TABLE submissions (
    number {serial}, survey VARCHAR(60) NOT NULL REFERENCES surveys (name),
    id VARCHAR(64) NOT NULL, sheet VARCHAR(60) NOT NULL, participant VARCHAR(64) NOT NULL,
    source VARCHAR(40) NOT NULL, status VARCHAR(40) NOT NULL, code TEXT NOT NULL,
    started_at VARCHAR(32), submitted_at VARCHAR(32), answers TEXT NOT NULL,
    hash VARCHAR(64) NOT NULL, file_id INTEGER NOT NULL REFERENCES files (id),
    row INTEGER NOT NULL, created_at VARCHAR(32) NOT NULL,
    CONSTRAINT submission_once UNIQUE (survey, hash)
);
CREATE INDEX submissions_by_sheet ON submissions (survey, sheet);
CREATE TABLE survey_batches (
    survey VARCHAR(60) NOT NULL REFERENCES surveys (name), id VARCHAR(40) NOT NULL,
    round INTEGER NOT NULL, position INTEGER NOT NULL, slots TEXT NOT NULL,
    cultures TEXT NOT NULL, answers INTEGER NOT NULL, created_at VARCHAR(32) NOT NULL,
    PRIMARY KEY (survey, id)
);
CREATE TABLE survey_participants (
    number {serial}, survey VARCHAR(60) NOT NULL REFERENCES surveys (name),
    participant VARCHAR(64) NOT NULL, study TEXT NOT NULL, submission VARCHAR(64) NOT NULL,
    status VARCHAR(40) NOT NULL, seconds FLOAT, facts TEXT NOT NULL, details TEXT NOT NULL,
    hash VARCHAR(64) NOT NULL, file_id INTEGER NOT NULL REFERENCES files (id),
    created_at VARCHAR(32) NOT NULL, CONSTRAINT survey_participant_once UNIQUE (survey, hash)
);
CREATE TABLE survey_results (
    number {serial}, survey VARCHAR(60) NOT NULL REFERENCES surveys (name),
    kind VARCHAR(20) NOT NULL, settings TEXT NOT NULL, result TEXT NOT NULL,
    created_at VARCHAR(32) NOT NULL
);
CREATE INDEX survey_results_by_kind ON survey_results (survey, kind);
CREATE TABLE survey_states (
    survey VARCHAR(60) NOT NULL REFERENCES surveys (name), target VARCHAR(60) NOT NULL,
    key VARCHAR(200) NOT NULL, value TEXT NOT NULL, created_at VARCHAR(32) NOT NULL,
    PRIMARY KEY (survey, target, key)
);
CREATE TABLE verdicts (
    id {serial}, item_id VARCHAR(100) NOT NULL REFERENCES items (id),
    filter VARCHAR(60) NOT NULL, verdict VARCHAR(10) NOT NULL, score FLOAT,
    reason TEXT NOT NULL, evidence TEXT NOT NULL, settings VARCHAR(64) NOT NULL,
    created_at VARCHAR(32) NOT NULL
);
CREATE INDEX verdicts_by_filter ON verdicts (filter);
CREATE INDEX verdicts_by_item ON verdicts (item_id, filter);
CREATE TABLE captions (
    id {serial}, meme_id VARCHAR(100) NOT NULL REFERENCES memes (id),
    language VARCHAR(40) NOT NULL, version INTEGER NOT NULL, parts TEXT NOT NULL,
    stage VARCHAR(20) NOT NULL, round INTEGER NOT NULL, person TEXT NOT NULL,
    origin TEXT NOT NULL, translator VARCHAR(100) NOT NULL,
    source_id INTEGER REFERENCES captions (id), marks TEXT NOT NULL,
    characters INTEGER NOT NULL, cost FLOAT NOT NULL, currency VARCHAR(10) NOT NULL,
    created_at VARCHAR(32) NOT NULL,
    CONSTRAINT captions_version_once UNIQUE (meme_id, language, version)
);
CREATE INDEX captions_by_source ON captions (source_id);
CREATE TABLE corrections (
    id {serial}, file_id INTEGER NOT NULL REFERENCES files (id), row INTEGER NOT NULL,
    sheet_id VARCHAR(40) NOT NULL REFERENCES sheets (id),
    meme_id VARCHAR(100) NOT NULL REFERENCES memes (id), language VARCHAR(40) NOT NULL,
    round INTEGER NOT NULL, person TEXT NOT NULL, parts TEXT NOT NULL, typed TEXT NOT NULL,
    status VARCHAR(20) NOT NULL, comment TEXT NOT NULL, outcome VARCHAR(20) NOT NULL,
    reason TEXT NOT NULL, message TEXT NOT NULL, caption_id INTEGER REFERENCES captions (id),
    created_at VARCHAR(32) NOT NULL, CONSTRAINT corrections_once UNIQUE (file_id, row, meme_id)
);
CREATE INDEX corrections_by_meme ON corrections (meme_id, language, round);
CREATE TABLE sheet_items (
    sheet_id VARCHAR(40) NOT NULL REFERENCES sheets (id),
    meme_id VARCHAR(100) NOT NULL REFERENCES memes (id), position INTEGER NOT NULL,
    source_id INTEGER NOT NULL REFERENCES captions (id),
    base_id INTEGER NOT NULL REFERENCES captions (id), PRIMARY KEY (sheet_id, meme_id)
);
CREATE TABLE cases (
    id {serial}, meme_id VARCHAR(100) NOT NULL REFERENCES memes (id),
    language VARCHAR(40) NOT NULL, round INTEGER NOT NULL, reason TEXT NOT NULL,
    message TEXT NOT NULL, correction_id INTEGER NOT NULL REFERENCES corrections (id),
    created_at VARCHAR(32) NOT NULL, UNIQUE (correction_id)
);
CREATE INDEX cases_by_meme ON cases (meme_id, language);
CREATE TABLE decisions (
    id {serial}, case_id INTEGER NOT NULL REFERENCES cases (id), action VARCHAR(20) NOT NULL,
    correction_id INTEGER REFERENCES corrections (id), parts TEXT NOT NULL,
    person TEXT NOT NULL, comment TEXT NOT NULL, caption_id INTEGER REFERENCES captions (id),
    created_at VARCHAR(32) NOT NULL
);
CREATE INDEX decisions_by_case ON decisions (case_id);
"""

APPEND_ONLY = """
captions sheets sheet_items corrections cases decisions items item_versions refusals verdicts
pair_sets pairs judgements selections selection_items surveys survey_batches submissions
survey_participants rejected_rows survey_results
"""
SENTENCE = "is append-only: its rows are never changed or deleted, a newer row supersedes"


def upgrade() -> None:
    """Make all tables of an empty database."""
    dialect = op.get_bind().dialect.name
    serial = "INTEGER NOT NULL PRIMARY KEY" if dialect == "sqlite" else "SERIAL PRIMARY KEY"
    for statement in TABLES.replace("{serial}", serial).split(";"):
        if statement.strip():
            op.execute(statement)
    if dialect == "sqlite":
        for table in APPEND_ONLY.split():
            for action in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} {SENTENCE}'); END"
                )
        return
    op.execute(
        "CREATE FUNCTION memeloc_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"RAISE EXCEPTION '% {SENTENCE}', TG_TABLE_NAME; END $$"
    )
    for table in APPEND_ONLY.split():
        op.execute(
            f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION memeloc_append_only()"
        )


def downgrade() -> None:
    """There is nothing before the first schema."""
    raise NotImplementedError("A workspace is not taken back to nothing.")
