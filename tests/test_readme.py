"""The README: its path from a table to a release runs as it stands, but for the installation."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.conftest import Outcome

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_first_screen_has_at_most_90_lines() -> None:
    assert len(README.splitlines()) <= 90


@pytest.mark.slow
def test_the_whole_path_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Outcome]
) -> None:
    for name in ("MEMELOC_DATABASE_URL", "MEMELOC_SURVEY_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    _, _, path = README.partition("## The whole path")
    block = re.findall(r"^```sh\n(.*?)^```", path, re.M | re.S)[0]
    for line in re.split(r"\n| && ", block.strip()):
        match shlex.split(line, comments=True):
            case ["pip", *_]:
                pass
            case ["cd", folder]:
                monkeypatch.chdir(folder)
            case ["python", *arguments]:
                monkeypatch.setattr(sys, "argv", arguments)
                runpy.run_path(arguments[0], run_name="__main__")
            case ["memeloc", *arguments]:
                outcome = command(*arguments)
                assert outcome.status == 0, f"{line}\n{outcome.err}"
            case _:
                pytest.fail(f"a line that no shell of this test knows: {line}")
    labels = pd.read_csv("labels.csv")
    assert set(labels["culture"]) == {"US", "DE", "MX"}
    assert labels["item"].nunique() == 68
    assert Path("analysis/report.html").is_file()
    released = pd.concat(map(pd.read_parquet, Path("../my-dataset").rglob("*.parquet")))
    assert set(released["language"].dropna()) == {"en", "de", "es", "hi"}
