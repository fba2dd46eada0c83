"""SQLite and PostgreSQL: what people typed stays, both hold the same, runs of a kind take turns."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memeloc.curate.verdict import Judgement, Pair, Verdict
from memeloc.errors import InputError, MemelocError
from memeloc.items import FoundPicture, Origin, Refusal
from memeloc.knowledge.statements import KnowledgeAnswer
from memeloc.label.rounds import RoundLabel
from memeloc.locales import default
from memeloc.store import FileRecord, Store, WorkspaceError
from memeloc.store.tables import metadata
from memeloc.survey.model import (
    Answer,
    Batch,
    Culture,
    LabelDecision,
    Participant,
    RejectedRow,
    Sheet,
    Slot,
    Submission,
)
from memeloc.survey.serving import Place
from memeloc.survey.targets.protocol import Imported
from memeloc.translate import TranslationFailure
from tests import worlds
from tests.store.conftest import answer, decide, send
from tests.store.test_collected import caption, cat, picture

on_both = pytest.mark.parametrize("place", ["sqlite", "postgresql"], indirect=True)
TABLES = ("captions", "history", "memes", "corrections", "cases", "memory", "sheets", "files")
# Times, and ids that are drawn; what is stored of a file is told by its hash.
VOLATILE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+|\b[0-9a-f]{12,64}\b")
HOLD = """
import sys, time
from memeloc.store.database import Database
from pathlib import Path
where = sys.argv[1]
with Database(where if "://" in where else Path(where)).lock("translate"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def lived_in(filled: Store) -> Store:
    """A store with rows in every table that is append-only."""
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    (case_id,) = answer(filled, "s1", {"two": ""}, outcome="case", status="culture")
    decide(filled, case_id, person="eve")
    send(filled, "s2")
    answer(filled, "s2", {"three": "nicht // so"}, name="back")
    filled.corrections.withdraw("back".rjust(64, "0"), person="eve")
    filled.items.add([cat(), caption(1, "a", "b"), caption(2, "A", "B")])
    filled.items.add([FoundPicture(Origin("folder", "1", dataset="memes"), picture())])
    filled.datasets.enter("folder", "memes", None)
    first, second = (item.id for item in filled.items.find("caption"))
    filled.items.add_refusals([Refusal("site", "http://10.0.0.1/", "inside the network", "No.")])
    filled.curation.add_verdicts([Verdict(first, "language", "keep", 0.9)])
    filled.curation.add_pairs([Pair(*sorted((first, second)), "caption", "ask", {"text": 1.0})])
    judgement = Judgement(f"{first}|{second}", "duplicates", "ada", "same")
    filled.curation.add_judgements(FileRecord("judgements", "j.csv", "j" * 64, 1), [judgement])
    filled.curation.add_selection({}, [], [first])
    batch = Batch("r1-b01", 1, (Slot(first),), ("DE",), 5)
    filled.surveys.add("pilot", {"seed": 1}, [batch])
    sent = Submission("s", "r1-b01-DE", "p", (Answer(first, {"label": ("hate",)}),), "csv")
    left = RejectedRow("f.csv", 3, "unknown sheet", "There is none.")
    back = Imported((sent,), (Participant("p"),), (left,))
    filled.surveys.add_submissions("pilot", FileRecord("submissions", "f", "f" * 64, 1), back)
    filled.surveys.add_result("pilot", "check", {}, {})
    filled.surveys.add_result("pilot", "labels", {}, [])
    decision = LabelDecision(first, "DE", {"label": ("hate",)}, ("eve",), "a session")
    filled.surveys.add_decisions("pilot", [decision])
    filled.model_labels.add(
        [RoundLabel(first, "c" * 64, "label", "charmemes", "tiny", "p" * 64, 1, 0, "refused")]
    )
    filled.knowledge.add(
        [
            KnowledgeAnswer(
                *(first, "c" * 64, "en", "extract", "scene", "m-quest", "en", "tiny", "p" * 64),
                status="answered",
                value={"statements": []},
            )
        ]
    )
    filled.model_labels.merge_topics({"kittens": "cats"}, person="eve")
    failure = TranslationFailure("one", "de", MemelocError("wrong"), 0.1, 4)
    filled.captions.add_failure(failure, "google", "USD")
    filled.drops.add(["three"], dropped=True, person="eve", comment="a pun")
    filled.erasures.erase(["somebody else"])
    hour = datetime(2026, 6, 1, 12, tzinfo=UTC)
    sheet = Sheet(
        *("r1-b01-DE", "pilot", "r1-b01", 1, Culture("DE", default().get("de"))),
        *("multi3hate", (), 5),
    )
    wanted = Place("", "pilot", "", "p2", "", "open", hour, hour)
    place = filled.serving.take(wanted, lambda _: sheet, lambda _: True)
    assert isinstance(place, Place)
    filled.serving.agree(place.id, {"consent": {}})
    filled.serving.add_answer(place.id, first, 1, {}, hour, hour, lambda *_: True)
    return filled


@on_both
def test_no_row_is_changed_or_deleted(lived_in: Store) -> None:
    names = [table.name for table in metadata.sorted_tables if table.info["append_only"]]
    for table in names:
        with lived_in.database.read() as connection:
            before = connection.exec_driver_sql(f"SELECT * FROM {table}")
            column, rows = next(iter(before.keys())), before.fetchall()
        assert rows, table
        for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):
            with (
                pytest.raises(WorkspaceError, match=f"{table} is append-only"),
                lived_in.database.write() as connection,
            ):
                connection.exec_driver_sql(statement)
        with lived_in.database.read() as connection:
            assert connection.exec_driver_sql(f"SELECT * FROM {table}").fetchall() == rows


