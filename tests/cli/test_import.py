"""`memeloc import`: what it says and what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Command = Callable[..., Outcome]
TABLE = (
    "meme_id,template,en,de,notes\n"
    "a,cloud-monday,one // two,eins // zwei,x\n"
    "b,cloud-monday,three,,\n"
    "c,no-such,four,vier,\n"
)


@pytest.fixture(autouse=True)
def _workspace(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMELOC_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    command("init", "--langs", "de")
    Path("table.csv").write_text(TABLE, encoding="utf-8")


def test_what_is_new_and_what_is_left_out(command: Command) -> None:
    first = command("import", "table.csv")
    assert first.status == 0
    assert first.out == "Imported 3 new memes. Captions: 5 new, 0 changed, 0 unchanged.\n"
    assert "Note: 1 meme waits for 1 template: no-such (1). They are left out" in first.err
    assert "column notes: The column is left out" in first.err
    assert "empty cells are captions still to translate (de 1)" in first.err
    again = command("import", "table.csv")
    assert again.out == "Nothing is new: 5 captions are here already.\n"


def test_as_json(command: Command) -> None:
    command("import", "table.csv")
    Path("table.csv").write_text(TABLE.replace("three", "drei"), encoding="utf-8")
    summary = json.loads(command("import", "table.csv", "--json").out)
    assert [len(summary.pop(name)) for name in ("left_out", "notes")] == [0, 2]
    assert summary == {
        "memes": 0,
        "added": {},
        "changed": {"en": 1},
        "unchanged": 4,
        "outdated": {},
        "empty": {"de": 1},
        "problems": {},
        "waiting": {"no-such": 1},
    }


def test_strict_imports_nothing(command: Command) -> None:
    failed = command("import", "table.csv", "--strict")
    assert failed.status == 1
    assert "The table has 2 problems" in failed.err
    assert json.loads(command("status", "--json").out)["memes"] == 0


def test_only_the_languages_asked_for(command: Command) -> None:
    assert json.loads(command("import", "table.csv", "--langs", "en", "--json").out)["added"] == {
        "en": 3
    }
    failed = command("import", "table.csv", "--langs", "hi")
    assert (failed.status, "no column for 'hi'" in failed.err) == (1, True)


def test_templates_of_ones_own(command: Command, tmp_path: Path) -> None:
    from PIL import Image

    Path("pictures").mkdir()
    Image.new("RGB", (400, 300), "white").save("pictures/no-such.png")
    summary = json.loads(command("import", "table.csv", "--templates", "pictures", "--json").out)
    assert (summary["memes"], summary["waiting"]) == (3, {})


def test_outside_of_any_workspace(
    command: Command, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    failed = command("import", "table.csv")
    assert (failed.status, "`memeloc init` makes one" in failed.err) == (1, True)
