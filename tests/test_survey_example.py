"""The example of a whole survey, run as a user runs it."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
TARGETS = {"html", "google-forms", "prolific", "label-studio", "potato", "qsf", "csv"}


@pytest.mark.skipif(sys.platform == "win32", reason="the example is a shell script")
def test_the_labels_are_those_of_the_simulation_after_rounds_of_ties(tmp_path: Path) -> None:
    program = tmp_path / "bin"
    program.mkdir()
    (program / "memeloc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memeloc "$@"\n')
    (program / "memeloc").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program}:{os.environ['PATH']}",
        "PYTHON": sys.executable,
    }
    environment.pop("MEMELOC_SURVEY_KEY", None)
    folder = tmp_path / "survey"
    done = subprocess.run(
        ["bash", EXAMPLES / "survey.sh", folder],
        env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "340 labels, 0 differ; 0 open" in done.stdout
    assert {path.name for path in (folder / "set/surveys/pilot").iterdir()} == {
        *TARGETS,
        "examples",
    }
    rounds = [int(one) for one in re.findall(r"== Round (\d+): people answer", done.stdout)]
    assert rounds == list(range(1, len(rounds) + 1))
    assert len(rounds) >= 2
    # Every kind of annotator was there, and each set aside for what was wrong with it.
    for kind in ("absent", "careless", "declined", "duplicate", "hurried", "straight"):
        assert re.search(rf"\d+ {kind}", done.stdout), kind
    with (folder / "aside-1.csv").open(encoding="utf-8-sig", newline="") as stream:
        rules = {row["rule"] for row in csv.DictReader(stream)}
    assert rules == {"attention", "person", "speed", "status", "straight"}
    with (folder / "decisions.csv").open(encoding="utf-8-sig", newline="") as stream:
        decisions = list(csv.DictReader(stream))
    assert {row["action"] for row in decisions} <= {"approve", "return", "reject"}
    assert all(len(row["submission"]) == 24 for row in decisions)  # Prolific's ids, not hashes
