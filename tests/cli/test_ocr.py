"""`memeloc ocr`, and transcripts through the correction round trip, on a real workspace."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memeloc.cli import run
from memeloc.items import FoundPicture, Origin, item_id
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.ocr.pictures import meme, needs

Command = Callable[..., Outcome]

DRAWN = {
    "monday": ("en", "cloud-monday", "Monday forecast // the same but wet"),
    "bus": ("", "robot-chef", "my bus // left early"),
    "zug": ("de", "summit-snail", "Der Zug // kommt heute nicht"),
    "rain": ("ar", "night-owl", "طقس يوم الاثنين // أنا مرة أخرى"),
}


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _found(key: str, picture: bytes, language: str) -> FoundPicture:
    return FoundPicture(Origin("test", key), picture, name=key, language=language)


def _id(key: str) -> str:
    return item_id("test", "picture", key, key)


@pytest.fixture(scope="module")
def pictures() -> dict[str, bytes]:
    made = {
        key: _png(meme(template, text, language or "en"))
        for key, (language, template, text) in DRAWN.items()
    }
    return made | {"sky": _png(Image.new("RGB", (400, 300), "#77aaee"))}


@pytest.fixture(scope="module")
def collected(pictures: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with pictures of which none was read."""
    needs("ara")
    folder = tmp_path_factory.mktemp("collected") / "memes"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMELOC_DATABASE_URL", raising=False)
        assert run(["init", str(folder), "--langs", "de,ar"]) == 0
        with Workspace.open(folder) as workspace:
            workspace.store.items.add(
                [_found(key, pictures[key], language) for key, (language, *_) in DRAWN.items()]
            )
            workspace.store.items.add(
                [_found("sky", pictures["sky"], ""), _found("bus2", pictures["bus"], "")]
            )
    return folder


@pytest.fixture
def workspace(collected: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return _copied(collected, tmp_path, monkeypatch)


def _copied(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    shutil.copytree(folder, tmp_path / "memes")
    monkeypatch.chdir(tmp_path / "memes")
    return tmp_path / "memes"


def _ok(outcome: Outcome) -> Any:
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)


def _transcripts() -> dict[str, tuple[str, ...]]:
    with Workspace.find() as workspace:
        return {item: version.parts for item, version in workspace.store.transcripts.all().items()}


@pytest.mark.slow
def test_langs_leaves_pictures_in_other_languages(workspace: Path, command: Command) -> None:
    done = _ok(command("ocr", "--langs", "de", "--json"))
    assert done["pictures"] == 4  # the German one, and three whose source states no language
    assert set(_transcripts()) == {_id(key) for key in ("zug", "bus", "bus2", "sky")}


@pytest.mark.slow
def test_an_unreadable_language_is_reported_and_the_rest_read(
    workspace: Path, command: Command, pictures: dict[str, bytes]
) -> None:
    with Workspace.find() as workspace:
        workspace.store.items.add([_found("odd", pictures["bus"], "tlh")])
    outcome = command("ocr", "--json")
    assert outcome.status == 1
    done = json.loads(outcome.out)
    assert done["pictures"] == 6
    (left,) = done["not_read"]
    assert "tlh" in left["what"]


@pytest.mark.slow
def test_a_killed_run_ends_as_an_undisturbed_one(
    workspace: Path, command: Command, pictures: dict[str, bytes]
) -> None:
    with Workspace.find() as workspace:
        workspace.store.items.add(
            [
                _found(
                    f"more-{number}",
                    _png(meme("robot-chef", f"cake {number} // is late", "en")),
                    "en",
                )
                for number in range(20)
            ]
        )
    running = subprocess.Popen(
        [sys.executable, "-m", "memeloc", "ocr", "--jobs", "1"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    begin = time.monotonic()
    while not _transcripts() and running.poll() is None and time.monotonic() < begin + 60:
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = _transcripts()
    assert 0 < len(before) < 26
    _ok(command("ocr", "--json"))
    after = _transcripts()
    assert len(after) == 26
    assert before.items() <= after.items()
    assert _ok(command("ocr", "--only", "all", "--json"))["changed"] == 0
