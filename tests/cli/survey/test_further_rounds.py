"""Rounds of what is open: what they cost is said first, and nobody is asked what is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memeloc import Workspace
from memeloc.studio.serving import serve_survey
from tests.cli.survey.test_survey import (
    CONTACT,
    build,
    everybody,
    folder,
    rendered,
    saved,
    sheets_of,
    write,
)
from tests.conftest import Outcome

Run = Callable[..., Outcome]

__all__ = ["folder", "rendered"]  # fixtures, used by name

HURRIED = "2026-03-01T10:00:05+00:00"
EXPORT = ("survey", "export", "pilot", "--to", "csv", *CONTACT, "--json")


@pytest.fixture
def hurried(command: Run, folder: Path) -> Path:
    """A survey whose five people of Mexico all answer in five seconds; the others take time."""
    build(command)
    answers = [
        {**answer, "submitted": HURRIED} if answer["sheet"].endswith("-MX") else answer
        for answer in everybody(5)
    ]
    done = command("survey", "import", "pilot", write(folder / "back.json", answers))
    assert done.status == 0, done.err
    assert command("survey", "check", "pilot").status == 0
    return folder


def settle(command: Run, *more: str) -> Any:
    done = command("survey", "settle", "pilot", "--json", *more)
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_pay_is_said_where_a_wage_is_named(command: Run, hurried: Path) -> None:
    assert settle(command, "--close")["cost"] is None
    with (hurried / "memeloc.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[survey.prolific]\nwage = "12.00"\ncurrency = "GBP"\n')
    cost = settle(command)["cost"]
    (mexico,) = (row for row in cost["cultures"] if row["sheets"])
    assert (mexico["culture"], mexico["recruits"]) == ("MX", 10)
    assert float(mexico["rewards"]) == 10 * float(mexico["reward"]) > 0
    assert float(cost["total"]) == float(mexico["total"])
    total = f"{float(cost['total']):,.2f} GBP with fee and tax"
    assert f"10 annotators, {total}" in command("survey", "settle", "pilot").out
    assert f"10 annotators, {total}" in command("survey", "settle", "pilot", "--next").out


@pytest.mark.parametrize("settles", [True, False], ids=["settled again", "not settled again"])
def test_what_is_settled_in_the_meantime_stays_here(
    command: Run, hurried: Path, settles: bool
) -> None:
    settle(command, "--close", "--next")
    assert command("survey", "check", "pilot", "--without", "speed").status == 0
    if settles:
        done = command("survey", "settle", "pilot")
        assert (
            "Withdrawn, as they were to ask for more than is needed by now: r2-b01-MX, r2-b02-MX"
            in done.out
        )
        assert {sheet.round for sheet in sheets_of()} == {1}
    done = command(*EXPORT)
    assert (done.status, "Nothing goes out" in done.err) == (1, True)
    assert not (hurried / "surveys" / "pilot" / "csv").exists()
    served = command("survey", "serve", "pilot", *CONTACT, "--links", "MX=1")
    assert (served.status, "Nothing goes out" in served.err) == (1, True)
    assert json.loads(command("survey", "status", "pilot", "--json").out)["whole"]["places"] == 0


def test_a_server_lets_nobody_begin_what_is_known(command: Run, hurried: Path) -> None:
    settle(command, "--close", "--next")
    with Workspace.find() as workspace:
        server = serve_survey(workspace.survey("pilot"), contact="lab@university.example")
        place = server.join({"participant": "ada", "culture": "MX"})
        assert place.kind == "place"
    assert command("survey", "check", "pilot", "--without", "speed").status == 0
    with Workspace.find() as workspace:
        server = serve_survey(workspace.survey("pilot"), contact="lab@university.example")
        assert server.join({"participant": "bo", "culture": "MX"}).kind == "message"
        again = server.join({"participant": "ada", "culture": "MX"})  # who has begun may end
        assert (again.kind, again.values["token"]) == ("place", place.values["token"])


def test_what_is_open_still_is_planned_anew(command: Run, hurried: Path) -> None:
    settle(command, "--close", "--next")
    late = [saved(sheet, "ana", "hate") for sheet in sheets_of() if sheet.id == "r1-b01-MX"]
    late += [saved(sheet, f"ana-{n}", "hate") for sheet in sheets_of() for n in range(5)
             if sheet.id == "r1-b02-MX"]  # fmt: skip
    imported = command("survey", "import", "pilot", write(hurried / "late.json", late))
    assert imported.status == 0, imported.err
    (first, second) = (sheet for sheet in sheets_of() if sheet.round == 2)
    settled = settle(command)
    # One sheet has memes that are settled, the other asks five people where four are enough.
    assert settled["withdrawn"] == [first.id, second.id]
    assert (settled["to_ask"], settled["places"]) == (7, 4)
    (batch,) = settle(command, "--next")["next"]
    assert (batch["batch"], batch["answers"]) == ("r3-b01", 4)
    assert json.loads(command(*EXPORT).out)["sheets"] == ["r3-b01-MX"]
