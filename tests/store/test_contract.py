"""Both databases hold the same: one study, made on SQLite and on PostgreSQL, gives equal tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import worlds

TABLES = ("captions", "history", "memes", "corrections", "cases", "memory", "sheets", "files")
# Times, and ids that are drawn; what is stored of a file is told by its hash.
VOLATILE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+|\b[0-9a-f]{12,64}\b")


def test_one_study_gives_the_same_tables_on_both_databases(
    postgresql: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMELOC_SURVEY_KEY", "k" * 43)
    printed = []
    for name, url in (("sqlite", ""), ("postgresql", postgresql())):
        monkeypatch.setenv("MEMELOC_DATABASE_URL", url)
        folder = tmp_path / name
        worlds.make_captions(folder)
        worlds.make_translated(folder)
        worlds.make_corrected(folder)
        worlds.make_rendered(folder)
        worlds.make_surveyed(folder, ["US", "DE"])
        worlds.make_answered(folder)
        checked = worlds.memeloc(folder, "survey", "check", "pilot", "--json")
        settled = worlds.memeloc(folder, "survey", "settle", "pilot", "--json")
        for table in TABLES:
            worlds.memeloc(folder, "export", table, "--to", f"{table}.csv")
        texts = [VOLATILE.sub("", (folder / f"{table}.csv").read_text()) for table in TABLES]
        printed.append([checked, json.loads(settled)["states"], *map(str.splitlines, texts)])
        assert (folder / "memeloc.db").exists() == (name == "sqlite")
    assert printed[0] == printed[1]
