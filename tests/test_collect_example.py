"""The example of collecting and curating, run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.skipif(sys.platform == "win32", reason="the example is a shell script")
def test_captions_are_collected_curated_and_chosen_and_not_fetched_twice(tmp_path: Path) -> None:
    program = tmp_path / "bin"
    program.mkdir()
    (program / "memeloc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memeloc "$@"\n')
    (program / "memeloc").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program}:{os.environ['PATH']}",
        "PYTHON": sys.executable,
    }
    environment.pop("MEMELOC_DATABASE_URL", None)
    folder = tmp_path / "collect"
    done = subprocess.run(
        ["bash", EXAMPLES / "collect.sh", folder],
        env=environment, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 new, 0 changed, 0 pages fetched" in done.stdout
    assert (folder / "set" / "funnel.html").is_file()
    again = json.loads((folder / "again.json").read_text("utf-8"))
    assert again["new"] == 0
    stages = {stage["stage"]: stage for stage in again["stages"]}
    assert stages["template"]["in"] == 135
    assert stages["duplicates"]["reasons"] == {"duplicate": 6}
    assert stages["language"]["reasons"] == {"other language": 9}
    taken = {line["topic"] for line in again["topics"] if line["outcome"] == "taken"}
    assert taken == {"Germany", "India"}
    assert len(again["items"]) == 77
