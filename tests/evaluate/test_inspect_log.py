"""Answers as logs of inspect, read back by inspect."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pytest

from memeloc.errors import MissingError
from memeloc.evaluate.answers import ModelAnswers
from memeloc.evaluate.gold import Gold
from memeloc.evaluate.inspect_log import write_inspect_logs


def _answers() -> pd.DataFrame:
    rows = [
        {"model": "tiny/1", "item": "007", "choice": "Hate", "answer": "a", "order": 0},
        {"model": "tiny/1", "item": "007", "choice": "Non-hate", "answer": "a", "order": 1},
        {"model": "tiny/1", "item": "12", "choice": "", "answer": "चाय", "invalid": True},
        {"model": "big", "item": "12", "choice": "Hate", "answer": "b", "order": 0},
    ]
    table = ModelAnswers.of(pd.DataFrame(rows).fillna({"invalid": False, "order": 0})).table
    return table.assign(prompt="Is it tea?", answered_at="2026-03-01T10:00:00+00:00")


def test_without_inspect_its_pip_line_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(MissingError, match=r"pip install 'memeloc\[inspect\]'"):
        write_inspect_logs(_answers(), tmp_path, task="tea")


@pytest.mark.slow
def test_inspect_reads_the_logs_back(tmp_path: Path) -> None:
    logs = pytest.importorskip("inspect_ai.log", reason="the extra inspect is not installed")
    gold = Gold(
        pd.DataFrame({"US": ["Hate", "Hate"], "DE": ["Non-hate", None]}, index=["007", "12"]),
        ("Hate", "Non-hate"),
    )
    paths = write_inspect_logs(
        _answers(), tmp_path, task="tea", gold=gold, about={"Dataset": "memes"}
    )
    assert [path.name for path in paths] == ["tea-tiny-1.eval", "tea-big.eval"]
    log = logs.read_eval_log(str(paths[0]))
    assert (log.status, log.eval.model, log.eval.dataset.name) == ("success", "tiny/1", "memes")
    assert len(log.samples) == 3
    accuracies = {each.name: each.metrics["accuracy"].value for each in log.results.scores}
    assert accuracies == {"US": pytest.approx(1 / 3), "DE": 0.5}
    first, _, invalid = log.samples
    assert (first.input, first.output.completion) == ("Is it tea?", "a")
    assert {name: score.value for name, score in first.scores.items()} == {"US": "C", "DE": "I"}
    assert (invalid.scores["US"].value, invalid.output.completion) == ("N", "चाय")
    assert log.eval.created.startswith("2026-03-01")
