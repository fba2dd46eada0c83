"""`memeloc keywords`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Run = Callable[..., Outcome]


def test_expand_words_and_files(tmp_path: Path, command: Run) -> None:
    path = tmp_path / "words.txt"
    path.write_text("شاي\n", "utf-8")
    done = command("keywords", "expand", path, "قهوة", "--lang", "ar", "--json")
    assert done.status == 0, done.err
    result = json.loads(done.out)
    assert result["language"] == "ar"
    assert [row["text"] for row in result["variants"] if row["kind"] == "word"] == ["شاي", "قهوة"]
    done = command("keywords", "expand", "قهوة", "--lang", "ar", "--kind", "cue", "--limit", "1000")
    assert "POV قهوة" in done.out
    assert "qahwa" not in done.out
    assert all("\tcue\t" in line for line in done.out.splitlines()[1:])
    done = command("keywords", "expand", path, "--lang", "ar", "-o", tmp_path / "out.csv")
    assert "variants to" in done.out
    assert "shay" in (tmp_path / "out.csv").read_text("utf-8-sig")


def test_find_lines(tmp_path: Path, command: Run) -> None:
    path = tmp_path / "captions.txt"
    path.write_text("صباح الخير\nبدون قهوووة لا\nanother line\n", "utf-8")
    done = command("keywords", "find", path, "-k", "قهوة", "--lang", "ar", "--json")
    result = json.loads(done.out)
    assert result["lines"] == 3
    (match,) = result["matches"]
    assert (match["line"], match["found"], match["keyword"]) == (2, "قهوووه", "قهوة")
    assert "قهوووه" in command("keywords", "find", path, "-k", "قهوة", "--lang", "ar").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("expand", "tea"), "name the language"),
        (("expand", "tea", "--lang", "xx"), "no keyword rules"),
        (("expand", "gone.txt", "--lang", "en"), "no such file of keywords"),
        (("expand", "tea", "--lang", "en", "--kind", "loud"), "no kind 'loud'"),
        (("expand", "", "--lang", "en"), "1 to 100 characters"),
        (("find", "gone.txt", "-k", "tea", "--lang", "en"), "gone.txt"),
    ],
)
def test_wrong_use_is_reported(
    arguments: tuple[str, ...], sentence: str, command: Run, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    done = command("keywords", *arguments)
    assert done.status == 1
    assert sentence in done.err
