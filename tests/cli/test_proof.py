"""`memeloc proof` on a set that `memeloc render` made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

TABLE = """meme_id,template,en,de
one,cloud-monday,hello // world,hallo // Welt
two,long-train,a train // a rather long train,ein Zug // ein langer Zug
long,bookmark,hm,{long}
""".format(long=" ".join(["Rechtsschutzversicherungsgesellschaften"] * 60))


@pytest.fixture
def out(tmp_path: Path, command: Command) -> Path:
    (tmp_path / "captions.csv").write_text(TABLE, encoding="utf-8")
    done = command(
        "render", tmp_path / "captions.csv", "--langs", "all", "--out", tmp_path / "out", "--jobs=1"
    )
    assert done.status == 0, done.err
    return tmp_path / "out"


def test_lists_problems_parity_and_languages(out: Path, command: Command) -> None:
    done = command("proof", out)
    assert done.status == 0
    tables = done.out.split("\n\n")
    problems, parity, languages = ([*table.splitlines()] for table in tables)
    assert problems[0].split("\t") == ["meme", "language", "problems", "measured", "picture"]
    assert len(problems) == 2
    assert problems[1].startswith("long\tde\t")
    assert parity[1].startswith("long\t")
    assert [line.split("\t")[0] for line in languages[1:]] == ["en", "de"]
    assert done.err == ""


def test_prints_json(out: Path, command: Command) -> None:
    report = json.loads(command("proof", out, "--json", "--limit", "1").out)
    assert (report["pictures"], report["memes"], report["flawed"]) == (6, 3, 1)
    assert report["problems"][0]["meme_id"] == "long"
    assert report["problems"][0]["problems"][0] in report["problems_by_kind"]
    assert len(report["parity"]) == 1
    everything = json.loads(command("proof", out, "--json", "--limit", "0").out)
    assert len(everything["parity"]) == 3
    assert "ocr" not in everything


def test_fails_on_problems_only_when_asked(out: Path, command: Command) -> None:
    assert command("proof", out, "--fail-on-problems").status == 1
    english = command("proof", out, "--fail-on-problems", "--langs", "en")
    assert english.status == 0
    assert english.out.startswith("No problems in 3 pictures.")


def test_reads_pictures_back(out: Path, command: Command) -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("apt install tesseract-ocr")
    done = command("proof", out, "--ocr", "--langs", "en")
    assert done.status == 0, done.err
    assert "en\teng\t3\t" in done.out
    report = json.loads(command("proof", out, "--ocr", "--langs", "en", "--json").out)
    assert report["ocr"]["languages"][0]["median"] == 0
    assert report["ocr"]["fresh"] == 0


def test_says_what_is_wrong(out: Path, command: Command, tmp_path: Path) -> None:
    nothing = command("proof", tmp_path / "nowhere")
    assert nothing.status == 1
    assert "no manifest.parquet here" in nothing.err
    unknown = command("proof", out, "--langs", "en,xx")
    assert unknown.status == 1
    assert "no pictures in 'xx'; there are de, en" in unknown.err
    assert command("proof").status == 2
