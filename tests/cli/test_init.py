"""`memeloc init`: a workspace with its settings explained, once."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _own_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)


def test_a_workspace_is_made(command: Command, tmp_path: Path) -> None:
    made = command("init", tmp_path / "w", "--langs", "de, zh", "--json")
    assert made.status == 0
    assert json.loads(made.out)["languages"] == ["de", "zh-Hans"]
    settings = tomllib.loads((tmp_path / "w" / "memeloc.toml").read_text())
    assert settings["languages"] == ["de", "zh-Hans"]
    assert (tmp_path / "w" / "memeloc.db").is_file()


def test_a_second_one_leaves_the_first_alone(command: Command, tmp_path: Path) -> None:
    command("init", tmp_path)
    (tmp_path / "memeloc.toml").write_text("source = 'de'\n")
    again = command("init", tmp_path)
    assert again.status == 1
    assert again.err == f"memeloc: {tmp_path}/memeloc.toml: There is a workspace here already.\n"
    assert (tmp_path / "memeloc.toml").read_text() == "source = 'de'\n"


def test_the_working_directory_is_meant(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("init").status == 0
    assert "memeloc import TABLE" in command("status").out


def test_a_wrong_setting_stops_every_command(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("init", tmp_path)
    (tmp_path / "memeloc.toml").write_text("[correction]\nround = 3\n")
    monkeypatch.chdir(tmp_path)
    for arguments in (("status",), ("export", "captions", "--to", "x.csv")):
        failed = command(*arguments)
        assert failed.status == 1
        assert "memeloc.toml, row 2: memeloc.toml has no setting 'round'" in failed.err
        assert "did you mean 'rounds'" in failed.err
