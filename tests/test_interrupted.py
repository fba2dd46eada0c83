"""kill -9 at random moments during import, translate and render; one more run mends it all.

In: memes in one workspace, and processes that are killed. Out: the state of another workspace in
which nothing was. The workspace's and the renderer's own tests kill inside a narrower piece.
"""

from __future__ import annotations

import csv
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from memeloc import Workspace
from memeloc.render.encode import TEMPORARY

MEMES = 150
OUT = "out"
_MAIN = "from memeloc.cli import main; main()"
_STEPS = {
    "import": ("import", "memes.csv"),
    "translate": ("translate", "--langs", "de,hi", "--with", "pseudo"),
    "render": ("render", "--out", OUT, "--max-side", "64", "--jobs", "1"),
}


@pytest.fixture(autouse=True)
def _on_sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)


def _start(folder: Path, step: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _MAIN, *_STEPS[step]],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        process_group=0,
    )


def _undisturbed(folder: Path, step: str) -> float:
    """Run a step to its end; the seconds it took."""
    begun = time.monotonic()
    assert _start(folder, step).wait(timeout=120) == 0, step
    return time.monotonic() - begun


def _killed(folder: Path, step: str, moment: float) -> bool:
    """Kill a step, its processes too, after some seconds; False when it had ended already."""
    process = _start(folder, step)
    try:
        process.wait(timeout=moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def _workspace(folder: Path) -> Path:
    with Workspace.create(folder, languages=["de", "hi"]):
        pass
    with (folder / "memes.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("meme_id", "template", "en"))
        writer.writerows((f"m{n}", "robot-chef", f"Dish {n} // is served") for n in range(MEMES))
    return folder


def _assert_sound(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "memeloc.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        doubled = "SELECT count(*) - count(DISTINCT meme_id || ' ' || language) FROM captions"
        assert database.execute(doubled).fetchone() == (0,)


def _captions(folder: Path) -> list[dict[str, object]]:
    """The captions as they are exported, by meme."""
    with Workspace.open(folder) as workspace:
        table = workspace.table("captions")
    return table.sort_values("meme_id").to_dict("records")  # type: ignore[return-value]


def _history(folder: Path) -> list[tuple[object, ...]]:
    """Every version, without what differs from run to run."""
    with Workspace.open(folder) as workspace:
        table = workspace.table("history")
    facts = ["meme_id", "language", "version", "text", "stage", "translator", "marks"]
    return sorted(map(tuple, table[facts].values.tolist()))


def _files(folder: Path) -> dict[str, bytes]:
    """All pictures, and whatever else lies in their folders."""
    languages = [path for path in (folder / OUT).iterdir() if path.name in ("en", "de", "hi")]
    paths = [path for place in languages for path in place.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def _assert_same(rough: Path, calm: Path) -> None:
    captions, history, pictures = _captions(calm), _history(calm), _files(calm)
    assert len(captions) == MEMES
    assert _captions(rough) == captions
    assert len(history) == 3 * MEMES
    assert _history(rough) == history
    assert len(pictures) == 3 * MEMES
    assert all(name.endswith(".jpg") for name in pictures)
    assert _files(rough) == pictures
    assert not list(rough.rglob(f"*{TEMPORARY}"))


@pytest.mark.parametrize(
    "kills", [pytest.param(2, id="2"), pytest.param(50, id="50", marks=pytest.mark.slow)]
)
def test_one_more_run_ends_with_the_same_state_as_an_undisturbed_one(
    tmp_path: Path, kills: int
) -> None:
    chance = random.Random(kills)
    calm = _workspace(tmp_path / "calm")
    longest = {step: _undisturbed(calm, step) for step in _STEPS}
    struck = missed = 0
    while struck < kills:
        rough = _workspace(tmp_path / f"rough-{struck}-{missed}")
        for step in _STEPS:
            for _ in range(min(2, kills - struck)):
                # A run spends its beginning on starting Python: strike later, mostly.
                span = longest[step]
                moment = chance.triangular(0.3 * span, span, 0.8 * span)
                if not _killed(rough, step, moment):
                    missed += 1
                    longest[step] *= 0.8  # it was measured while the machine had more to do
                    break
                struck += 1
                _assert_sound(rough)
            _undisturbed(rough, step)
            _assert_sound(rough)
        _assert_same(rough, calm)
        assert missed <= 10 + kills
