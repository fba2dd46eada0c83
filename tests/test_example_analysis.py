"""examples/analyze.py: true values that are known, and intervals that hold them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from memeloc.agreement import krippendorff_alpha

EXAMPLE = Path(__file__).parents[1] / "examples" / "analyze.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_analysis", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_true_values_are_those_of_many_answers(example: ModuleType) -> None:
    population = example.Population()
    truths, answers = population.truths(), population.draw(4_000, 3)
    table, majority = answers.table, answers.majority
    for culture in population.cultures:
        own = table[table["culture"] == culture]
        assert krippendorff_alpha(own) == pytest.approx(truths[f"{culture}: alpha"], abs=0.03)
        share = (own["label"] == "funny").mean()
        assert share == pytest.approx(truths[f"{culture}: share of answers"], abs=0.03)
    same = (majority[:, 0] == majority[:, 2]).mean()
    assert same == pytest.approx(truths["A and C: agreement"], abs=0.03)


@pytest.mark.slow
def test_a_report_finds_the_careless_annotator(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["analyze.py", str(tmp_path)])
    example.main()
    printed = capsys.readouterr().out
    assert "annotators that stand out: C-4" in printed
    assert (tmp_path / "report.html").is_file()
