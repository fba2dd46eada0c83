from __future__ import annotations

import re
from pathlib import Path

import pytest

import memeloc
from memeloc.cli.show import Table
from memeloc.counts import counted
from tests.each import each


@each(
    ("number", "text"),
    [(0, "0 pictures"), (1, "1 picture"), (2, "2 pictures"), (1000, "1,000 pictures")],
)
def test_a_count_has_its_noun(number: int, text: str) -> None:
    assert counted(number, "picture") == text


def test_a_title_counts_its_rows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for rows in (["a"], ["a", "b"]):
        Table(
            "{n:entry|entries} of {0[kind]}", "rows", [("what there is in the kitchen", str)]
        ).draw({"rows": rows, "kind": "tea"})
    shown = capsys.readouterr().out
    assert "1 entry of tea" in shown
    assert "2 entries of tea" in shown


_NOUNS = (
    "pictures|captions|memes|languages|rows|files|templates|sheets|pairs|batches|answers|labels"
)


def test_commands_count_by_counted() -> None:
    # A constant in capitals is never 1, and a part of a whole ("3 of 5 memes") may be.
    wrong = [
        f"{path.name}: {match[0]}"
        for path in (Path(memeloc.__file__).parent / "cli").rglob("*.py")
        for match in re.finditer(rf"\{{[^{{}}'A-Z]+(:,)?\}} ({_NOUNS})\b", path.read_text("utf-8"))
        if "of the" not in path.read_text("utf-8")[match.start() - 12 : match.start()].lower()
    ]
    assert not wrong
