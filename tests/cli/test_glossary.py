"""`memeloc glossary`: the terms of the file that the settings name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]


def test_its_terms_are_listed_by_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    assert command("init", tmp_path, "--langs", "de,hi").status == 0
    monkeypatch.chdir(tmp_path)
    assert "Name one" in command("glossary").out
    settings = tmp_path / "memeloc.toml"
    toml = settings.read_text(encoding="utf-8")
    settings.write_text(toml.replace('glossary = ""', 'glossary = "g.csv"'), encoding="utf-8")
    table = tmp_path / "g.csv"
    table.write_text("term,de,hi forbidden\nbug,Fehler*,कीड़ा\n", encoding="utf-8")
    done = json.loads(command("glossary", "--json").out)
    assert [list(term.values()) for term in done["terms"]] == [
        ["de", "bug", "Fehler", "", ""],
        ["hi", "bug", "", "कीड़ा", ""],
    ]
    table.write_text("term,de\nbug,Feh*ler\n", encoding="utf-8")
    failed = command("glossary", "--langs", "de")
    assert (failed.status, "row 2, column de" in failed.err) == (1, True)
