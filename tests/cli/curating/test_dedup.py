"""`memeloc dedup` and `memeloc match` in a workspace, and killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageOps

from memeloc.items import FoundCaption, FoundPicture, FoundTemplate, Origin, item_id
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.curate.drawn import as_jpeg, as_png, draw_picture

Run = Callable[..., Outcome]
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _on_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)


def matches(key: str, picture: bytes, *parts: str, template: str = "") -> FoundPicture:
    return FoundPicture(Origin("test", key), picture, name=key, parts=parts, template=template)


def name(key: str) -> str:
    return item_id("test", "picture", key, key)


def _plant(folder: Path) -> None:
    cat = draw_picture(1)
    things = [
        matches("small", as_jpeg(cat.resize((250, 200)), 70), "When it is", "Monday"),
        matches("large", as_png(cat), "when it is monday!"),
        matches("again", as_png(cat), "When it is Monday"),
        matches("sibling", as_jpeg(cat, 80), "My cat is a very different cat"),
        matches("silent", as_jpeg(cat, 75)),
        matches("other", as_jpeg(draw_picture(2)), "When it is Monday"),
        FoundTemplate(Origin("test", "t"), "Ground", as_png(draw_picture(3))),
        FoundCaption(Origin("test", "c1"), "t", ("Hello", "World")),
        FoundCaption(Origin("test", "c2"), "t", ("hello world",), votes=3),
    ]
    with Workspace.create(folder) as workspace:
        workspace.store.items.add(things)


@pytest.fixture
def planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_once: Callable[..., Path]
) -> Path:
    """Three duplicates of one picture, one meme on its template, one without a text."""
    made_once(_plant, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def verdicts() -> dict[str, tuple[str, object]]:
    with Workspace.find() as workspace:
        return {
            item: (by["dedup"].verdict, by["dedup"].evidence.get("kept"))
            for item, by in workspace.store.curation.verdicts("dedup").items()
        }


def test_the_same_run_again_computes_and_adds_nothing(
    planted: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = command("dedup", "--json")
    monkeypatch.setattr("memeloc.curate.duplicates.hashing.hash_picture", lambda path: 1 / 0)
    with Workspace.find() as workspace:
        before = workspace.store.curation.pairs()
    assert command("dedup", "--json").out == first.out
    with Workspace.find() as workspace:
        assert workspace.store.curation.pairs() == before


def test_wrong_settings_are_reported(planted: Path, command: Run) -> None:
    for setting, words in (
        ("rule=none", "rule"),
        ("distance=40", "distance"),
        ("keep=nicest", "keep"),
    ):
        done = command("dedup", "--set", setting)
        assert done.status != 0
        assert words in done.err
    settings = planted / "memeloc.toml"
    settings.write_text(settings.read_text() + "\n[curate.dedup]\nquestions = 3\nrule = 'paper'\n")
    assert command("dedup").status == 0
    assert verdicts()[name("sibling")][0] == "drop"


def test_a_damaged_picture_is_reported_and_stays(planted: Path, command: Run) -> None:
    with Workspace.find() as workspace:
        item = next(row for row in workspace.store.items.find("picture") if row.id == name("other"))
        assert item.path is not None
        item.path.write_bytes(b"no picture at all")
    done = command("dedup")
    assert done.status == 0
    assert name("other") in done.err
    assert verdicts()[name("other")] == ("keep", None)


def test_a_meme_finds_its_template(tmp_path: Path, command: Run, planted: Path) -> None:
    from memeloc.render import Renderer
    from memeloc.templates import load_templates

    templates, _ = load_templates()
    meme = Renderer().render(templates["robot-chef"], "Dinner // is served", "en").image
    meme.convert("RGB").resize((300, 300)).save(tmp_path / "meme.jpg", quality=70)
    draw_picture(77).save(tmp_path / "unknown.png")
    own = tmp_path / "own"
    own.mkdir()
    draw_picture(77, 300, 240).save(own / "soft-shapes.png")
    files = (tmp_path / "meme.jpg", tmp_path / "unknown.png")
    result = json.loads(command("match", *files, "--json").out)["pictures"]
    assert (result[0]["template"], result[0]["found"]) == ("robot-chef", True)
    assert not result[1]["found"]
    result = json.loads(command("match", *files, "--templates", own, "--json").out)["pictures"]
    assert [row["template"] for row in result] == ["robot-chef", "soft-shapes"]
    assert all(row["found"] for row in result)
    assert result[0]["next_distance"] - result[0]["distance"] >= 4

    with Workspace.find() as workspace:
        ground = draw_picture(3)
        ground.paste((255, 255, 255), (100, 10, 400, 40))
        workspace.store.items.add([matches("on-ground", as_jpeg(ground, 70), "Words")])
    assert command("match").status == 0
    with Workspace.find() as workspace:
        stored = workspace.store.curation.verdicts("match")
        collected = next(iter(workspace.store.items.find("template"))).id
    assert stored[name("on-ground")]["match"].evidence["template"] == collected
    assert stored[name("other")]["match"].evidence["template"] == ""
    broken = tmp_path / "page.jpg"
    broken.write_text("<html>", encoding="utf-8")
    done = command("match", broken, files[0])
    assert done.status == 1
    assert "page.jpg" in done.err
    assert "robot-chef" in done.out


def test_a_worn_meme_finds_its_template_by_local_features(tmp_path: Path, command: Run) -> None:
    templates = tmp_path / "templates"
    templates.mkdir()
    for seed in (1, 2):
        draw_picture(seed).save(templates / f"picture-{seed}.png")
    meme = draw_picture(1)
    ImageDraw.Draw(meme).text((60, 20), "two melons", fill="white", font_size=50)
    shots = [Image.new("RGB", (500, 300), "white") for _ in range(2)]
    for shot, text in zip(shots, ("two melons", "three melons"), strict=True):
        ImageDraw.Draw(shot).text((60, 90), text, fill="black", font_size=40)
    worn = {
        "cropped": meme.crop((60, 40, 480, 330)),
        "barred": ImageOps.expand(meme, (0, 170, 0, 0), "white"),
        "framed": ImageOps.expand(meme, 70, "black").resize((512, 432)),
        "other": draw_picture(3),
        "shot": shots[0],
    }
    for name, picture in worn.items():
        picture.convert("RGB").save(tmp_path / f"{name}.jpg", quality=70)
    shots[1].save(templates / "shot-template.png")
    files = [tmp_path / f"{name}.jpg" for name in worn]
    done = command("match", *files, "--templates", templates, "--json")
    rows = json.loads(done.out)["pictures"]
    found = [row["template"] if row["found"] else "" for row in rows]
    assert found[:4] == ["picture-1", "picture-1", "picture-1", ""]
    assert all(row["corners"] >= 14 for row in rows[:3])
    assert not rows[4]["corners"]  # a word that both have is no template


def _start(folder: Path) -> subprocess.Popen[bytes]:
    code = "from memeloc.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "dedup", "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        process_group=0,
    )


@pytest.mark.slow
def test_killed_at_any_moment_and_run_again_it_ends_the_same(tmp_path: Path) -> None:
    things = []
    for seed in range(100):
        picture = draw_picture(seed, 300, 240)
        things.append(matches(f"a{seed}", as_jpeg(picture), f"text {seed}"))
        things.append(matches(f"b{seed}", as_png(picture), *([f"TEXT {seed}"] if seed % 2 else [])))
    results = []
    chance = random.Random(5)
    for folder in ("calm", "killed"):
        with Workspace.create(tmp_path / folder) as workspace:
            workspace.store.items.add(things)
        if folder == "killed":
            for _ in range(4):
                process = _start(tmp_path / folder)
                time.sleep(chance.uniform(0.2, 1.6))
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        process = _start(tmp_path / folder)
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        with Workspace.open(tmp_path / folder) as workspace:
            results.append(
                (
                    json.loads(out),
                    workspace.store.curation.verdicts("dedup"),
                    workspace.store.curation.pairs(),
                )
            )
    assert results[0] == results[1]
    duplicates = sum(line["duplicates"] for line in results[0][0]["stages"])
    asked = sum(line["asked"] for line in results[0][0]["stages"])
    assert (duplicates, asked) == (50, 50)
