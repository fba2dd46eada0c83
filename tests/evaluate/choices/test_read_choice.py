"""What models write, read as a careful person would."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from memeloc.evaluate import read_choice
from tests.each import each

GROUPS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text(encoding="utf-8"))[
    "group"
]


@each("group", GROUPS, ids=[group["about"] for group in GROUPS])
def test_reads_as_a_careful_person(group: dict[str, Any]) -> None:
    options = [(marker, name) for marker, name in group["options"]]
    for answer, expected in group["answers"]:
        choice = read_choice(
            answer, options, language=group["language"], prompt=group.get("prompt", "")
        )
        seen = choice.name or ("refused" if choice.refused else "invalid")
        assert seen == expected, f"{answer!r} by {choice.rule}"
