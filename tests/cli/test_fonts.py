"""`memeloc fonts`: what is listed is what is there, and what is checked is what would be drawn."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.fonts import library
from memeloc.resources import folder
from tests.conftest import Outcome

Command = Callable[..., Outcome]


def test_every_family_is_listed_and_verified(command: Command) -> None:
    outcome = command("fonts", "--json")
    listed = json.loads(outcome.out)
    assert (outcome.status, outcome.err, listed["problems"]) == (0, "", [])
    entries = {entry["family"]: entry for entry in listed["families"]}
    named = tomllib.loads((folder("fonts") / "fonts.toml").read_text(encoding="utf-8"))["family"]
    assert entries.keys() == named.keys()
    for name, entry in entries.items():
        if "system" in named[name]:
            assert entry["state"] in ("on this system", "not on this system")
            continue
        assert entry["state"] == "verified"
        assert entry["licence"] == named[name]["licence"]
        assert Path(entry["file"]).stat().st_size == entry["bytes"]
        # What fonts.toml asks of a variable font lies within what the font can do.
        for settings in (named[name].get("poster", {}), named[name].get("plain", {})):
            for axis, value in settings.items():
                low, high = entry["axes"][axis]
                assert low <= value <= high


def test_another_file_than_the_one_named_is_refused(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = (folder("fonts") / "fonts.toml").read_text(encoding="utf-8")
    anton = tomllib.loads(original)["family"]["anton"]
    wrong = original.replace(anton["sha256"], "0" * 64)
    gone = wrong.replace("fontpkg_noto_sans_thai", "fontpkg_not_installed")
    shutil.copytree(folder("fonts"), tmp_path, dirs_exist_ok=True)
    (tmp_path / "fonts.toml").write_text(gone, encoding="utf-8")
    monkeypatch.setattr(library, "folder", lambda _name: tmp_path)

    outcome = command("fonts")

    assert outcome.status == 1
    assert "anton is not the file that fonts.toml names" in outcome.err
    assert "pip install fontpkg-noto-sans-thai" in outcome.err
    states = {line.split("\t")[0]: line.split("\t")[9] for line in outcome.out.splitlines()}
    assert {name for name, state in states.items() if state == "wrong"} == {
        "anton",
        "noto-sans-thai",
    }
