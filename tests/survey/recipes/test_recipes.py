"""Recipes' files: what ships holds what the papers fix, and what cannot be is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.survey.quality.rules import read_rules
from memeloc.survey.recipes import load_recipe
from tests.each import each

NAMED = ("harmeme", "araharmeme", "charmemes", "m-quest")
MINE = """
name = "mine"
taxonomy = "multi3hate"

[design]
answers = 3

[check.speed]
seconds_per_entry = 4.0
fewest = 5

[settle]
most = 7

[mode.trial]
summary = "A trial."

[mode.trial.design]
sample = 30

[mode.trial.check.speed]
fewest = 9
"""


def test_multi3hate_asks_five_people_and_on_without_a_limit() -> None:
    recipe = load_recipe("multi3hate")
    assert (recipe.design.answers, recipe.design.explicit, recipe.design.implicit) == (5, 1, 3)
    assert recipe.settling.most == 0
    assert recipe.design.sharing == "open"


def test_charmemes_validates_on_200_memes_and_labels_by_two() -> None:
    validation = load_recipe("charmemes", "validation").design
    assert (validation.sharing, validation.sample) == ("all", 200)
    labelling = load_recipe("charmemes")
    assert labelling.mode == "labelling"
    assert (labelling.design.sharing, labelling.design.answers) == ("turns", 2)


@each("name", NAMED)
def test_named_teams_are_not_tested_timed_or_recruited(name: str) -> None:
    recipe = load_recipe(name)
    rules = read_rules(recipe.check)
    off = (rules.attention, rules.speed, rules.straight, rules.screening, rules.person)
    assert not any(rule.on for rule in off)
    assert rules.status.on
    assert rules.outlier.on
    assert (recipe.design.explicit, recipe.design.implicit) == (0, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINE + "[design2]\n", "design2"),
        (MINE.replace("answers = 3", "answers = 0"), "answers"),
        (MINE.replace("most = 7", "most = -1"), "most"),
        (MINE.replace("fewest = 5", "luck = 5"), "luck"),
        (MINE.replace("sample = 30", 'sharing = "nobody"'), "sharing"),
        (MINE.replace('name = "mine"', ""), "name"),
    ],
)
def test_what_cannot_be_is_a_sentence(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_recipe(tmp_path / "mine.toml")
