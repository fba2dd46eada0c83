"""`memeloc survey forget`: with answers in every target, nothing of a person is left anywhere."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memeloc.survey.serving import Place
from memeloc.survey.targets.protocol import SheetsToSend
from memeloc.survey.targets.resolver import target_names
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import (
    CONTACT,
    Run,
    build,
    folder,
    rendered,
    saved,
    sheets_of,
    write,
)
from tests.survey.targets.answered import PEOPLE, PROLIFIC, TABLES, VALUES, html_values
from tests.survey.targets.test_nothing_lost import save_json, save_table

__all__ = ["folder", "rendered"]  # fixtures, used by name

ADA = PEOPLE[0]
SUBMISSION = PROLIFIC.splitlines()[1].partition(",")[0]
FILE_NAME = "quokka"
"""What every file of answers is called, beside the participant's id."""


def files_of(pack: SheetsToSend, inbox: Path) -> Iterator[Path]:
    """A file of every kind that comes back, with rows that cannot be resolved; named by its kind,
    by `FILE_NAME` and by a participant."""
    sheet = pack.sheets[0]
    for kind, make_table in TABLES.items():
        table = make_table(pack, sheet)
        table.add_column("Notes", len(table.headings[0]), [f"call {ADA}" for _ in table.rows])
        path = inbox / f"{kind}-{FILE_NAME}-{ADA}.csv"
        list(save_table(path, table))
        yield path
    for kind, make_values in VALUES.items():
        values = [value for value, _ in make_values(pack, sheet)]
        path = inbox / f"{kind}-{FILE_NAME}-{ADA}.json"
        yield save_json(kind, path, values)
    (first, _), *_ = html_values(pack, pack.sheets[1])
    first["comments"] = f"I am {ADA}, and {FILE_NAME} is my street."
    first["answers"][0]["label"] = ADA
    yield write(inbox / f"html-{FILE_NAME}-comment.json", [first, {"participant": ADA, "x": ADA}])
    path = inbox / f"prolific_{sheet.id}_{FILE_NAME}_{ADA}.csv"
    path.write_text(PROLIFIC, encoding="utf-8")
    yield path


def answer_at_the_server(pack: SheetsToSend) -> None:
    """Give an answer of Ada's as the server stores it."""
    at, sheet = datetime(2026, 6, 1, 12, tzinfo=UTC), pack.sheets[2]
    with Workspace.find() as workspace:
        hashed = workspace.store.surveys.hash_participant(ADA)
        wanted = Place("", "pilot", "", hashed, "", "open", at, at)
        place = workspace.store.serving.take(wanted, lambda _: sheet, lambda _: True)
        assert not isinstance(place, str)
        workspace.store.serving.agree(place.id, {"consent": {}})
        value = {"label": "hate"}
        workspace.store.serving.add_answer(place.id, "m1", 1, value, at, at, lambda *_: True)


def holding(folder: Path, *texts: str) -> list[str]:
    """The files below a folder that have one of some texts in their name or their bytes."""
    return [
        f"{path.relative_to(folder)}: {text}"
        for path in sorted(folder.rglob("*"))
        for text in texts
        if path.is_file() and (text in path.name or text.encode() in path.read_bytes())
    ]


@pytest.fixture
def pack(command: Run, folder: Path) -> SheetsToSend:
    build(command)
    with Workspace.find() as workspace:
        return workspace.survey("pilot").as_sent()[0]


@pytest.fixture
def inbox(command: Run, folder: Path, pack: SheetsToSend) -> Path:
    """Files of every target, imported into the workspace, outside of which they stand."""
    inbox = folder.parent / "inbox"
    inbox.mkdir()
    paths = list(files_of(pack, inbox))
    done = command("survey", "import", "pilot", *paths, "--json")
    assert done.status == 0, done.err
    kinds = {file["kind"] for file in json.loads(done.out)["files"]}
    assert kinds == set(target_names())
    assert len(json.loads(done.out)["rejected"]) > 10
    return inbox


def plain_answers(inbox: Path) -> tuple[str, ...]:
    """A table of answers of no sheet of ours, and the command that takes it."""
    path = inbox / f"plain-{FILE_NAME}-{ADA}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = [("who", "item", "answer"), *((who, "x1", "hate") for who in PEOPLE)]
        csv.writer(file).writerows([*rows, (ADA, "x2", f"{FILE_NAME} {ADA}")])
    columns = "annotator=who,item=item,label=answer,fixed.culture=US"
    return ("survey", "import", "published", str(path), "--map", columns)


