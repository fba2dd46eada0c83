"""`memeloc survey check`, `settle`, `status` and what is planned before: from answers to labels."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.store import FileRecord
from memeloc.survey.model import Participant
from memeloc.survey.targets.protocol import Imported
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import (
    CONTACT,
    FILES,
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


# Labels


def test_ties_are_asked_again_until_there_is_a_majority(command: Run, folder: Path) -> None:
    build(command)
    tied = {"p4": "unknown"}
    assert (
        command("survey", "import", "pilot", write(folder / "1.json", everybody(**tied))).status
        == 0
    )
    first = json.loads(
        command("survey", "settle", "pilot", "--next", "--json", "--out", "labels.csv").out
    )
    assert {label["state"] for label in first["labels"]} == {"tied"}
    assert [one["batch"] for one in first["next"]] == ["r2-b01", "r2-b02"]
    assert {one["answers"] for one in first["next"]} == {1}
    again = json.loads(command("survey", "settle", "pilot", "--next", "--json").out)
    assert again["next"] == []  # places are open, so nothing is asked twice
    more = [saved(one, f"{one.id}-x", "hate") for one in sheets_of() if one.round == 2]
    assert command("survey", "import", "pilot", write(folder / "2.json", more)).status == 0
    last = json.loads(command("survey", "settle", "pilot", "--json").out)
    assert {(label["label"], label["state"]) for label in last["labels"]} == {("hate", "settled")}
    assert len(last["labels"]) == 14 * 3
    with (folder / "labels.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert {row["label"] for row in csv.DictReader(stream)} == {""}


def test_nothing_more_comes_with_close_and_only_then(command: Run, folder: Path) -> None:
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody(3))).status == 0
    waiting = json.loads(command("survey", "settle", "pilot", "--next", "--json").out)
    assert waiting["next"] == []
    assert {label["state"] for label in waiting["labels"]} == {"short"}
    closed = json.loads(command("survey", "settle", "pilot", "--close", "--next", "--json").out)
    assert {one["answers"] for one in closed["next"]} == {2}
    again = json.loads(command("survey", "settle", "pilot", "--close", "--next", "--json").out)
    assert again["next"] == []  # nobody has answered the new round yet: it is not closed


@pytest.mark.slow
def test_models_stand_beside_the_majority(command: Run, folder: Path) -> None:
    pytest.importorskip("crowdkit")
    build(command)
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody())).status == 0
    printed = json.loads(command("survey", "settle", "pilot", "--models", "--json").out)
    for difference in printed["differences"]:
        assert {"majority", "dawid_skene", "mace"} <= set(difference)


def test_status_counts_answers_and_money(command: Run, folder: Path) -> None:
    build(command)
    words = ("--to", "html", *CONTACT, *FILES, "--minutes", "10")
    assert command("survey", "export", "pilot", *words).status == 0
    assert command("survey", "import", "pilot", write(folder / "1.json", everybody(3))).status == 0
    people = [
        Participant(f"{sheet.id}-{n}", {}, f"{sheet.id}-{n}", sheet.id, status)
        for sheet in sheets_of()
        for n, status in enumerate(("APPROVED", "AWAITING REVIEW", "RETURNED"))
    ]
    with Workspace.find() as workspace:
        record = FileRecord("submissions", "people.csv", "f" * 64, len(people))
        workspace.store.surveys.add_submissions("pilot", record, Imported((), tuple(people)))
    printed = json.loads(command("survey", "status", "pilot", "--wage", "12", "--json").out)
    assert printed["whole"]["wanted"] == 14 * 3 * 5
    assert printed["whole"]["sent"] == 18
    assert [culture["name"] for culture in printed["cultures"]] == ["US", "DE", "MX"]
    # Ten minutes at 12.00 an hour are 2.00, with a fee of a third 2.67; six sheets.
    assert (printed["money"]["paid"], printed["money"]["owed"]) == ("16.02", "16.02")
    assert printed["currency"] == "GBP"
    assert json.loads(command("survey", "status", "--json").out)["surveys"][0]["survey"] == "pilot"
    for by in ("culture", "batch", "sheet"):
        assert command("survey", "status", "pilot", "--by", by).status == 0


# Before


def test_a_plan_counts_people_minutes_and_money(command: Run) -> None:
    done = command(
        "survey", "plan", "--memes", "300", "--cultures", "US,DE,MX,IN,CN", "--json",
        "--wage", "12", "--loss", "0", "--fee", "0.25", "--vat", "0.2",
    )  # fmt: skip
    printed = json.loads(done.out)
    assert [culture["annotators"] for culture in printed["cultures"]] == [75] * 5
    # 24 entries of 20 seconds and 180 for the introduction are 11 minutes, which pay 2.20.
    assert {(culture["minutes"], culture["reward"]) for culture in printed["cultures"]} == {
        (11, "2.20")
    }
    assert printed["total"] == "1072.50"  # 825.00 to people, 206.25 fee, 41.25 tax
    build(command)
    printed = json.loads(command("survey", "plan", "pilot", "--json").out)
    assert [culture["sheets"] for culture in printed["cultures"]] == [2, 2, 2]
    done = command("survey", "plan", "--wage", "much")
    assert (done.status, "the setting wage of the pay" in done.err) == (1, True)


def test_power_is_found_by_simulation(command: Run) -> None:
    printed = json.loads(command("survey", "power", "--draws", "500", "--json").out)
    five = next(
        one for one in printed["majority"] if (one["answers"], one["agreement"]) == (5, 0.8)
    )
    assert five["right"] == pytest.approx(0.942, abs=0.04)  # binomial: P(X >= 3), n 5, p 0.8
    assert printed["difference"][0]["items"] == 50


@pytest.mark.parametrize(
    "words",
    [
        ("export", "nothing", "--to", "html"),
        ("import", "nothing", "x.json"),
        ("check", "nothing"),
        ("decide", "nothing"),
        ("settle", "nothing"),
        ("status", "nothing"),
        ("choose", "nothing"),
        ("plan", "nothing"),
        ("filters", "nothing"),
    ],
)
def test_an_unknown_survey_is_a_sentence(command: Run, words: tuple[str, ...]) -> None:
    done = command("survey", *words)
    assert done.status == 1
    assert "There is no survey 'nothing'; there are none." in done.err
