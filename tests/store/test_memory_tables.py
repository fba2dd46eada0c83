"""The translation memory, the tables for pandas, and the counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

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
