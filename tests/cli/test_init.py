"""`memeloc init`: a workspace with its settings explained, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _own_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)


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
        assert "memeloc.toml, row 2: memeloc.toml has no setting 'correction.round'" in failed.err
        assert "did you mean 'rounds'" in failed.err
