"""Fonts of the system: by the names of families and faces, the regular face first."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memeloc.fonts import FontLibrary, system

ANTON = FontLibrary().families["anton"].path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of fonts, the only one, on a system without fontconfig."""
    monkeypatch.setattr(system, "folders", lambda: [tmp_path / "none", tmp_path])
    monkeypatch.setenv("PATH", str(tmp_path))
    system.fonts.cache_clear()
    yield tmp_path
    system.fonts.cache_clear()


def test_a_font_is_found_by_its_family(folder: Path) -> None:
    (folder / "deep").mkdir()
    shutil.copy(ANTON, folder / "deep" / "x.ttf")
    assert system.find("anton") == (folder / "deep" / "x.ttf", 0)
    assert system.find("Anton Regular") == (folder / "deep" / "x.ttf", 0)
    assert system.find("Anton Bold") is None


def test_what_is_no_font_is_passed_over(folder: Path) -> None:
    (folder / "broken.ttf").write_bytes(b"no font")
    assert system.find("broken") is None


@pytest.mark.skipif(shutil.which("fc-list") is None, reason="needs fontconfig")
def test_fontconfig_names_a_font_as_its_file_does() -> None:
    system.fonts.cache_clear()
    listed = {(path, index): names for path, index, _, names in system._listed()}
    read = {(path, index): names for path, index, _, names in system._read()}
    for place in listed.keys() & read.keys():
        assert set(listed[place]) & set(read[place])
