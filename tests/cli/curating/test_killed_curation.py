"""`collect`, `dedup` and `filter`, killed at random: the same end state, nothing left over."""

from __future__ import annotations

import io
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from memeloc.store.pictures import FOLDER
from memeloc.workspace import Workspace

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
_MAIN = "from memeloc.cli import main; main()"
_PICTURES = 110
"""Each of which comes as PNG and as JPEG: enough for several processes to hash them."""
_KILLS = 20


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "memes"
    folder.mkdir()
    chance = np.random.default_rng(7)
    for number in range(_PICTURES):
        coarse = Image.fromarray(chance.integers(0, 256, (5, 7, 3), dtype=np.uint8))
        picture = coarse.resize((210, 150), Image.Resampling.BICUBIC)
        for suffix, form in ((".png", "PNG"), (".jpg", "JPEG")):
            stream = io.BytesIO()
            picture.save(stream, form)
            (folder / f"{number:03}{suffix}").write_bytes(stream.getvalue())
    return folder


@pytest.fixture(scope="module")
def collected(pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the pictures in it."""
    folder = tmp_path_factory.mktemp("collected") / "work"
    with Workspace.create(folder) as workspace:
        workspace.collecting.collect("folder", {"path": pictures})
    return folder


def _start(folder: Path, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    environment = {key: value for key, value in os.environ.items() if "MEMELOC" not in key}
    return subprocess.Popen(
        [sys.executable, "-c", _MAIN, *command],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**environment, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )


def _state(folder: Path) -> dict[str, Any]:
    """All that a run makes, but for numbers of rows and times."""
    with Workspace.open(folder) as workspace:
        store = workspace.store
        return {
            "items": sorted(
                (item.id, item.name, item.picture, item.origin.dataset)
                for item in store.items.find()
            ),
            "verdicts": {
                item: {name: (each, each.content) for name, each in by.items()}
                for item, by in store.curation.verdicts().items()
            },
            "pairs": [(pair, pair.content) for pair in store.curation.pairs()],
        }


def _left_over(folder: Path) -> set[str]:
    """Files that belong to nothing."""
    with Workspace.open(folder) as workspace:
        named = {item.path for item in workspace.store.items.find() if item.path}
    cached = (folder / ".cache").rglob("partial/*")
    files = {path for path in (folder / FOLDER).rglob("*") if path.is_file()}
    return {str(path) for path in ((files ^ named) | set(cached))}


def _has_ended(group: int) -> bool:
    """Whether all processes of a group end, which they are given some time for."""
    for _ in range(300):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signals")
@pytest.mark.parametrize("name", ["collect", "dedup", "filter"])
def test_a_killed_run_ends_as_an_undisturbed_one(
    name: str, pictures: Path, collected: Path, tmp_path: Path
) -> None:
    command = {
        "collect": ("collect", "folder", str(pictures)),
        "dedup": ("dedup", "--jobs", "2"),
        "filter": ("filter", "quality", "script"),
    }[name]

    def fresh(number: int) -> Path:
        folder = tmp_path / f"{number}" / "work"
        if name == "collect":
            Workspace.create(folder).close()
        else:
            shutil.copytree(collected, folder)
        return folder

    chance = random.Random(4)
    began = time.monotonic()
    assert _start(fresh(0), command).wait(timeout=300) == 0
    seconds = time.monotonic() - began
    whole = _state(tmp_path / "0" / "work")
    assert len(whole["items"]) == 2 * _PICTURES
    kills = 0
    for number in itertools.count(1):
        folder = fresh(number)
        has_run = False
        while kills < _KILLS and not has_run:
            process = _start(folder, command)
            wait = chance.uniform(0.3, 1.0) * seconds
            time.sleep(wait)
            has_run = process.poll() is not None
            if has_run:
                seconds = min(seconds, wait)  # the first run was a slow one
            else:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.wait()
            assert _has_ended(process.pid)
        assert _start(folder, command).wait(timeout=300) == 0
        assert _state(folder) == whole
        assert _left_over(folder) == set()
        if kills >= _KILLS:
            break
