"""guides/training.md: its run file is a run, and its Python works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memeloc.evaluate.training import read_run
from memeloc.resources import folder

TEXT = (folder("guides") / "training.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_the_run_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(blocks("toml")[0], encoding="utf-8")
    run = read_run(tmp_path / "run.toml")
    assert run.dataset.path == str(tmp_path / "memes.csv")
    assert [model.name for model in run.models] == ["majority", "text", "text + picture"]


@pytest.mark.slow
def test_the_python_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec("\n".join(blocks("python")), {"__name__": "guide"})
    assert capsys.readouterr().out.splitlines()[1] == "['weather', 'weather']"
