"""`memeloc survey show recipes`, `status --by person`, and building by a recipe."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.survey.recipes import load_recipe
from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import folder, rendered
from tests.conftest import Outcome

Run = Callable[..., Outcome]

__all__ = ["folder", "rendered"]  # fixtures, used by name

GUIDE = Path(__file__).parents[3] / "guides" / "taxonomies.md"


@pytest.fixture
def team(folder: Path) -> Path:
    path = folder / "team.csv"
    path.write_text("participant\nann@lab.example\nben@lab.example\ncem@lab.example\n")
    return path


def test_recipes_rules_come_before_memeloc_toml(command: Run, folder: Path, team: Path) -> None:
    with (folder / "memeloc.toml").open("a", encoding="utf-8") as stream:
        stream.write("\n[survey.settle]\nmost = 9\nextra = 2\n")
    command(
        "survey", "build", "ara", "--recipe", "araharmeme", "--people", team, "--cultures", "US"
    )
    with Workspace.find() as workspace:
        survey = workspace.survey("ara")
        assert survey.settings("settle") == {
            "rule": "absolute majority", "ties": "ask", "most": 3, "extra": 2,
                "further": ["ocr-text"],
        }  # fmt: skip
        assert not survey.answers.check().rules.speed.on


def test_recipe_of_the_guide_is_one(tmp_path: Path) -> None:
    *_, text = re.findall(r"```toml\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    recipe = load_recipe(file, "trial")
    assert (recipe.design.sharing, recipe.design.sample) == ("all", 30)
    assert load_recipe(file).settling.questions == ("target",)
