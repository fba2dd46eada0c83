"""`memeloc survey` as people use it who name wrong files, whole folders, things twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memeloc.workspace import Workspace
from tests.cli.survey.test_survey import (
    CONTACT,
    FILES,
    everybody,
    folder,
    pilot,
    rendered,
    write,
)
from tests.conftest import Outcome
from tests.each import each

Run = Callable[..., Outcome]

__all__ = ["folder", "pilot", "rendered"]  # fixtures, used by name


# Batches


@each(
    ("words", "sentence"),
    [
        (("ümlaut", "--cultures", "US"), "A survey cannot be called 'ümlaut': 1 to 60 of a to z"),
        (("x" * 61, "--cultures", "US"), "1 to 60"),
        (("con.2", "--cultures", "US"), "no folder on Windows can"),
        (("Pilot", "--cultures", "US"), "There is a survey 'pilot'"),
        (("more", "--cultures", "US;DE"), "--cultures: 'US;DE' is not a country"),
        (("more", "--cultures", "USA"), "--cultures: 'USA' is not a country"),
        (("more", "--cultures", "UK=en"), "GB"),
        (("more", "--cultures", "DE-UK=de+en"), "GB"),
        (("more", "--cultures", "DE=de+en"), "has two languages and one country"),
        (("more", "--cultures", "US-US"), "for bicultural people two countries"),
        (("more", "--cultures", "US-FR"), "Which language is FR asked in?"),
        (("more", "--cultures", "US", "--set", "relaxed=DE"), "--relaxed: 'DE' is not one"),
        (("more", "--cultures", "US", "--memes", "nowhere.txt"), "nowhere.txt: cannot be read: No"),
        (("more", "--cultures", "US", "--memes", "ids.txt"), "ids.txt, row 3: The workspace has"),
        (("more", "--cultures", "US", "--memes", "memeloc.db"), "memeloc.db: is no table"),
    ],
)
def test_a_slip_in_building_is_named(
    command: Run, folder: Path, pilot: None, words: tuple[str, ...], sentence: str
) -> None:
    (folder / "ids.txt").write_text("meme_id\ncloud-monday-01\nnobody\nnone\n", encoding="utf-8")
    done = command("survey", "build", *words)
    assert done.status == 1
    assert sentence in done.err
    assert "Errno" not in done.err


# Out


@each(
    ("words", "sentence"),
    [
        (("--contact", "  "), "--contact ADDRESS"),
        ((*CONTACT, "--out", "memeloc.toml"), "memeloc.toml: is a file; name a folder by --out"),
        ((*CONTACT, "--out", "out"), "out: has the pictures in it"),
        ((*CONTACT, "--pictures", "memeloc.toml"), "memeloc.toml: There is no such folder"),
    ],
)
def test_a_slip_in_exporting_is_named(
    command: Run, folder: Path, pilot: None, words: tuple[str, ...], sentence: str
) -> None:
    done = command("survey", "export", "pilot", "--to", "html", *words)
    assert (done.status, sentence in done.err) == (1, True), done.err
    with Workspace.find() as workspace:
        assert workspace.store.surveys.state("pilot", "minutes") == {}


# Back


@each(
    ("name", "sentence"),
    [
        ("none.csv", "none.csv: There is no such file."),
        ("*.json", "*.json: There is no such file; this shell does not fill in stars"),
        ("empty.csv", "empty.csv: The file is empty"),
        ("surveys/pilot/html/r1-b01-US.html", "the .json that a page saves"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    command: Run, folder: Path, pilot: None, name: str, sentence: str
) -> None:
    assert command("survey", "export", "pilot", "--to", "html", *CONTACT, *FILES).status == 0
    (folder / "empty.csv").touch()
    done = command("survey", "import", "pilot", name)
    assert (done.status, done.out, sentence in done.err) == (1, "", True), done.err


# What is written beside the workspace


@each(
    "words",
    [
        ("import", "pilot", "a.json", "--left", "left.xlsx"),
        ("check", "pilot", "--out", "aside.xlsx"),
        ("decide", "pilot", "--minutes", "9", "--out", "list.xlsx"),
        ("settle", "pilot", "--out", "labels.xlsx"),
        ("settle", "pilot", "--answers", "answers.txt"),
    ],
)
def test_a_table_of_another_suffix_is_refused_at_once(
    command: Run, folder: Path, pilot: None, words: tuple[str, ...]
) -> None:
    write(folder / "a.json", everybody())
    done = command("survey", *words)
    assert (done.status, f"{words[-1]}: " in done.err) == (1, True)
    assert not (folder / words[-1]).exists()
    with Workspace.find() as workspace:
        assert workspace.store.surveys.submissions("pilot") == []
        assert workspace.store.surveys.result("pilot", "check") is None
        assert len(workspace.store.surveys.batches("pilot")) == 2


# Before


def test_a_plan_pays_as_the_workspace_says(
    command: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (folder / "memeloc.toml").open("a", encoding="utf-8") as stream:
        stream.write('\n[survey.prolific]\nwage = "12.00"\ncurrency = "USD"\nfee = "corporate"\n')
    printed = plan(command)
    # 11 minutes at 12.00 are 2.20; 84 people; a fee of 42.8 %, and a fifth of it as tax.
    assert (printed["currency"], printed["total"]) == ("USD", "279.71")
    assert plan(command, "--wage", "6", "--set", "currency=gbp")["currency"] == "GBP"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    shutil.rmtree(folder)
    assert plan(command)["currency"] == "GBP"


def plan(command: Run, *words: str) -> Mapping[str, str]:
    done = command("survey", "plan", "--cultures", "US", *words, "--json")
    assert done.status == 0, done.err
    printed: Mapping[str, str] = json.loads(done.out)
    return printed
