"""Problems, parity and languages, from a manifest."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memeloc.errors import InputError
from memeloc.render.sets.manifest import SCHEMA
from memeloc.render.sets.review import review


def row(
    meme: str,
    language: str,
    *,
    sizes: tuple[float, ...] = (50.0, 40.0),
    coverage: float = 0.2,
    middle: float = 0.01,
    problems: tuple[str, ...] = (),
    contrast: tuple[float | None, ...] = (12.0, None),
    missing: tuple[str, ...] = (),
    truncated: int = 0,
    **others: object,
) -> dict[str, object]:
    return {
        "meme_id": meme,
        "template": "cloud-monday",
        "language": language,
        "path": f"{language}/cloud-monday/{meme}.jpg",
        "font_size": list(sizes),
        "size_share": [size / 500 for size in sizes],
        "contrast": list(contrast),
        "coverage": coverage,
        "middle_coverage": middle,
        "problems": list(problems),
        "missing": list(missing),
        "truncated": truncated,
        "parts": ["top", "bottom"],
        "overlaps": [[], []],
        "replaced": 0,
        "lost": [],
        "absent": [],
        "hyphenated": [[], []],
        **others,
    }


def write(out: Path, *rows: dict[str, object]) -> Path:
    pq.write_table(pa.Table.from_pylist(list(rows), schema=SCHEMA), out / "manifest.parquet")
    return out


@pytest.mark.parametrize(
    ("kind", "facts", "detail"),
    [
        ("lost colour", {"lost": ["💙", "🇩🇪"]}, "without flag, colour or tone: 💙 🇩🇪"),
        ("substitute font", {"absent": ["Noto Nastaliq"]}, "not found: Noto Nastaliq"),
        ("hyphenated", {"hyphenated": [["Donau-dampf"], []]}, "hyphenated: Donau-dampf"),
        ("parts overlap", {"overlaps": [[], ["top"]]}, "bottom lies on top"),
        (
            "replacement character",
            {"replaced": 2},
            "lost before they came here (U+FFFD): 2 characters",
        ),
    ],
)
def test_what_was_found_is_in_the_detail(
    tmp_path: Path, kind: str, facts: dict[str, object], detail: str
) -> None:
    report = review(write(tmp_path, row("a", "en", problems=(kind,), **facts)))
    assert report.flaws[0].detail == detail


def test_another_table_is_not_taken_for_a_manifest(tmp_path: Path) -> None:
    pq.write_table(pa.table({"meme_id": ["a"]}), tmp_path / "manifest.parquet")
    with pytest.raises(InputError, match="has no column 'absent'"):
        review(tmp_path)
