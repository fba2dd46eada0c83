"""Findings, parity and languages, from a manifest."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memeloc.errors import InputError
from memeloc.render.proof import KINDS
from memeloc.render.sets.manifest import SCHEMA
from memeloc.render.sets.reading import review


def row(meme: str, *kinds: str, size: float = 50.0, **others: object) -> dict[str, object]:
    return {
        "meme_id": meme,
        "template": "cloud-monday",
        "language": "en",
        "path": f"en/cloud-monday/{meme}.jpg",
        "font_size": [size, 0.0],
        "size_share": [size / 500, 0.0],
        "coverage": 0.2,
        "middle_coverage": 0.01,
        "problems": [kind for kind in kinds if KINDS[kind] != "note"],
        "findings": [
            {"kind": kind, "grade": KINDS[kind], "part": "top", "detail": f"{kind} of {meme}"}
            for kind in kinds
        ],
        **others,
    }


def write(out: Path, *rows: dict[str, object]) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows), schema=SCHEMA), out / "manifest.parquet")
    return out


def test_findings_stand_worst_first_and_notes_are_no_flaws(tmp_path: Path) -> None:
    rows = [
        row("a", "hyphenated"),
        row("b", "too small", "hyphenated", size=12.0),
        row("c", "too small", size=9.0),
        row("d", "missing glyph"),
        row("e"),
    ]
    report = review(write(tmp_path, *rows))
    found = report.findings[["grade", "kind", "detail"]].itertuples(index=False, name=None)
    assert [*found] == [
        ("fault", "missing glyph", "missing glyph of d"),
        ("warning", "too small", "too small of c"),
        ("warning", "too small", "too small of b"),
        ("note", "hyphenated", "hyphenated of b"),
        ("note", "hyphenated", "hyphenated of a"),
    ]
    assert (report.pictures, report.flawed) == (5, 3)


def test_of_sets_made_before_the_kinds_are_known(tmp_path: Path) -> None:
    older = row("a", findings=None, problems=["hyphenated", "overflow"])
    report = review(write(tmp_path, older))
    assert [*report.findings["kind"]] == ["overflow", "hyphenated"]


def test_another_table_is_not_taken_for_a_manifest(tmp_path: Path) -> None:
    pq.write_table(pa.table({"meme_id": ["a"]}), tmp_path / "manifest.parquet")
    with pytest.raises(InputError, match="has no column 'coverage'"):
        review(tmp_path)
