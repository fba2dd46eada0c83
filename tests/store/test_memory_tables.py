"""The translation memory, the tables for pandas, and the counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from memeloc.errors import InputError
from memeloc.store import FileRecord, Store
from memeloc.translate.memory import MemoryUnit
from tests.store.conftest import answer, import_table, send


def _unit(source: str, target: str) -> MemoryUnit:
    return MemoryUnit(
        "en", "de", (source,), (target,), "old.tmx", "", "", datetime(2020, 1, 1, tzinfo=UTC)
    )


def test_what_people_accepted_is_memory(filled: Store, write_table: Callable[..., Path]) -> None:
    assert filled.memory.find("en", "de") == []  # a machine's text is none
    send(filled, "s1")
    answer(filled, "s1", {"one": "erste // Fassung", "three": "dritte"})
    answer(filled, "s1", {"one": "bessere // Fassung"}, outcome="replaced")
    units = {unit.meme_id: (unit.source, unit.target) for unit in filled.memory.find("en", "de")}
    assert units == {
        "one": (("first", "joke"), ("bessere", "Fassung")),
        "three": (("third",), ("dritte",)),
    }
    # What was right for an earlier source stays right for it.
    import_table(filled, write_table(("three", "protest-hamster", "third, newer")))
    assert {unit.meme_id for unit in filled.memory.find("en", "de")} == {"one", "three"}
    assert filled.memory.find("en", "hi") == []


def test_units_from_outside_are_kept_once(filled: Store) -> None:
    file = FileRecord("memory", "old.tmx", "e" * 64, 2)
    units = [_unit("yes", "ja"), _unit("no", "nein"), _unit("yes", "ja")]
    assert filled.memory.add(units, file) == 2
    assert filled.memory.add(units, file) == 0
    assert filled.memory.add([_unit("yes", "jawohl")]) == 1
    assert [unit.target for unit in filled.memory.find("en", "de")] == [
        ("ja",),
        ("nein",),
        ("jawohl",),
    ]
    assert list(filled.exports.frame("memory")["origin"]) == ["old.tmx"] * 3


def test_tables_are_frames_with_types(filled: Store) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    captions = filled.exports.frame("captions", ["en"])
    assert list(captions.columns) == ["meme_id", "template", "en", "de"]
    assert list(captions["de"]) == ["von // Hand", "de second // de joke", "de third"]
    history = filled.exports.frame("history")
    assert isinstance(history["created_at"].dtype, pd.DatetimeTZDtype)
    assert history["source_id"].isna().sum() == 3
    corrections = filled.exports.frame("corrections").iloc[0]
    assert (corrections["person"], corrections["file"].startswith("s1-")) == ("ann", True)
    assert list(filled.exports.frame("sheets")["captions"]) == [3]
    with pytest.raises(InputError, match="no table 'nope'; there are captions, history"):
        filled.exports.frame("nope")


def test_an_empty_workspace_has_empty_tables(store: Store, tmp_path: Path) -> None:
    from memeloc.store.exports import TABLES

    for name in TABLES:
        assert len(store.exports.frame(name)) == 0
        for ending in ("csv", "jsonl", "parquet"):
            assert store.exports.write(name, tmp_path / f"{name}.{ending}") == 0


def test_the_counts(filled: Store, write_table: Callable[..., Path]) -> None:
    send(filled, "s1")
    answer(filled, "s1", {"one": "von // Hand"})
    answer(filled, "s1", {"two": ""}, outcome="case", status="culture")
    import_table(filled, write_table(("three", "protest-hamster", "third, newer")))
    counted = {row.language: row for row in filled.captions.status(["de", "hi"])}
    assert list(counted) == ["en", "de", "hi"]
    german = counted["de"]
    assert dict(german.stages) == {"corrected 1": 1, "translated": 1}
    assert (german.missing, german.changed_source, german.to_settle) == (0, 1, 1)
    assert (counted["hi"].missing, counted["en"].source) == (3, True)
