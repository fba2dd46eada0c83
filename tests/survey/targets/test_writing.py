"""Files of exporters: the same bytes on every system, whatever is in the texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from memeloc.errors import InputError
from memeloc.survey.targets.files import copy_picture, write_json, write_text


def test_texts_are_utf_8_with_line_feeds_and_without_half_pairs(tmp_path: Path) -> None:
    write_text(tmp_path / "new" / "a.txt", "Grüße\nhalf \ud83d.\n")
    assert (tmp_path / "new" / "a.txt").read_bytes() == "Grüße\nhalf ?.\n".encode()


def test_values_keep_the_order_of_their_keys(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"z": "é", "a": ["\ud83d"]})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == (
        '{\n "z": "é",\n "a": [\n  "?"\n ]\n}\n'
    )


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("before")
    with pytest.raises(TypeError):
        write_json(tmp_path / "a.json", {"a": object()})
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "a.json" / "b.txt", "")
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == "before"


def test_a_copy_has_the_suffix_of_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"\x89PNG\r\n")
    assert copy_picture(tmp_path / "a.jpg", tmp_path / "out", "m1") == "m1.png"
    (tmp_path / "c.jpg").write_bytes(b"\0\0\0\x20ftypavif")
    assert copy_picture(tmp_path / "c.jpg", tmp_path / "out", "m1") == "m1.avif"
    assert (tmp_path / "out" / "m1.png").read_bytes() == b"\x89PNG\r\n"
    (tmp_path / "b.jpg").write_text("no picture")
    for name in ("b.jpg", "nowhere.jpg"):
        with pytest.raises(InputError, match="picture"):
            copy_picture(tmp_path / name, tmp_path / "out", "m2")
    assert {one.name for one in (tmp_path / "out").iterdir()} == {"m1.avif", "m1.png"}
