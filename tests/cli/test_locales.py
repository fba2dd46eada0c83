"""`memeloc locales`: what it prints and how it ends."""

from __future__ import annotations

import json

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
