"""`memeloc survey check`, `settle`, `status` and what is planned before: from answers to labels."""

from __future__ import annotations

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
    sheets_of,
    write,
)
from tests.conftest import Outcome

Run = Callable[..., Outcome]

__all__ = ["folder", "rendered"]  # fixtures, used by name


# Labels


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
