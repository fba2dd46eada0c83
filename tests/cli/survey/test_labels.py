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


def test_cultures_are_modelled_apart(
    command: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("crowdkit")
    monkeypatch.setattr("memeloc.workspace.settling.METHODS", ("dawid-skene",))  # the quick one
    from memeloc.survey.labels.settling import aggregate, differences, settle

    build(command)
    write(folder / "a.json", everybody(3))
    assert command("survey", "import", "pilot", "a.json").status == 0
    with Workspace.find() as workspace:
        survey = workspace.survey("pilot")
        result = survey.labels.settle(models=True)
    whole = aggregate(result.answers, survey.taxonomy, "dawid-skene")
    expected = differences(settle(result.answers, survey.taxonomy), dawid_skene=whole)
    assert result.differences is not None
    assert list(result.differences) == expected.to_dict(orient="records")
