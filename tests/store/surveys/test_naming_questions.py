"""The migration that names the question in answers to what was "the second question"."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memeloc.store import Store
from memeloc.store.database import Database
from memeloc.store.migrating import migrate
from memeloc.store.surveys.submissions import _submission_row
from memeloc.survey.model import Answer
from memeloc.taxonomy import parse_taxonomy
from tests.taxonomy.test_taxonomy import OWN

OLD_TAXONOMY = (
    OWN.replace('role = "abstain"', "abstain = true")
    .replace("[[question]]", "[second]")
    .replace("when = { label = ", "several = true\nwhen = ")
    .replace('"drizzle"] }', '"drizzle"]')
    .replace("questions.where.text", "second.where.question")
    .replace("questions.where.answer", "second.where.answer")
)
SENT = (("m1", "very-harmful", ["society"]), ("m2", "harmless", []))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database of the first schema, with surveys by harmeme and by a taxonomy of one's own."""
    file = tmp_path / "memeloc.db"
    taxonomies = {"harm": ("harmeme", None), "sky": ("weather", OLD_TAXONOMY)}
    texts = {"taxonomy.harmeme.second.target.question": "Wem?", "next": "Weiter"}
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((Path(__file__).parents[1] / "schema_1.sql").read_text("utf-8"))
        for name, (taxonomy, own) in taxonomies.items():
            design = json.dumps({"taxonomy": taxonomy, "taxonomy_toml": own})
            connection.execute("INSERT INTO surveys VALUES (?, ?, '2026-01-01')", (name, design))
        connection.execute(
            "INSERT INTO survey_states VALUES ('harm', 'texts', 'de 1', ?, '2026-01-01')",
            (json.dumps({"place": 0, "texts": texts}),),
        )
        connection.execute(
            "INSERT INTO submissions VALUES (7, 'harm', 's', 'r1-b01-DE', 'p', 'csv', 'complete', "
            "'', NULL, '2026-03-01T12:00:00.000000Z', ?, ?, 1, 3, '2026-01-01')",
            (json.dumps(SENT), "f" * 64),
        )
        connection.commit()
    migrate(Database(file))
    return file


def test_an_answer_names_its_question_and_its_hash_is_made_anew(old: Path) -> None:
    with Store.open(old.parent) as store:
        (sent,) = store.surveys.submissions("harm")
        harm = Answer("m1", "very-harmful", (("target", ("society",)),))
        assert sent.answers == (harm, Answer("m2", "harmless"))
        query = "SELECT hash FROM submissions WHERE number = 7"
        with store.database.read() as connection:
            stored = connection.exec_driver_sql(query).scalar()
    assert stored == _submission_row(replace(sent, row=0))["hash"], "the same file counts once"


def test_a_taxonomy_of_ones_own_is_kept_in_its_new_form(old: Path) -> None:
    with Store.open(old.parent) as store:
        taxonomy = parse_taxonomy(store.surveys.design("sky")["taxonomy_toml"])
    (where,) = taxonomy.questions
    assert (where.id, where.kind) == ("where", "choices")
    assert where.when == {"label": ("storm", "drizzle")}
    assert taxonomy.abstain is not None
    assert taxonomy.texts["en"]["taxonomy.weather.questions.where.text"] == "Where is it?"


def test_texts_that_went_out_are_found_by_their_new_names(old: Path) -> None:
    with Store.open(old.parent) as store:
        noted = store.surveys.state("harm", "texts")["de 1"]["texts"]
    assert noted == {"taxonomy.harmeme.questions.target.text": "Wem?", "next": "Weiter"}


def test_the_tables_are_append_only_again(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        for statement in ("UPDATE submissions SET code = 'x'", "UPDATE surveys SET design = '{}'"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
