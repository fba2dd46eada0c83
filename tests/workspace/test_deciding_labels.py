"""Labels that people decide: listed with their votes, filled in, read back, and settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.workspace import Workspace
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
            with pytest.raises(InputError, match=message):
                survey.labels.decide([right, {**right, **change}])
        assert survey.labels.decide()["decided"] == []


def test_who_decided_is_forgotten_and_the_decision_stays(tied: Path) -> None:
    with Workspace.find() as workspace:
        survey = workspace.survey("pilot")
        item = sorted(survey.memes)[0]
        survey.labels.decide([{"item": item, "culture": "DE", "label": "hate", **SESSION}])
        workspace.surveys.forget(["anna"], agree=lambda _: True)
        (kept,) = workspace.store.surveys.decisions("pilot")
        assert kept.people == (workspace.store.surveys.hash_participant("ben"),)
        assert kept.values == {"label": ("hate",)}
