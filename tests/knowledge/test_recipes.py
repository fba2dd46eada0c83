"""Dimensions and recipes as they ship and as a team writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.knowledge.dimensions import dimension_names, read_recipe, recipe_names

ORDERS = {
    "m-quest": "textual visual scene background intent emotion community semiotic analogical "
    "toxicity",
    "m-quest-code": "intent textual visual scene background emotion analogical semiotic toxicity "
    "community",
}
HUMOUR = """
id = "humour"
name = "Humour"
class = "Humour"
definition = "What is funny."
extract = "State what is funny."
question = "What is funny in this meme?"
"""


def written(folder: Path, text: str) -> str:
    (folder / "humour.toml").write_text(HUMOUR)
    path = folder / "own.toml"
    path.write_text(text)
    return str(path)


def test_shipped_recipes_have_all_ten_dimensions_in_order() -> None:
    assert recipe_names() == ("m-quest", "m-quest-code")
    for name, order in ORDERS.items():
        recipe = read_recipe(name)
        assert list(recipe.by_id) == order.split()
        assert sorted(recipe.by_id) == list(dimension_names())
        assert recipe.link == "toxicity"


def test_m_quest_shows_all_earlier_and_its_code_what_it_prints() -> None:
    assert read_recipe("m-quest").contexts["scene"] == ("textual", "visual")
    contexts = read_recipe("m-quest-code").contexts
    assert contexts["intent"] == ()
    assert contexts["scene"] == ("intent", "visual")
    assert "emotion" not in contexts["semiotic"]
    assert "emotion" not in contexts["community"]
    assert len(contexts["toxicity"]) == 8


def test_a_team_may_add_a_dimension_in_a_file(tmp_path: Path) -> None:
    text = 'name = "tea"\norder = ["textual", "humour.toml"]\n[contexts]\nhumour = ["textual"]'
    recipe = read_recipe(written(tmp_path, text))
    assert recipe.contexts == {"textual": (), "humour": ("textual",)}
    assert recipe.sha256 != read_recipe("m-quest").sha256


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ('order = ["textual", "smell"]', "no dimension 'smell'"),
        ('order = ["textual", "textual"]', "textual stands in the order twice"),
        ('order = ["textual"]\nlink = "toxicity"', "link names 'toxicity'"),
        ('order = ["textual"]\n[contexts]\ntextual = ["smell"]', "name the dimension 'smell'"),
        (
            'order = ["scene", "visual"]\n[contexts]\nscene = ["visual"]',
            "put visual before it",
        ),
        (
            'order = ["scene", "visual"]\n[contexts]\nscene = ["visual"]\nvisual = ["scene"]',
            "in a circle: (scene is shown to visual is shown to scene|visual is shown to scene)",
        ),
        ('order = ["scene"]\n[contexts]\nscene = ["scene"]', "circle: scene is shown to scene"),
        ('order = ["humour.toml", "gone.toml"]', "gone.toml: cannot be read"),
    ],
)
def test_wrong_recipe_is_refused_with_a_sentence(tmp_path: Path, lines: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_recipe(written(tmp_path, f'name = "own"\n{lines}'))
