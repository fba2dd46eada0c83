"""A release's folder: all of it or nothing, and nobody's files are lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.object_storage import folder_at
from memeloc.publish.folder import RELEASE, replacing_release


def release(out: Path, **files: str) -> None:
    with replacing_release(folder_at(out), {"layout": "csv"}) as folder:
        for name, text in files.items():
            (folder / name).write_text(text)


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != RELEASE}


def test_a_release_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, a="1", b="2")
    release(out, a="3")
    assert content(out) == {"a": "3"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("mine.txt", "x", "mine.txt .* was not written by memeloc"), ("a", "2", "a .* was changed")],
)
def test_what_people_put_there_stays(tmp_path: Path, name: str, text: str, message: str) -> None:
    out = tmp_path / "out"
    release(out, a="1")
    (out / name).write_text(text)
    with pytest.raises(InputError, match=message):
        release(out, a="3")
    assert content(out) == {"a": "1", name: text}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match=r"thesis\.txt"):
        release(tmp_path, a="1")


def test_a_failed_run_changes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, a="1")
    with (
        pytest.raises(InputError, match="cannot be written"),
        replacing_release(folder_at(out), {}) as folder,
    ):
        (folder / "missing" / "a").write_text("2")
    assert content(out) == {"a": "1"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_run_killed_between_renamings_is_undone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    release(out, a="1")
    out.rename(tmp_path / ".out.before")
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / ".out.partial" / "b").write_text("half")
    release(out, a="2")
    assert content(out) == {"a": "2"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with replacing_release(folder_at(out), {}) as folder:
        (folder / "a").write_text("1")
        with pytest.raises(InputError, match="Another run"):
            release(out, a="2")
    assert content(out) == {"a": "1"}
