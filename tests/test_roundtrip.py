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
    folder = tmp_path / "roundtrip"
    done = subprocess.run(
        ["bash", EXAMPLES / "roundtrip.sh", folder],
        env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-4:] == [
        "disagreements settled: 1",
        "same captions in either order of import: yes",
        "second import changed: nothing",
        "pictures rendered: 36, then 1, then 0",
    ]
    assert "this very file was imported before; nothing changed" in done.stdout
    with (folder / "two-captions.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = {row["meme_id"]: row["de"] for row in csv.DictReader(stream)}
    assert len(rows) == 12
    assert rows["cloud-monday-01"] == "Wetter am Montag: // ich"
    assert rows["cloud-monday-03"] == "Die ganze Woche: frei // Am Grillabend: Überstunden"
    assert rows["cloud-monday-04"].startswith("[")  # given up: the machine's text was kept
    assert len(list((folder / "one" / "out").glob("*/*/*.jpg"))) == 36
    assert "HTER" in (folder / "report.html").read_text(encoding="utf-8")
