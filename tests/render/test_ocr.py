"""Pictures read back by the real Tesseract."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memeloc.locales import default
from memeloc.ocr import tesseract
from memeloc.ocr.error_rate import error_rate
from memeloc.render.ocr import read_back
from memeloc.render.sets.parallel_set import render_table
from memeloc.templates import load_templates
from tests.each import each

TEMPLATES = load_templates()[0]
CAPTIONS = [
    ("1", "cloud-monday", "me on Monday // the same, but wet", "星期一的我 // 还是我，但是湿了"),
    ("2", "protest-hamster", "More naps, fewer meetings", "多睡觉，少开会"),
    ("3", "black-bar-llama", "A llama walks into an open office", "羊驼走进开放式办公室"),
    ("4", "busy-market", "buy onions // come back with a plant", "去买洋葱 // 买回一盆花"),
    ("5", "night-owl", "🦉 //", "🦉 //"),
]


def needs(*models: str) -> None:
    if shutil.which("tesseract") is None or not set(models) <= tesseract.installed_models()[1]:
        pytest.skip("; ".join(map(tesseract.how_to_get, models)))


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ocr")
    with (folder / "captions.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("meme_id", "template", "en", "zh"), *CAPTIONS])
    render_table(folder / "captions.csv", folder / "out", languages="all", jobs=1)
    return folder / "out"


@pytest.fixture
def out(rendered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(rendered, tmp_path / "out"))


def test_reads_posters_signs_and_bars_in_latin_and_chinese(out: Path) -> None:
    needs("eng", "chi_sim")
    done: list[int] = []
    report = read_back(out, TEMPLATES, default(), jobs=2, advance=done.append)
    assert sum(done) == 10
    columns = ["language", "model", "pictures", "median"]
    assert report.languages[columns].to_numpy().tolist() == [
        ["en", "eng", 4, 0],
        ["zh", "chi_sim", 4, 0],
    ]
    assert report.readings["cer"].max() < 0.2
    assert (
        report.readings.loc[report.readings["meme_id"] == "5", "cer"].isna().tolist() == [True] * 2
    )
    assert report.fresh == 10
    assert report.not_read == report.failed == {}


def test_no_picture_is_read_twice(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("eng")
    first = read_back(out, TEMPLATES, default(), languages=["en"])
    shutil.rmtree(out / "en")
    second = read_back(out, TEMPLATES, default(), languages=["en"])
    assert (first.fresh, second.fresh) == (5, 0)
    assert second.readings.equals(first.readings)
    (out / ".memeloc" / "ocr.parquet").write_bytes(b"cut off")
    third = read_back(out, TEMPLATES, default(), languages=["en"])
    assert len(third.failed) == 5, "what is neither remembered nor there is named"
    assert all("run `memeloc render` again" in reason for reason in third.failed.values())


def test_a_wrong_picture_is_noticed(out: Path) -> None:
    needs("eng")
    (path,) = (out / "manifest").iterdir()
    manifest = pq.read_table(path)
    rows = manifest.to_pylist()
    for row in rows:
        if (row["meme_id"], row["language"]) == ("3", "en"):
            row["lines"] = [["SOMETHING ELSE ENTIRELY"]]
    pq.write_table(pa.Table.from_pylist(rows, schema=manifest.schema), path)
    report = read_back(out, TEMPLATES, default(), languages=["en"])
    assert report.readings["meme_id"][0] == "3"
    assert report.readings["cer"][0] > 0.5


def test_a_missing_program_is_named_with_what_to_install(out: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memeloc.cli import run; "
        f"sys.exit(run(['proof', {str(out)!r}, '--ocr']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PATH": "/nowhere"}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "apt install tesseract-ocr" in done.stderr
    assert "Traceback" not in done.stderr


@each(
    ("drawn", "read", "rate"),
    [
        ("Groß, ÄRGER!", "GROSS ärger", 0),
        ("ﬁve ２", "FIVE 2", 0),
        ("BİRİNCİ", "BİRİNCİ!", 0),
        ("你好，世界！", "你 好\n世 界", 0),
        ("مرحـبا \u200fبك", "مرحبا بك", 0),
        ("नमस्ते", "नमस्त", 1 / 6),
        ("abcd", "", 1),
        ("ab", "abxyzw", 2),
        ("🦉🏽 !?", "x", None),
    ],
)
def test_error_rate(drawn: str, read: str, rate: float | None) -> None:
    assert error_rate(drawn, read) == (rate if rate is None else pytest.approx(rate))
