"""Collecting where not everything is as it is here: the cases of curation.toml."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from PIL import Image

import memeloc
from memeloc.locales import default
from memeloc.ocr.tesseract_reader import TesseractReader
from tests.collect.datasets_on_disk import collected
from tests.ocr.pictures import needs

_WITHOUT_EXTRAS = """
import sys
for name in ("httpx", "httpcore", "protego", "selectolax", "charset_normalizer", "certifi"):
    sys.modules[name] = None
from memeloc.cli import run
for line in sys.stdin:
    print(run(line.split()), flush=True)
"""


def test_folder_on_disk_needs_no_package_for_fetching(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    Image.new("RGB", (60, 40), "teal").save(tmp_path / "mine" / "tea.png")
    Image.new("RGB", (40, 60), "navy").save(tmp_path / "mine" / "cup.png")
    (tmp_path / "table.csv").write_text(
        "image,text\nmine/tea.png,Tea\nhttp://127.0.0.1:9/far.png,Far\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_EXTRAS],
        input="init .\ncollect folder mine\ncollect table table.csv\ncollect imgflip\n",
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert [line for line in done.stdout.splitlines() if line.isdigit()] == ["0", "0", "0", "1"]
    assert "pip install 'memeloc[collect]'" in done.stderr
    assert "Traceback" not in done.stderr
    with memeloc.Workspace.find(tmp_path) as workspace:
        items = list(workspace.store.items.find())
    assert sorted(item.name for item in items) == ["cup", "tea", "tea"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_picture_is_found_by_its_name_in_either_form(tmp_path: Path, form: str) -> None:
    other = "NFD" if form == "NFC" else "NFC"
    (tmp_path / "mine").mkdir()
    Image.new("RGB", (60, 40), "teal").save(
        tmp_path / "mine" / unicodedata.normalize(other, "Café-ñandú.png")
    )
    name = unicodedata.normalize(form, "Café-ñandú.png")
    (tmp_path / "table.csv").write_text(f"image,text\n{name},Tea\n", "utf-8")
    found, refusals = collected("table", tmp_path)
    assert len(found) == 1
    assert not refusals


def test_missing_model_names_the_variable_that_hides_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("eng")
    monkeypatch.setenv("TESSDATA_PREFIX", os.fspath(tmp_path))
    lacking = TesseractReader().lacks(default().get("de"))
    assert "TESSDATA_PREFIX" in lacking
    assert "apt install" not in lacking
