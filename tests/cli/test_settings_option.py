"""`--set KEY=VALUE`: JSON, tables as in memeloc.toml, else text."""

from __future__ import annotations

from typing import Any

from memeloc.cli.options import settings
from tests.each import each


@each(
    ("text", "value"),
    [
        ("people={DE = 50}", {"DE": 50}),
        ('people={"DE": 50}', {"DE": 50}),
        ("sex={female = 0.5, male = 0.5}", {"female": 0.5, "male": 0.5}),
        ("screen_out=true", True),
        ("name=2026-11-23", "2026-11-23"),
        ("address=https://survey.example/memes", "https://survey.example/memes"),
    ],
)
def test_values_are_written_as_in_the_guides(text: str, value: Any) -> None:
    assert list(settings([text]).values()) == [value]
