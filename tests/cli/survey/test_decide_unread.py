"""`memeloc survey decide`: nobody is returned of whom something could not be read."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memeloc.survey.model import Check, Sheet, entry_id
from memeloc.survey.targets.places import item_key
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import CONTACT, Run, build, folder, rendered, sheets_of

__all__ = ["folder", "rendered"]  # fixtures, used by name

NAMES = {"hate": "Hate", "no-hate": "Not hate", "unknown": "I don't know"}
NUMBERS = {
    who: f"{number:024x}" for number, who in enumerate(("anna", "bela", "cleo", "dora", "egon"), 1)
}
"""The participant ids at Prolific."""


def response(sheet: Sheet, who: str, answered: int = 99, **changed: str) -> dict[str, str]:
    """A row of Qualtrics: the first entries answered as asked; `changed` has cells by entry."""
    row = {
        "StartDate": "2026-03-01 10:00:00",
        "EndDate": "2026-03-01 10:08:00",
        "Status": "IP Address",
        "Finished": "True" if answered > len(sheet.entries) else "False",
        "ResponseId": f"R_{who}",
        "consent": "1",
        "PROLIFIC_PID": NUMBERS.get(who, ""),
    }
    labels = list(NAMES)
    for number, entry in enumerate(sheet.entries):
        label = entry.expected if isinstance(entry, Check) else "no-hate"
        key = item_key("pilot", sheet.id, entry_id(entry))
        row[key] = str(labels.index(label) + 1) if number < answered else ""
    return row | changed


def write_export(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    """Qualtrics' table, with its three rows of headings."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerow({name: f"What people read of {name}" for name in rows[0]})
        writer.writerow({name: json.dumps({"ImportId": name}) for name in rows[0]})
        writer.writerows(rows)
    return path


def write_prolific(path: Path, people: Sequence[str], status: str = "AWAITING REVIEW") -> Path:
    """Prolific's export: all of them wait for a decision, unless there is another status."""
    rows = [f"{'f' * 12}{NUMBERS[who][12:]},{NUMBERS[who]},{status},480" for who in people]
    head = "Submission id,Participant id,Status,Time taken"
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def sheet(command: Run) -> Sheet:
    build(command)
    done = command("survey", "export", "pilot", "--to", "qsf", "--minutes", "8", *CONTACT)
    assert done.status == 0, done.err
    return sheets_of()[0]


def decided(
    command: Run,
    rows: Sequence[Mapping[str, str]],
    people: Sequence[str],
    status: str = "AWAITING REVIEW",
) -> tuple[dict[str, str], Any, str]:
    """By person the action; what is printed as JSON; and what is reported."""
    export = write_export(Path("responses.csv"), rows)
    prolific = write_prolific(Path(f"{sheets_of()[0].id}.csv"), people, status)
    done = command("survey", "import", "pilot", export, prolific)
    assert done.status == 0, done.err
    assert command("survey", "check", "pilot").status == 0
    arguments = ("survey", "decide", "pilot", "--from", prolific)
    printed = json.loads(command(*arguments, "--json").out)
    reported = command(*arguments).err
    with Path("pilot-decisions.csv").open(encoding="utf-8-sig", newline="") as stream:
        listed = {row["participant"]: row for row in csv.DictReader(stream)}
    actions = {who: listed[number]["action"] for who, number in NUMBERS.items() if number in listed}
    return actions, printed, reported


def test_an_edited_choice_returns_nobody_who_finished(command: Run, sheet: Sheet) -> None:
    meme = item_key("pilot", sheet.id, sheet.memes[0])
    rows = [
        response(sheet, "anna"),
        response(sheet, "bela", **{meme: "Hateful (edited)"}),
        response(sheet, "cleo", answered=4),
    ]
    actions, printed, reported = decided(command, rows, ["anna", "bela", "cleo"])
    assert actions == {"anna": "approve", "bela": "look", "cleo": "return"}
    (look,) = [each for each in printed["decisions"] if each["action"] == "look"]
    assert look["evidence"] == {"unknown label": 1}
    assert "Nothing is decided about 1 person" in reported
    assert look["participant"][:8] in reported


def test_an_edited_consent_or_a_lost_id_returns_nobody_absent(command: Run, sheet: Sheet) -> None:
    rows = [
        response(sheet, "anna"),
        response(sheet, "dora", consent="I agree (edited)"),
        response(sheet, "egon", PROLIFIC_PID=""),
    ]
    actions, printed, reported = decided(command, rows, ["anna", "dora", "egon"])
    assert actions == {"anna": "approve", "dora": "look", "egon": "look"}
    assert printed["not_read"] == {"no participant": 1, "unknown consent": 1}
    assert "do not say whose they are: no participant: 1, unknown consent: 1" in reported


@pytest.mark.parametrize("status", ["TIMED-OUT", "RETURNED"])
def test_who_ran_out_of_time_and_could_not_be_read_is_named(
    command: Run, sheet: Sheet, status: str
) -> None:
    edited = {item_key("pilot", sheet.id, entry_id(each)): "Edited" for each in sheet.entries}
    rows = [response(sheet, "anna"), response(sheet, "dora", **edited)]
    actions, _, reported = decided(command, rows, ["dora", "egon"], status)
    assert actions["dora"] == "look"
    assert "egon" not in actions
    assert "Nothing is decided about 1 person" in reported


def test_who_has_no_row_that_can_be_read_is_named(command: Run, sheet: Sheet) -> None:
    meme = item_key("pilot", sheet.id, sheet.memes[0])
    answers = [{"item": meme, "answer": "no-hate"}, {"item": "i0000", "answer": "hate"}]
    with Path("cells.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ["item", "participant", "answer"])
        writer.writeheader()
        for number, who in ((0, "anna"), (1, "bela")):
            writer.writerow({**answers[number], "participant": NUMBERS[who]})
    assert command("survey", "import", "pilot", "cells.csv").status == 0
    with Workspace.find() as workspace:
        known = workspace.store.surveys.hash_participant(NUMBERS["bela"])
    done = command("survey", "decide", "pilot", "--json")
    actions = {row["participant"]: row["action"] for row in json.loads(done.out)["decisions"]}
    assert actions[known] == "look"