def test_no_id_and_no_file_name_is_stored_as_it_is(
    command: Run, folder: Path, pack: SheetsToSend, inbox: Path
) -> None:
    assert command(*plain_answers(inbox)).status == 0
    for step in ("check", "settle", "status"):
        assert command("survey", step, "pilot").status == 0
    assert holding(folder, *PEOPLE, SUBMISSION, FILE_NAME) == [
        f"memeloc.db: {FILE_NAME}"  # a comment is kept, without the ids in it
    ]


def test_nothing_of_a_person_is_left(
    command: Run, folder: Path, pack: SheetsToSend, inbox: Path
) -> None:
    answer_at_the_server(pack)
    assert command(*plain_answers(inbox)).status == 0
    prolific = next(inbox.glob("prolific*"))
    decided = inbox / "decisions.csv"
    decide = ("--from", prolific, "--minutes", "5", "--out", decided)
    for step in (("check",), ("settle",), ("decide", *decide)):
        assert command("survey", step[0], "pilot", *step[1:]).status == 0
    with Workspace.find() as workspace:
        hashed = workspace.store.surveys.hash_participant
        hashes = (hashed(ADA), hashed(SUBMISSION))
        workspace.store.surveys.put_state("pilot", "prolific", f"decided/{hashes[1]}", "approve")
    assert holding(folder, *hashes)

    done = command("survey", "forget", ADA, "--yes", "--json")
    assert done.status == 0, done.err
    receipt = json.loads(done.out)
    assert receipt["surveys"] == ["pilot", "published"]
    assert receipt["files"] == []
    assert receipt["counts"]["given_answers"] == 1
    assert not any(text in done.out for text in (ADA, *hashes))
    for step in (
        ("check", "--out", "aside.csv"),
        ("settle", "--out", "labels.csv", "--answers", "answers.csv"),
        ("export", "--to", "csv", "--round", "1", *CONTACT),
        ("export", "--to", "html", "--round", "1", "--set", "codes=false", *CONTACT),
    ):
        done = command("survey", step[0], "pilot", *step[1:])
        assert done.status == 0, done.err
        assert not any(text in done.out + done.err for text in (ADA, *hashes))
    assert holding(folder, ADA, SUBMISSION, FILE_NAME, *hashes) == []


@pytest.mark.parametrize("kind", [*target_names(), "plain answers"])
def test_no_target_brings_an_erased_person_back(
    command: Run, folder: Path, pack: SheetsToSend, kind: str
) -> None:
    assert command("survey", "forget", ADA, "--yes").status == 0
    inbox = folder.parent / "inbox"
    inbox.mkdir()
    with Workspace.find() as workspace:
        hashed = workspace.store.surveys.hash_participant(ADA)
    if kind == "plain answers":
        assert command(*plain_answers(inbox)).status == 0
    else:
        paths = [path for path in files_of(pack, inbox) if path.name.startswith(kind)]
        assert paths
        done = command("survey", "import", "pilot", *paths)
        assert done.status == 0, done.err
        assert "left out, of people who were erased" in done.err
    assert holding(folder, ADA, hashed) == []


def test_files_that_still_name_a_person_are_listed(command: Run, folder: Path) -> None:
    build(command)
    write(folder / "notes.json", {"who": ADA})
    (folder / f"{ADA}.txt").touch()
    (folder / "old.csv.gz").write_bytes(gzip.compress(f"who\n{ADA}\n".encode()))
    with zipfile.ZipFile(folder / "sent.zip", "w") as packed:
        packed.writestr("old.jsonl.gz", gzip.compress(json.dumps({"who": ADA}).encode()))
    done = command("survey", "forget", ADA, "--yes", "--json")
    assert [Path(file).name for file in json.loads(done.out)["files"]] == [
        f"{ADA}.txt",
        "notes.json",
        "old.csv.gz",
        "sent.zip",
    ]


def test_nobody_is_erased_unless_that_is_agreed_to(command: Run, folder: Path) -> None:
    build(command)
    path = write(folder.parent / "back.json", saved(sheets_of()[0], ADA))
    assert command("survey", "import", "pilot", path).status == 0
    done = command("survey", "forget", ADA)
    assert "cannot be taken back" in done.err
    with Workspace.find() as workspace:
        assert len(workspace.store.surveys.submissions("pilot")) == 1
    assert "Name the participants" in command("survey", "forget", "--yes").err
