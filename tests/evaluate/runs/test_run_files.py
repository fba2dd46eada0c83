"""Run files: shipped ones, ones like them, and what is wrong with others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memeloc.evaluate.runs.dataset import as_label
from memeloc.evaluate.runs.prompts import read_prompts
from memeloc.evaluate.runs.run import read_run, run_names
from memeloc.resources import folder
from memeloc.taxonomy import load_taxonomy
from tests.each import each


@each("name", run_names())
def test_a_shipped_run_fits_its_prompts(name: str) -> None:
    run, where = read_run(name)
    prompts = read_prompts(run.prompts, where, run.labels)
    assert run.source
    assert prompts.languages


def test_multi3hate_keeps_the_papers_constants() -> None:
    run, where = read_run("multi3hate")
    prompts = read_prompts(run.prompts, where, run.labels)
    assert list(prompts.languages) == ["en", "de", "es", "hi", "zh"]
    assert {len(texts.wordings) for texts in prompts.languages.values()} == {3}
    assert (run.orders, run.reasks, run.max_tokens) == ((0, 1), 0, 40)
    assert (run.temperature, run.picture_side, run.definition) == (0.0, 512, True)


@pytest.mark.parametrize("name", ["multi3hate", "araharmeme", "charmemes"])
def test_labels_of_a_survey_are_labels_of_the_run(name: str) -> None:
    run, _ = read_run(name)
    voted = [label.id for label in load_taxonomy(name).of_role("vote")]
    assert {as_label(label, run) for label in voted} == set(run.labels)


def test_the_files_of_the_guide_can_be_read(tmp_path: Path) -> None:
    guide = (folder("guides") / "evaluation.md").read_text(encoding="utf-8")
    run_file, prompts_file = re.findall(r"^```toml\n(.*?)^```", guide, re.M | re.S)[:2]
    (tmp_path / "run.toml").write_text(run_file, encoding="utf-8")
    (tmp_path / "prompts.toml").write_text(prompts_file, encoding="utf-8")
    run, where = read_run(tmp_path / "run.toml")
    assert [model.title for model in run.models] == ["small-vl", "text-only"]
    assert run.models[1].inputs == ("text",)
    prompts = read_prompts("prompts.toml", where, run.labels)
    assert prompts.of("en").countries == {"DE": "Germany"}
