"""A run of `memeloc ocr` that is killed, on a real workspace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.items import FoundPicture, Origin
from memeloc.workspace import Workspace
from tests.conftest import Outcome
from tests.ocr.pictures import meme, needs

PICTURES = 24


def _transcripts() -> dict[str, tuple[str, ...]]:
    with Workspace.find() as workspace:
        return {item: version.parts for item, version in workspace.store.transcripts.all().items()}


@pytest.mark.slow
def test_a_killed_run_ends_as_an_undisturbed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Outcome]
) -> None:
    needs("eng")
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    found = []
    for number in range(PICTURES):
        path = tmp_path / f"cake-{number}.png"
        meme("robot-chef", f"cake {number} // is late", "en").save(path)
        origin = Origin("test", path.stem)
        found.append(FoundPicture(origin, path.read_bytes(), name=path.stem, language="en"))
    with Workspace.create(tmp_path / "memes") as workspace:
        workspace.store.items.add(found)
    monkeypatch.chdir(tmp_path / "memes")
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
    assert 0 < len(before) < PICTURES
    assert command("ocr").status == 0
    after = _transcripts()
    assert len(after) == PICTURES
    assert before.items() <= after.items()
    assert json.loads(command("ocr", "--only", "all", "--json").out)["changed"] == 0
