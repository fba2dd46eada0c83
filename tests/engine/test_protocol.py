"""What machines must have; another machine is this one after something has changed."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from memeloc.engine import Checked, alike, seeing
from memeloc.errors import InputError, MissingError

_VERSIONS: dict[str, str] = {}


def _tools() -> dict[str, str]:
    if _VERSIONS.get("font") == "":
        raise InputError("there is no such font", file="My.ttf")
    return dict(_VERSIONS)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_VERSIONS, "skia", "144")
    monkeypatch.setitem(_VERSIONS, "font", "ab12")


def test_a_file_that_a_machine_does_not_see_is_named(tmp_path: Path) -> None:
    picture = tmp_path / "cat.png"
    picture.touch()
    function: Checked[int, int] = Checked(abs, [seeing([picture, tmp_path / "never there"])])
    picture.unlink()
    with pytest.raises(InputError, match="disk that they share") as caught:
        function(-3)
    assert caught.value.file == str(picture)


@pytest.mark.parametrize("there", [{"font": "cd34"}, {"emoji": "ef56"}, {"font": "cd34", "hb": ""}])
def test_other_tools_of_a_machine_are_named(
    monkeypatch: pytest.MonkeyPatch, there: dict[str, str]
) -> None:
    function: Checked[int, int] = Checked(abs, [alike(_tools)])
    for name, version in there.items():
        monkeypatch.setitem(_VERSIONS, name, version)
    with pytest.raises(MissingError) as caught:
        function(-3)
    different = ", ".join(
        f"{name} ({version} there, {'ab12' if name == 'font' else 'none'} here)"
        for name, version in there.items()
    )
    assert f"machine {platform.node()} " in str(caught.value)
    assert f" the same {different}: " in str(caught.value)


def test_a_tool_that_was_asked_for_and_is_missing_is_named_with_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    function: Checked[int, int] = Checked(abs, [alike(_tools)])
    monkeypatch.setitem(_VERSIONS, "font", "")
    with pytest.raises(MissingError, match=rf"machine {platform.node()}: My\.ttf: there is no"):
        function(-3)
