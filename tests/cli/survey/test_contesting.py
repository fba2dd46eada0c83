"""Who is excluded can contest it: the evidence, what there is of a person, a decision to keep."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from memeloc.survey.model import Check
from tests.cli.survey.test_survey import (
    CONTACT,
    Run,
    build,
    everybody,
    folder,
    rendered,
    sheets_of,
    write,
)

__all__ = ["folder", "rendered"]  # fixtures, used by name


@pytest.fixture
def failed(command: Run, folder: Path) -> str:
    """A survey with answers of which one person's miss the explicit check; her id."""
    build(command)
    back = everybody()
    (check,) = [each for each in sheets_of()[0].entries if isinstance(each, Check)][:1]
    for answer in back[0]["answers"]:
        if answer["entry"].startswith("check"):
            answer["label"] = "unknown" if check.expected != "unknown" else "hate"
    assert command("survey", "import", "pilot", write(folder / "back.json", back)).status == 0
    return str(back[0]["participant"])


def checked(command: Run, *words: str) -> dict[str, Any]:
    done = command("survey", "check", "pilot", *words, "--json")
    assert done.status == 0, done.err
    return dict(json.loads(done.out))


def test_evidence_names_each_check_what_was_chosen_and_when(command: Run, failed: str) -> None:
    (row,) = [each for each in checked(command)["set_aside"] if each["rule"] == "attention"]
    checks = [each for each in sheets_of()[0].entries if isinstance(each, Check)]
    evidence = row["evidence"]
    assert [(each["check"], each["expected"]) for each in evidence["checks"]] == [
        (check.id, check.expected) for check in checks
    ]
    assert all(each["chosen"] for each in evidence["checks"])
    assert evidence["submitted"].startswith("20")


def test_a_person_can_be_sent_what_there_is_of_them(command: Run, failed: str) -> None:
    checked(command)
    done = command("survey", "about", "pilot", failed, "--out", "about.csv")
    assert done.status == 0, done.err
    with Path("about.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    sheet = sheets_of()[0]
    assert {row["item"] for row in rows} - {""} == {
        *sheet.memes,
        *(each.id for each in sheet.entries if isinstance(each, Check)),
    }
    assert [row["answer"] for row in rows if row["question"] == "status"] == ["complete"]
    assert any(row["question"] == "excluded by attention" for row in rows)
    assert all(row["expected"] for row in rows if row["item"].startswith("check"))
    others = {str(each["participant"]) for each in everybody()} - {failed}
    assert not [other for other in others if other in Path("about.csv").read_text("utf-8")]
    assert "Nobody of the id" in command("survey", "about", "pilot", "someone-else").err


def test_where_nothing_was_taken_the_cause_and_its_command_are_said(
    command: Run, folder: Path
) -> None:
    build(command)
    assert command("survey", "export", "pilot", "--to", "csv", *CONTACT).status == 0
    strange = [{**each, "sheet": "r9-b01-XX"} for each in everybody()]
    done = command("survey", "import", "pilot", write(folder / "strange.json", strange))
    said = "all rows that came were rejected (unknown sheet 30)"
    assert said in done.out
    done = command("analyze", "pilot")
    assert said in done.err
    assert "memeloc survey import pilot FILES" in done.err
    hurried = [{**each, "submitted": "2026-03-01T10:00:05+00:00"} for each in everybody()]
    assert command("survey", "import", "pilot", write(folder / "back.json", hurried)).status == 0
    assert "all are excluded: speed 30" in command("survey", "check", "pilot").out
    done = command("analyze", "pilot")
    assert "all of 30 submissions are excluded (speed 30)" in done.err
    assert "memeloc survey check pilot --out excluded.csv" in done.err
