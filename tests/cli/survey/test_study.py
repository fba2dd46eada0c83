"""The study's own text at the command line: shown on pages, and its lack said at each export."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.survey.test_survey import Run, build, folder, rendered

__all__ = ["folder", "rendered"]  # fixtures, used by name

STUDY = """
[study]
controller = "Example University"
contact = "study@university.example"
retention = {en = "until 2031", de = "bis 2031", es = "hasta 2031"}

[study.texts.en.consent]
heading = "Before you begin"
"""


def write_study(folder: Path) -> None:
    file = folder / "memeloc.toml"
    text = file.read_text(encoding="utf-8")
    start = text.index("[study]")
    file.write_text(text[:start] + STUDY + text[text.index("[language_model]") :], "utf-8")


def test_a_sheet_shows_the_study_of_the_settings(command: Run, folder: Path) -> None:
    write_study(folder)
    build(command)
    done = command("survey", "export", "pilot", "--to", "csv", "--json")
    assert done.status == 0, done.err
    (warning,) = json.loads(done.out)["warnings"]
    assert "consent.heading; de, es still say what ships" in warning
    sheet = next((folder / "surveys" / "pilot" / "csv").rglob("*US*.csv")).read_text("utf-8")
    shown = ("Example University", "study@university.example", "until 2031", "Before you begin")
    assert [text for text in shown if text not in sheet] == []
