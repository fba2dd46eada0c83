"""Comparing the lines of two rendered sets."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bench.line_breaks import (
    areas_over_source,
    changed,
    print_changes,
    print_figures,
    read_parts,
    smallest_tenth,
    steps_between,
    write_page,
)


def a_set(folder: Path, lines: list[str], size: float) -> Path:
    """A manifest of one meme in English and German, the German lines as given."""
    rows = [
        {
            "meme_id": "m",
            "template": "cloud-monday",
            "language": language,
            "path": f"{language}/m.jpg",
            "height": 800,
            "parts": ["top", "bottom"],
            "font_size": [size, 0.0],
            "lines": [texts, []],
            "ink": [[0, 0, width, 10], None],
        }
        for language, texts, width in (("en", ["ONE"], 100), ("de", lines, 90))
    ]
    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(rows), folder / "manifest.parquet")
    return folder


@pytest.fixture(name="folders")
def two_sets(tmp_path: Path) -> tuple[Path, Path]:
    return (
        a_set(tmp_path / "before", ["ZWEI UND", "DREI"], 40.0),
        a_set(tmp_path / "after", ["ZWEI", "UND DREI"], 80.0),
    )


def test_changed_lines_are_found_and_measured(folders: tuple[Path, Path]) -> None:
    before, after = map(read_parts, folders)
    [(old, new)] = changed(before, after)
    assert (old.lines, new.lines) == (("ZWEI UND", "DREI"), ("ZWEI", "UND DREI"))
    assert steps_between(old, new) == 12
    assert areas_over_source(after, "de") == [0.9]
    assert smallest_tenth(before.values()) == 40.0


def test_figures_and_changes_are_printed(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = map(read_parts, folders)
    print_figures(before, after)
    print_changes(before, after)
    shown = capsys.readouterr().out
    assert "1 of 1" in shown
    assert "ZWEI / UND DREI" in shown


def test_the_page_shows_both_pictures_of_a_pair(folders: tuple[Path, Path]) -> None:
    before, after = map(read_parts, folders)
    page = folders[0].parent / "page.html"
    assert write_page(page, folders, before, after) == 1
    text = page.read_text("utf-8")
    assert 'src="before/de/m.jpg"' in text
    assert 'src="after/de/m.jpg"' in text
    assert "UND DREI" in text
