"""Recipes of curation: what the papers state, and how a file that cannot be is reported."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from memeloc.curate.recipes import NOT_STATED, load_recipe, recipe_names
from memeloc.errors import InputError


@pytest.mark.parametrize("name", recipe_names())
def test_each_setting_has_a_source(name):
    recipe = load_recipe(name)
    steps = ["select", *recipe.filters, *(["dedup"] if recipe.duplicates else [])]
    rows = {row["setting"]: row for row in recipe.use({step: {} for step in steps})["settings"]}
    assert all(row["stated"] and row["meaning"] for row in rows.values())
    stated = {key for key, row in rows.items() if row["stated"] != NOT_STATED}
    assert {f"{step}.{key}" for step, by in recipe.steps.items() for key in by} == stated
    for before, after in pairwise(line for line in recipe.funnel if line.left is not None):
        assert after.came == before.left
    for line in recipe.funnel:
        if None not in (line.came, line.out, line.left):
            assert line.came - line.out == line.left


@pytest.mark.parametrize(
    ("name", "step", "settings"),
    [
        ("harmeme", "dedup", {"keep": "largest", "rule": "paper"}),
        ("charmemes", "dedup", {"distance": 5, "same_likeness": 0.95, "ask_likeness": 0.85}),
        ("multi3hate", "select", {"per_template": 10, "templates_per_topic": 3, "top": 3}),
        ("multi3hate", "wordplay", {"people": 2, "disagreement": "drop"}),
        ("multi3hate", "multimodality", {"descriptions": 2}),
        ("araharmeme", "quality", {"reject": ["irrelevant"]}),
    ],
)
def test_constants_are_the_papers(name, step, settings):
    assert settings.items() <= load_recipe(name).settings(step).items()


def test_what_waits_is_not_counted_as_rejected():
    reasons = {
        "duplicates: near hash": {"same picture": 2},
        "language": {"other language": 1, "asked: unsure language": 1, "by a person": 1},
        "mixing": {"not judged yet": 3, "code-mixed": 1},
        "quality": {"asked: no text": 1, "cartoon": 2},
    }
    out = {stage: sum(counts.values()) for stage, counts in reasons.items()}
    lefts = [10, 7, 3, 0]
    stages = [
        {"stage": stage, "in": left + out[stage], "out": out[stage], "left": left}
        | {"reasons": reasons[stage], "templates_left": 0}
        for stage, left in zip(reasons, lefts, strict=True)
    ]
    *rows, last = load_recipe("harmeme").beside(stages)
    counts = {row["stage"]: row["here_out"] for row in rows}
    assert counts["(i) code-mixed or not in English"] == 3
    assert counts["waits for a person, or a filter"] == 5
    assert sum(counts.values()) == sum(out.values())
    assert last["here_left"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs the setting name"),
        ('name = "a"\npaper = "P"\ncolour = 1', "has no setting 'colour'"),
        ('name = "a"\npaper = "P"\nfilters = ["soup"]', "no filter 'soup'"),
        (
            'name = "a"\npaper = "P"\n[settings.dedup]\ndistance = {is = 99, stated = "1"}',
            "less than or equal to 16",
        ),
        ('name = "a"\npaper = "P"\n[settings.dedup]\ndistance = {is = 5}', "stated"),
        (
            'name = "a"\npaper = "P"\n[settings.quality]\nblank = {is = 5, stated = "1"}',
            "sets 'quality', which is none of dedup, select",
        ),
    ],
)
def test_a_wrong_recipe_is_reported(tmp_path: Path, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_recipe(path)
    assert message in str(error.value)
