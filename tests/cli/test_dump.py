"""`memeloc dump` and `memeloc load`: what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]


def test_a_dump_is_loaded(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    command("init", "--langs", "de")
    Path("table.csv").write_text("meme_id,template,en\na,cloud-monday,one\n", encoding="utf-8")
    command("import", "table.csv")
    dumped = json.loads(command("dump", "../dump", "--json").out)
    assert dumped["rows"]["captions"] == 1
    assert "There is a dump here already" in command("dump", "../dump").err
    loaded = command("load", "../dump", "../new")
    assert loaded.out == "Loaded 3 rows and 1 file into ../new.\n"
    assert command("load", "../dump", "../new").out.startswith("Nothing is new")
    refused = command("load", "../new", "../newer")
    assert (refused.status, "not a dump of a workspace" in refused.err) == (1, True)
