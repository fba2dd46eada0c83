"""A dataset goes out in each layout, is read by others' programs, and comes in again."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.end_to_end.study import Study
from tests.worlds import write_table

RELEASE = """
[release]
name = "office-weather"
title = "Office weather"
version = "1.0.0"
date = "2026-11-23"
licence = "CC-BY-4.0"
authors = ["Lee, Ann", "Tea Research Group"]
description = "Small jokes about offices, cats and weather."
intended_use = "To learn how people of several cultures see the same meme."
limitations = "Three templates only."
content_warning = "Some cats are asleep at work."
consent = "All annotators agreed that their answers are published."
wages = "12 EUR an hour."
terms = "Use it for research. Do not try to find out who answered."
maintenance = "Write to lab@university.example."
homepage = "https://lab.university.example/office-weather"
model_labels = ["models.csv"]
files = ["notes"]
"""


@pytest.fixture
def labelled(study: Study, world: Callable[..., Path]) -> Study:
    """A study with labels, a table of a model's labels, notes, and what a release states."""
    world("labelled", study.folder)
    settings = study.folder / "memeloc.toml"
    text = settings.read_text(encoding="utf-8").replace("[release]\n", "[was]\n", 1)
    settings.write_text(text.partition("[was]")[0] + RELEASE, encoding="utf-8")
    rows = [{"meme_id": f"night-owl-0{n}", "model": "parrot", "label": "hate"} for n in (1, 2, 3)]
    write_table(Path("models.csv"), rows)
    Path("notes").mkdir()
    Path("notes/how.md").write_text("# How\n\nWe sat in one room.\n", encoding="utf-8")
    return study


def test_for_hugging_face_and_in_again(labelled: Study, world: Callable[..., Path]) -> None:
    study = labelled
    study.hide(r'"size": \d+', '"size": "<bytes>"')
    study.run("publish", "../release", "--rendered", "out", "--check", "--jobs", 1, "--json")
    release = study.folder.parent / "release"
    manifest = json.loads((release / "release.json").read_text("utf-8"))
    study.show("release.json", {name: len(value) for name, value in manifest.items() if value})
    study.note("\n".join(sorted(p.relative_to(release).as_posix() for p in release.rglob("*.*"))))
    study.note((release / "README.md").read_text("utf-8"))
    study.note((release / "CITATION.cff").read_text("utf-8"))
    for table in ("labels", "templates", "people"):
        frame = pd.read_parquet(next(release.glob(f"tables/{table}*.parquet")))
        study.show(table, frame.drop(columns=["key"], errors="ignore").head(8))
    before = {path: path.read_bytes() for path in release.rglob("*") if path.is_file()}
    study.run("publish", "../release", "--rendered", "out", "--jobs", 1)
    assert before == {path: path.read_bytes() for path in before}
    (release / "mine.txt").write_text("a note of my own")
    study.run("publish", "../release", "--rendered", "out", "--jobs", 1, status=1)
    (release / "mine.txt").unlink()
    study.run("init", "../second", "--langs", "de,hi")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("../second")
        study.run("import", "../release", "--json")
        study.run("import", "../release")
        study.run("export", "captions", "--to", "captions.csv")
        study.run("status")
        captions = pd.read_csv("captions.csv")
    study.show("captions of the second workspace", captions)
    study.check()


def test_as_tables_and_as_shards(labelled: Study) -> None:
    study = labelled
    for layout in ("csv", "webdataset"):
        out = f"../{layout}"
        study.run("publish", out, "--rendered", "out", "--to", layout, "--jobs", 1)
        study.note("\n".join(sorted(
            path.relative_to(study.folder.parent / layout).as_posix()
            for path in (study.folder.parent / layout).rglob("*.*")
        )))  # fmt: skip
    study.show("pictures.csv", pd.read_csv("../csv/pictures-train.csv").iloc[:3].T.reset_index())
    with tarfile.open(next(Path("../webdataset").rglob("*en*/*.tar"))) as shard:
        study.note("\n".join(shard.getnames()[:6]))
    study.run("publish", "../bare", "--without-pictures", "--rendered", "out", "--jobs", 1)
    study.run(
        "publish", "../files", "--pictures", "folder", "--rendered", "out", "--jobs", 1
    )  # fmt: skip
    study.run("publish", "../rendered-now", "--jobs", 1)
    study.run("publish", "../no", "--to", "zip", status=1)
    study.run("publish", "../no", "--rendered", "nowhere", status=1)
    study.check()


def test_what_must_not_go_out(study: Study, world: Callable[..., Path]) -> None:
    world("labelled", study.folder)
    study.run("publish", "../release", "--rendered", "out", "--check", status=1)
    assert not (study.folder.parent / "release").exists()
    settings = study.folder / "memeloc.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("[release]\n", "[release]\nlicense = 'MIT'\n", 1))
    study.run("publish", "../release", "--rendered", "out", status=1)
    rows = [{"meme_id": "tea-1", "template": "cloud-monday", "en": "Write to // ann@home.example"}]
    settings.write_text(text.replace("[release]\n", "[release]\nlicence = 'MIT'\n", 1))
    study.run("import", write_table(Path("more.csv"), rows).name)
    study.run("publish", "../release", "--check", "--jobs", 1, "--json", status=1)
    study.run("drop", "tea-1", "--as", "maria", "--why", "an address")
    study.run("publish", "../release", "--check", "--jobs", 1)
    study.check()
