"""Two people correct one language side by side, differ on one caption, and it is settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.end_to_end.study import Study
from tests.worlds import correct


def test_two_people_correct_and_differ(study: Study, world: Callable[..., Path]) -> None:
    world("translated", study.folder)
    for person, kind in (("anna", "csv"), ("ben", "csv")):
        to = ("--to", person, "--format", kind, "--no-pictures")
        study.run("correct", "export", "--lang", "de", *to, "--json")
    study.file("de-r1-anna.csv")
    correct(study.folder / "de-r1-anna.csv", {"night-owl-01": "Acht Stunden, // seit Donnerstag"})
    correct(study.folder / "de-r1-ben.csv", {"night-owl-01": "8 Stunden // seit Donnerstag"})
    study.run("correct", "import", "de-r1-anna.csv", "de-r1-ben.csv", "--json")
    (case,) = study.run("correct", "settle", "--json")["cases"]
    accepted = ("--accept", case["answers"][0]["answer"], "--as", "maria", "--comment", "shorter")
    study.run("correct", "settle", case["case"], *accepted)
    study.run("export", "history", "--to", "history.csv")
    study.file("history.csv")
    study.check()