@on_both
def test_a_version_cannot_be_there_twice(lived_in: Store) -> None:
    columns = (
        "meme_id, language, version, parts, stage, round, person, origin, translator, source_id, "
        "marks, characters, cost, currency, created_at"
    )
    with (
        pytest.raises(WorkspaceError, match=r"(?i)unique|captions_version_once"),
        lived_in.database.write() as connection,
    ):
        connection.exec_driver_sql(
            f"INSERT INTO captions ({columns}) SELECT {columns} FROM captions WHERE id = 1"
        )


@on_both
def test_a_row_refers_to_what_is_there(lived_in: Store) -> None:
    with (
        pytest.raises(WorkspaceError, match=r"(?i)foreign key"),
        lived_in.database.write() as connection,
    ):
        connection.exec_driver_sql(
            "INSERT INTO sheet_items (sheet_id, meme_id, position, source_id, base_id) "
            "VALUES ('nowhere', 'one', 0, 1, 1)"
        )


@on_both
def test_what_is_judged_again_is_stored_once(lived_in: Store) -> None:
    first, second = (item.id for item in lived_in.items.find("caption"))
    assert lived_in.curation.add_verdicts([Verdict(first, "language", "keep", 0.9)]) == 0
    assert lived_in.curation.add_verdicts([Verdict(first, "language", "drop", 0.1, "other")]) == 1
    assert lived_in.curation.verdicts("language")[first]["language"].verdict == "drop"
    pair = Pair(*sorted((first, second)), "caption", "ask", {"text": 1.0})
    search = lived_in.curation.add_pairs([pair])
    assert lived_in.curation.add_pairs([pair]) == search
    assert lived_in.curation.pairs() == [pair]
    assert lived_in.curation.add_pairs([]) > search
    assert lived_in.curation.pairs() == []
    again = Judgement(f"{first}|{second}", "duplicates", "ada", "different")
    file = FileRecord("judgements", "k.csv", "k" * 64, 1)
    assert lived_in.curation.add_judgements(file, [again]) == 1
    assert lived_in.curation.add_judgements(file, [again]) == 0
    assert [each.answer for each in lived_in.curation.judgements("duplicates")] == ["different"]


def test_one_study_gives_the_same_tables_on_both_databases(
    postgresql: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMELOC_SURVEY_KEY", "k" * 43)
    printed = []
    for name, url in (("sqlite", ""), ("postgresql", postgresql())):
        monkeypatch.setenv("MEMELOC_DATABASE_URL", url)
        folder = tmp_path / name
        worlds.make_captions(folder)
        worlds.make_translated(folder)
        worlds.make_corrected(folder)
        worlds.make_rendered(folder)
        worlds.make_surveyed(folder, ["US", "DE"])
        worlds.make_answered(folder)
        checked = worlds.memeloc(folder, "survey", "check", "pilot", "--json")
        settled = worlds.memeloc(folder, "survey", "settle", "pilot", "--json")
        for table in TABLES:
            worlds.memeloc(folder, "export", table, "--to", f"{table}.csv")
        texts = [VOLATILE.sub("", (folder / f"{table}.csv").read_text()) for table in TABLES]
        printed.append([checked, json.loads(settled)["states"], *map(str.splitlines, texts)])
        assert (folder / "memeloc.db").exists() == (name == "sqlite")
    assert printed[0] == printed[1]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_one_run_of_a_kind_is_at_work(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue("postgresql")() if kind == "postgresql" else ""
    with Store.create(tmp_path, url) as store:
        where = url or str(tmp_path / "memeloc.db")
        other = subprocess.Popen([sys.executable, "-c", HOLD, where], stdout=subprocess.PIPE)
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"held\n"
            with pytest.raises(InputError, match="Another `memeloc translate` is at work"):
                store.database.lock("translate").__enter__()
            with store.database.lock("render"), store.database.write():
                assert store.captions.count() == 0
        finally:
            other.kill()
            other.communicate()
        for _ in range(100):  # a server notices some moments later
            with suppress(InputError), store.database.lock("translate"):
                return
            time.sleep(0.05)
        pytest.fail("a killed run holds the lock")
