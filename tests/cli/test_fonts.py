"""`memeloc fonts`: what is listed is what is there, and what is checked is what would be drawn."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from memeloc.fonts import FontLibrary, library
from memeloc.resources import folder
from tests.conftest import Outcome

Command = Callable[..., Outcome]

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_every_family_is_listed_and_verified(command: Command) -> None:
    outcome = command("fonts", "list", "--json")
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


def test_the_list_for_people_has_a_line_a_family(command: Command) -> None:
    lines = command("fonts", "list").out.splitlines()
    assert lines[0].split("\t")[:4] == ["family", "package", "version", "licence"]
    assert len(lines) == 1 + len(FontLibrary().families)


def test_another_file_than_the_one_named_is_refused(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = (folder("fonts") / "fonts.toml").read_text(encoding="utf-8")
    anton = tomllib.loads(original)["family"]["anton"]
    wrong = original.replace(anton["sha256"], "0" * 64)
    gone = wrong.replace("fontpkg_noto_sans_thai", "fontpkg_not_installed")
    (tmp_path / "fonts.toml").write_text(gone, encoding="utf-8")
    monkeypatch.setattr(library, "folder", lambda _name: tmp_path)

    outcome = command("fonts", "list")

    assert outcome.status == 1
    assert "anton is not the file that fonts.toml names" in outcome.err
    assert "pip install fontpkg-noto-sans-thai" in outcome.err
    states = {line.split("\t")[0]: line.split("\t")[9] for line in outcome.out.splitlines()}
    assert {name for name, state in states.items() if state == "wrong"} == {
        "anton",
        "noto-sans-thai",
    }


def test_each_cluster_is_named_with_the_family_that_draws_it(command: Command) -> None:
    emoji = "colour-emoji" if FontLibrary().families["colour-emoji"].found else "noto-emoji"
    outcome = command("fonts", "check", "É漢 ক্ষি 👩🏽‍💻🇩🇪", "--json")
    checked = json.loads(outcome.out)
    assert outcome.status == 0
    assert [(entry["cluster"], entry["family"]) for entry in checked["clusters"]] == [
        ("É", "anton"),
        ("漢", checked["clusters"][1]["family"]),
        ("ক্ষি", "noto-sans-bengali"),
        ("👩🏽‍💻", emoji),
        ("🇩🇪", emoji),
    ]
    assert checked["clusters"][1]["family"].startswith("noto-sans-cjk")
    assert checked["clusters"][3]["code_points"] == ["U+1F469", "U+1F3FD", "U+200D", "U+1F4BB"]


def test_language_and_face_decide_the_family(
    command: Command,
) -> None:
    def family(*arguments: str) -> str:
        checked = json.loads(command("fonts", "check", *arguments, "--json").out)
        result: str = checked["clusters"][0]["family"]
        return result

    assert family("骨", "--lang", "ja") == "noto-sans-cjk-jp"
    assert family("骨", "--lang", "zh-TW") == "noto-sans-cjk-tc"
    assert family("a", "--face", "poster") == "anton"
    assert family("a", "--face", "plain") == "noto-sans"


def test_what_no_font_has_is_reported_with_status_1(command: Command) -> None:
    outcome = command("fonts", "check", "a\U00013000b\U00013000")
    assert outcome.status == 1
    assert outcome.out.splitlines()[2] == "\U00013000\tU+13000\tMISSING"
    assert "No font draws 2 of 4 clusters: \U00013000. Name a font" in outcome.err
    checked = json.loads(command("fonts", "check", "a\U00013000", "--json").out)
    assert checked["missing"] == ["\U00013000"]


def test_a_font_of_the_users_own_comes_first(command: Command, tmp_path: Path) -> None:
    mine = tmp_path / "Mine.ttf"
    shutil.copy(FontLibrary().families["noto-sans"].path, mine)
    checked = json.loads(command("fonts", "check", "aক", "--font", mine, "--json").out)
    assert [entry["family"] for entry in checked["clusters"]] == ["Mine", "noto-sans-bengali"]
    listed = json.loads(command("fonts", "list", "--font", mine, "--json").out)
    assert listed["families"][0]["family"] == "Mine"
    assert listed["families"][0]["state"] == "your own, not checked"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["a", "--lang", "xq"], "xq"),
        (["a", "--font", "/nowhere.ttf"], "/nowhere.ttf"),
        (["a\udc80"], "not UTF-8"),
    ],
)
def test_wrong_input_is_a_sentence(command: Command, arguments: list[str], sentence: str) -> None:
    outcome = command("fonts", "check", *arguments)
    assert (outcome.status, outcome.out) == (1, "")
    assert sentence in outcome.err
    assert "defect" not in outcome.err


def test_each_font_package_is_pinned_to_its_release() -> None:
    """Another release may carry other files, which their SHA-256 would refuse."""
    dependencies = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    pinned = {line.partition("==")[0] for line in dependencies if "==" in line}
    carried = {family.package for family in FontLibrary().families.values()}
    assert carried - {""} == pinned
    assert not [
        line for line in dependencies if re.match(r"(fontpkg|manimgx)[a-z-]*[^=a-z-]*>", line)
    ]
