"""`--captions`: what nobody has accepted is left out, or named, wherever captions go out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_correct import Command, _answer, _export, _import, _ok, workspace

__all__ = ["workspace"]  # a fixture, used by name

BUILD = (
    "survey",
    "build",
    "pilot",
    "--cultures",
    "DE",
    "--set",
    "explicit=0",
    "--set",
    "implicit=0",
)


@pytest.fixture
def read(workspace: Path, command: Command) -> Path:
    """A workspace of four memes: of the German captions m1 was found right, m2 typed anew."""
    sheet = _export(command, "--langs", "de", "--to", "anna")
    _answer(sheet, {"m1": ("correct",), "m2": ("corrected", "Endlich", "Freitag")})
    _import(command, sheet)
    return workspace


def test_status_counts_by_state(read: Path, command: Command) -> None:
    lines = command("status").out.splitlines()
    header, source, german, hindi, *_ = lines[lines.index("") + 1 :]
    assert header.split("\t")[1:] == [
        "given",
        "machine",
        "corrected 1",
        "accepted",
        "missing",
        "to settle",
    ]
    assert (source.split("\t")[1], german.split("\t")[1:5]) == ("4", ["0", "2", "1", "1"])
    assert hindi.split("\t")[2] == "4"


def test_render_names_what_nobody_has_accepted(read: Path, command: Command) -> None:
    done = command("render", "--langs", "de", "--out", "out", "--max-side", 64)
    assert "nobody has accepted 3 of the captions (de 2 machine, 1 corrected)" in done.err
    assert len(list(Path("out").rglob("*.jpg"))) == 4


def test_render_leaves_out_what_is_not_accepted(read: Path, command: Command) -> None:
    accepted = ("--langs", "de", "--out", "out", "--max-side", 64, "--captions", "accepted")
    done = _ok(command("render", *accepted, "--strict", "--json"))
    assert (done["rendered"], done["skipped"]) == (1, 0)
    assert done["acceptance"] == {
        "captions": "accepted",
        "taken": {"de": {"accepted": 1}},
        "left_out": {"de": {"machine": 2, "corrected": 1}},
    }
    assert [path.stem for path in Path("out").rglob("*.jpg")] == ["m1"]
    shown = command("render", *accepted)
    assert "3 captions are left out (de 2 machine, 1 corrected)" in shown.err


def test_what_is_no_longer_taken_stays_apart_until_prune(read: Path, command: Command) -> None:
    render = ("render", "--out", "out", "--max-side", 64)
    command(*render, "--langs", "de")
    command(*render, "--langs", "en")
    accepted = (*render, "--langs", "de", "--captions", "accepted")
    done = _ok(command(*accepted, "--json"))
    assert (done["unchanged"], done["not_in_table"], done["other_languages"]) == (1, 3, 4)
    assert "3 pictures of earlier runs are not in this table" in command(*accepted).out
    assert _ok(command(*accepted, "--prune", "--json"))["pruned"] == 3
    assert [path.stem for path in Path("out/de").rglob("*.jpg")] == ["m1"]
    assert len(list(Path("out/en").rglob("*.jpg"))) == 4


def test_render_of_nothing_says_what_to_do(workspace: Path, command: Command) -> None:
    done = command("render", "--langs", "hi", "--out", "out", "--captions", "corrected")
    assert done.status == 1
    assert "left out are hi 4 machine" in done.err
    assert "--captions any" in done.err


def test_a_table_has_no_states_to_render_by(read: Path, command: Command) -> None:
    done = command("render", "english.csv", "--captions", "accepted", "--out", "out")
    assert (done.status, "have no states" in done.err) == (2, True)


def test_a_survey_takes_accepted_captions(read: Path, command: Command) -> None:
    done = command(*BUILD)
    assert "1 meme in 1 batch" in done.out
    assert "3 captions are left out (de 2 machine, 1 corrected); --captions any" in done.err


def test_a_survey_of_machine_text_says_what_to_do(workspace: Path, command: Command) -> None:
    done = command(*BUILD)
    assert done.status == 1
    assert "left out are de 4 machine" in done.err
    assert "correct export" in done.err
    assert "--captions any" in done.err
