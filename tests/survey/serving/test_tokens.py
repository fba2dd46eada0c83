"""Tokens in addresses: read back, and nothing else is."""

from __future__ import annotations

from memeloc.survey.serving import Tokens
from tests.each import each

TOKENS = Tokens("pilot", b"k" * 32)


@each(
    "changed",
    [
        lambda token: token.replace("DE", "US"),
        lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"),
        lambda token: token.upper(),
        lambda token: "",
        lambda token: "é" * 40,
        lambda token: token + "\n",
    ],
)
def test_a_changed_token_is_none(changed: object) -> None:
    assert callable(changed)
    assert TOKENS.read("place", changed(TOKENS.sign("place", "a1b2", "r1-b03-DE"))) is None


def test_a_token_is_for_one_survey_and_one_use() -> None:
    token = TOKENS.sign("place", "a1b2", "r1-b03-DE")
    assert Tokens("other", b"k" * 32).read("place", token) is None
    assert Tokens("pilot", b"l" * 32).read("place", token) is None
    assert TOKENS.read("link", token) is None
