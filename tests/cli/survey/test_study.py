"""The study's own text at the command line: shown on pages, and its lack said at each export."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.survey.test_survey import CONTACT, Run, build, folder, rendered

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


def test_an_export_says_what_people_are_not_told(command: Run, folder: Path) -> None:
    build(command)
    done = command("survey", "export", "pilot", "--to", "csv", *CONTACT)
    assert done.status == 0
    assert "does not say who is responsible and how long data are kept" in done.err
    assert "No native speaker has read what ships in en, de, es" in done.err


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


def test_the_texts_are_listed_with_who_has_read_them(command: Run, folder: Path) -> None:
    done = command("survey", "texts", "study", "--lang", "de")
    assert "study.controller" in done.out
    assert "No native speaker has read the texts in de yet" in done.out
    printed = json.loads(command("survey", "texts", "consent", "--json").out)
    assert "consent.heading" in [text["name"] for text in printed["texts"]]
