"""`memeloc locales`: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memeloc.cli import run
from memeloc.locales import default


def test_every_built_in_locale_is_covered_by_its_own_fonts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["locales", "check", "--all", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == []
    assert len(report["checks"]) == 2 * len(default())
    assert all(check["clusters"] >= 20 and not check["missing"] for check in report["checks"])


def test_a_new_locale_says_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["locales", "new", "ha"]) == 0
    output = capsys.readouterr()
    assert output.out.strip() == "locales/ha.toml"
    assert "memeloc locales check ha --locales locales" in output.err
    assert run(["locales", "check", "ha", "--locales", "locales"]) == 0
    assert run(["locales", "new", "ha"]) == 1
    assert "is there already" in capsys.readouterr().err
