"""Several processes at once, and processes that are killed: nothing lost, nothing doubled."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from memeloc.store import Store
from tests.store import writer
from tests.store.conftest import import_table

Write = Callable[..., Path]
WRITER = Path(writer.__file__)


def _start(place: Path, action: str, what: object) -> subprocess.Popen[str]:
    """A process that has opened the store and waits for a line before it begins."""
    process = subprocess.Popen(
        [sys.executable, str(WRITER), str(place), action, str(what)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def _go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _end(process: subprocess.Popen[str]) -> None:
    _, output = process.communicate(timeout=120)
    assert (process.returncode, output) == (0, "")


def _state(store: Store) -> pd.DataFrame:
    """All versions, without what differs from run to run."""
    return (
        store.exports.frame("history")
        .drop(columns=["caption_id", "source_id", "created_at"])
        .sort_values(["meme_id", "language", "version"])
        .reset_index(drop=True)
    )


def _big(write_table: Write, rows: int, name: str = "big.csv") -> Path:
    return write_table(
        *((f"m{n}", "cloud-monday", f"text {n} // more", f"Text {n}") for n in range(rows)),
        columns="en de",
        name=name,
    )


def test_two_do_the_same_at_once(store: Store, place: Path, write_table: Write) -> None:
    table = _big(write_table, 200)
    for action, what in (("import", table), ("translate", "hi")):
        both = [_start(place, action, what) for _ in range(2)]
        for process in both:
            _go(process)
        for process in both:
            _end(process)
    history = store.exports.frame("history")
    assert len(history) == 600
    assert history["version"].max() == 1
    assert not history.duplicated(["meme_id", "language"]).any()


@pytest.mark.slow
def test_two_write_different_things_at_once(store: Store, place: Path, write_table: Write) -> None:
    import_table(store, _big(write_table, 300))
    more = write_table(*((f"n{n}", "night-owl", "x // y") for n in range(900)), name="more.csv")
    processes = [_start(place, "translate", "hi"), _start(place, "import", more)]
    for process in processes:
        _go(process)
    for process in processes:
        _end(process)
    texts = store.captions.current("hi")
    assert sum(key.startswith("m") for key in texts) == 300
    assert store.captions.count() == 1200


def _killed(place: Path, action: str, what: object, moment: float) -> bool:
    """Kill a process after some time; False when it had ended already."""
    process = _start(place, action, what)
    _go(process)
    time.sleep(moment)
    process.kill()
    return process.wait() != 0


@pytest.mark.slow
def test_a_killed_run_is_finished_by_the_next(
    store: Store,
    place: Path,
    write_table: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(25)
    table = _big(write_table, 1000)
    killed = 0
    for action, what, longest in (("import", table, 0.3), ("translate", "hi", 0.6)):
        for _ in range(25):
            killed += _killed(place, action, what, chance.uniform(0.0, longest))
            if store.database.file:
                with closing(sqlite3.connect(store.database.file)) as connection:
                    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            history = store.exports.frame("history")
            assert not history.duplicated(["meme_id", "language"]).any()
        process = _start(place, action, what)
        _go(process)
        _end(process)
    assert killed > 0
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    with Store.create(tmp_path / "undisturbed") as calm:
        import_table(calm, table)
        writer.translate(calm, "hi")
        pd.testing.assert_frame_equal(_state(store), _state(calm))
