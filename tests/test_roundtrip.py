"""The example of the whole round trip, run as a user runs it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_round_trip_ends_with_settled_captions_and_one_changed_picture(tmp_path: Path) -> None:
    program = tmp_path / "bin"
    program.mkdir()
    (program / "memeloc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memeloc "$@"\n')
    (program / "memeloc").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program}:{os.environ['PATH']}",
        "PYTHON": sys.executable,
    }
    workspace = tmp_path / "workspace"
    done = subprocess.run(
        ["bash", EXAMPLES / "roundtrip.sh", workspace],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "First 24 pictures were rendered, then 1;" in done.stdout
    assert "this very file was imported before; nothing changed" in done.stdout
    with (workspace / "captions.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = {row["meme_id"]: row for row in csv.DictReader(stream)}
    assert rows["cloud-monday-01"]["de"] == "Wettervorhersage für Montag: // ich"
    assert rows["cloud-monday-04"]["de"].startswith("Meetings")
    assert "HTER" in (workspace / "report.html").read_text(encoding="utf-8")
