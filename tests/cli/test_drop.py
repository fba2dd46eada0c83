"""`memeloc drop`: memes that are left out of everything, listed, and brought back."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.test_correct import Command, _answer, _captions, _export, _import, _ok, workspace

__all__ = ["workspace"]  # a fixture, used by name


def test_dropped_memes_are_rendered_in_no_language(workspace: Path, command: Command) -> None:
    done = _ok(command("drop", "m1", "--why", "a pun", "--as", "ann", "--json"))
    assert done["changed"] == 1
    _ok(command("render", "--langs", "de,hi", "--out", "out", "--json"))
    pictures = {path.stem for path in Path("out").rglob("*.jpg")}
    assert pictures == {"m2", "m3", "m4"}


def test_cases_are_dropped_from_a_table(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--langs", "de", "--to", "anna")
    _answer(sheet, {"m1": ("wordplay",), "m2": ("culture",)})
    _import(command, sheet, "--person", "anna")
    command("correct", "settle", "--to", "cases.csv")
    text = Path("cases.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [line.endswith(",,,") for line in text[1:]] == [True, True]
    rows = [text[0], text[1][:-2] + "drop,,", text[2][:-2] + "Drop  all,,"]
    Path("cases.csv").write_text("\n".join(rows), encoding="utf-8")
    done = _ok(command("correct", "settle", "--from", "cases.csv", "--json"))
    assert done == {"settled": 2, "dropped": 2, "open": 0, "warnings": []}
    captions = _captions(command)
    assert set(captions) == {"m1", "m3", "m4"}
    assert captions["m1"] == ""


def test_the_exported_table_says_that_a_case_waits_again(workspace: Path, command: Command) -> None:
    sheet = _export(command, "--langs", "de", "--to", "anna")
    _answer(sheet, {"m1": ("wordplay",)})
    _import(command, sheet, "--person", "anna")
    is_open = []
    for step in (
        ("correct", "settle", "1", "--drop", "all"),
        ("drop", "m1", "--take-back"),
        ("correct", "settle", "1", "--keep"),
    ):
        assert command(*step).status == 0
        command("export", "cases", "--to", "cases.jsonl")
        is_open.append(json.loads(Path("cases.jsonl").read_text(encoding="utf-8"))["open"])
    assert is_open == [False, True, False]
