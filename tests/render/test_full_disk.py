"""A disk that is full: `/dev/full` in the place of a file answers as such a disk does."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memeloc.object_storage import TEMPORARY

TABLE = "meme_id,template,en\nm1,robot-chef,tea // is ready\nm2,nowhere,tea\n"

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@pytest.mark.parametrize(
    ("temporary", "name"),
    [
        (f"en/robot-chef/.m1.jpg.ab{TEMPORARY}", "en/robot-chef/m1.jpg"),
        (
            f"manifest/.000001-00000000.parquet.ab{TEMPORARY}",
            "manifest/000001-00000000.parquet",
        ),
        (f".index.html.ab{TEMPORARY}", "index.html"),
    ],
)
def test_a_full_disk_is_named_with_the_file_and_what_to_do(
    command: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    temporary: str,
    name: str,
) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda _: "ab")
    table, out = tmp_path / "captions.csv", tmp_path / "out"
    table.write_text(TABLE, encoding="utf-8")
    full = out / temporary
    full.parent.mkdir(parents=True)
    (out / ".memeloc").mkdir(exist_ok=True)
    full.symlink_to("/dev/full")
    render = ("render", table, "--langs", "en", "--out", out, "--max-side", 60, "--jobs", 1)
    done = command(*render)
    assert done.status == 1
    assert "memeloc: " in done.err
    assert f"{name}: " in done.err
    assert "No space left on device. Free some space" in done.err
    full.unlink(missing_ok=True)
    assert command(*render).status == 0
    assert (out / "en/robot-chef/m1.jpg").exists()
