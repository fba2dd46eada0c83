"""Labels that people decide: listed with their votes, filled in, read back, and settled."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.workspace import Workspace
from memeloc.workspace.surveys.discussing import GivenDecision
from tests.cli.survey.test_survey import build, everybody, folder, rendered, write
from tests.conftest import Outcome

__all__ = ["folder", "rendered"]  # fixtures, used by name

Run = Callable[..., Outcome]
SESSION = {"people": ("anna", "ben"), "reason": "session of May"}


@pytest.fixture
def tied(command: Run, folder: Path) -> Path:
    """A survey whose every label is tied after five answers."""
    build(command)
    file = write(folder / "back.json", everybody(p4="unknown"))
    assert command("survey", "import", "pilot", file).status == 0
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def filled(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_table_of_what_is_open_comes_back_half_filled_and_sorted(tied: Path) -> None:
    with Workspace.find() as workspace:
        survey = workspace.survey("pilot")
        result = survey.decide_labels(out=tied / "open.csv")
        rows = rows_of(tied / "open.csv")
        assert len(rows) == len(result.open) == 14 * 3
        assert {row["votes"] for row in rows} == {"hate: 2 | no-hate: 2 | unknown: 1"}
        assert all(row["text"] for row in rows)
        random.Random(3).shuffle(rows)
        rows[0]["label"], rows[1]["label"] = "hate", "Not hate speech"
        rows[1]["people"], rows[1]["reason"] = "carl; dora", "an idiom"
        done = survey.decide_labels(file=filled(tied / "back.csv", rows), **SESSION)
        assert (done.new, len(done.open)) == (2, 40)
        again = survey.decide_labels(file=tied / "back.csv", **SESSION)
        assert (again.new, again.known) == (0, 2)
        table = survey.settle().table.set_index(["item", "culture"])
    for row, label in zip(rows[:2], ("hate", "no-hate"), strict=True):
        settled = table.loc[(row["item"], row["culture"])]
        assert (settled["label"], settled["state"]) == (label, "decided")
    assert (table["state"] == "tied").sum() == 40
    assert [each.reason for each in done.decided] == ["session of May", "an idiom"]
    assert {len(each.people) for each in done.decided} == {2}
    assert "anna" not in str(done.decided), "people are stored as hashes"


_SLIPS: list[tuple[dict[str, object], str]] = [
    ({"item": "m-none"}, "does not ask about 'm-none'"),
    ({"culture": ""}, "name its culture"),
    ({"label": "perhaps"}, "'perhaps' is no label; there are hate, no-hate"),
    ({"label": "unknown"}, "'unknown' is no label"),
    ({"label": ""}, "nothing is decided"),
    ({"people": ()}, "does not say who decided"),
    ({"reason": " "}, "does not say why"),
    ({"further": {"target": ["society"]}}, "there is no question 'target'"),
]


def test_what_cannot_be_is_a_sentence_and_nothing_is_stored(tied: Path) -> None:
    with Workspace.find() as workspace:
        survey = workspace.survey("pilot")
        item = sorted(survey.memes)[0]
        right = {"item": item, "culture": "DE", "label": "hate", **SESSION}
        for change, message in _SLIPS:
            wrong = GivenDecision(**{**right, **change})  # type: ignore[arg-type]
            with pytest.raises(InputError, match=message):
                survey.decide_labels([GivenDecision(**right), wrong])  # type: ignore[arg-type]
        assert survey.decide_labels().decided == ()


def test_who_decided_is_forgotten_and_the_decision_stays(tied: Path) -> None:
    with Workspace.find() as workspace:
        survey = workspace.survey("pilot")
        item = sorted(survey.memes)[0]
        survey.decide_labels([GivenDecision(item, "DE", "hate", {}, ("anna", "ben"), "irony")])
        workspace.surveys.forget(["anna"], agree=lambda _: True)
        (kept,) = workspace.store.label_decisions.find("pilot")
        assert kept.people == (workspace.store.surveys.hash_participant("ben"),)
        assert kept.label == "hate"
