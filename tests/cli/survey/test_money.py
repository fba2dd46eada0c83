"""What people are paid: by the time that retained people take, and never below the wage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from memeloc.survey.model import Check, Sheet
from tests.cli.survey.test_survey import CONTACT, build, folder, rendered, saved, sheets_of, write
from tests.conftest import Outcome
from tests.survey import prolific_server

Run = Callable[..., Outcome]

__all__ = ["folder", "rendered"]  # fixtures, used by name

EXPORT = ("survey", "export", "pilot", "--to", "csv", *CONTACT)
QUICK = {"submitted": "2026-03-01T10:02:00+00:00"}
"""Two minutes, where others take eight."""


def filled(culture: str, people: int, **more: Any) -> Iterator[dict[str, Any]]:
    """Sheets of a culture, filled by some, who pass every check."""
    for sheet in sheets_of():
        for number in range(people if sheet.culture.code == culture else 0):
            yield saved(sheet, f"{sheet.id}-{number}", **more)


def careless(sheet: Sheet, who: str) -> dict[str, Any]:
    """Somebody quick who fails every check."""
    expected = {entry.id: entry.expected for entry in sheet.entries if isinstance(entry, Check)}
    answers = [
        {**answer, "label": "hate" if expected.get(answer["entry"]) != "hate" else "no-hate"}
        for answer in saved(sheet, who)["answers"]
    ]
    return dict(saved(sheet, who, answers=answers, **QUICK))


def planned(command: Run) -> dict[str, Mapping[str, Any]]:
    done = command("survey", "plan", "pilot", "--json")
    assert done.status == 0, done.err
    return {culture["culture"]: culture for culture in json.loads(done.out)["cultures"]}


def test_a_plan_goes_by_what_retained_people_took(command: Run, folder: Path) -> None:
    build(command)
    assert planned(command)["US"]["measured"] == 0
    hurried = [
        careless(sheet, f"{sheet.id}-q{n}")
        for sheet in sheets_of()
        if sheet.culture.code == "US"
        for n in range(6)
    ]
    people = [*filled("US", 3), *hurried, *filled("MX", 2)]
    assert command("survey", "import", "pilot", write(folder / "a.json", people)).status == 0
    by_culture = planned(command)
    assert (by_culture["US"]["minutes"], by_culture["US"]["measured"]) == (8, 6)
    assert [by_culture[code]["measured"] for code in ("DE", "MX")] == [0, 0]
    shown = command("survey", "plan", "pilot").err
    assert "assumed of DE, MX" in shown


def test_a_sheet_promises_no_less_than_people_took(command: Run, folder: Path) -> None:
    build(command)
    assert command(*EXPORT, "--minutes", "3").status == 0
    people = write(folder / "a.json", list(filled("US", 3)))
    assert command("survey", "import", "pilot", people).status == 0
    done = command(*EXPORT, "--minutes", "5", "--json")
    printed = json.loads(done.out)
    assert (printed["minutes"], printed["measured"]) == (8, 8)
    assert "nobody gets less than the wage" in done.err
    printed = json.loads(command(*EXPORT, "--minutes", "9", "--json").out)
    assert (printed["minutes"], printed["measured"]) == (9, 0)


@pytest.fixture
def prolific(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[prolific_server.ProlificServer]:
    """Prolific as the workspace's settings name it, with a token in the environment."""
    pytest.importorskip("httpx")
    monkeypatch.setenv("PROLIFIC_API_TOKEN", prolific_server.TOKEN)
    with prolific_server.ProlificServer().serving() as state:
        state.studies["study1"] = {"id": "study1", "status": "ACTIVE"}
        with (folder / "memeloc.toml").open("a", encoding="utf-8") as stream:
            stream.write(f'\n[survey.prolific]\nendpoint = "{state.address}"\nwage = "12"\n')
        yield state


def recruited(command: Run, server: prolific_server.ProlificServer, folder: Path) -> Path:
    """A sheet filled by five approved people, who took eight minutes for three; their export."""
    build(command)
    assert command(*EXPORT, "--minutes", "3").status == 0
    sheet = sheets_of()[0]
    numbers, people = ([f"{n + first:024x}" for n in range(5)] for first in (1, 101))
    server.awaiting(*numbers, study="study1", status="APPROVED")
    export = folder / f"{sheet.id}.csv"
    lines = [f"{own},{who},APPROVED,480" for own, who in zip(numbers, people, strict=True)]
    heading = "Submission id,Participant id,Status,Time taken"
    export.write_text("\n".join([heading, *lines, ""]), encoding="utf-8")
    answers = write(folder / "a.json", [saved(sheet, who) for who in people])
    assert command("survey", "import", "pilot", answers, export).status == 0
    return export


def test_what_longer_sheets_are_short_of_is_listed(
    command: Run, prolific: prolific_server.ProlificServer, folder: Path
) -> None:
    export = recruited(command, prolific, folder)
    status = command("survey", "status", "pilot")
    assert "US: people took 8 minutes (the median of 5 retained) and were promised 3" in status.out
    bonus = ("survey", "bonus", "pilot", "--from", export)
    done = command(*bonus, "--json")
    assert done.status == 0, done.err
    printed = json.loads(done.out)
    assert (printed["total"], printed["currency"], printed["unknown"]) == ("5.00", "GBP", 0)
    listed = (folder / "pilot-bonuses.csv").read_text(encoding="utf-8-sig").splitlines()
    line = f"{1:024x},{101:024x},{sheets_of()[0].id},1.00,GBP,time"
    assert (len(listed), line in listed) == (6, True)
