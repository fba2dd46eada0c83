"""A year read by a model counts only when the text bears it out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.collect.year_by_model import YearReader, bears_out
from memeloc.errors import ServiceError
from memeloc.language_models import LanguageModel, ModelSettings
from tests.chat_server import ChatServer, error

TEXT = "The sleepy snail was drawn in 1999. It spread in  the\nsummer of 2012, after a forum post."


def _reader(chat: ChatServer, answer: Any, **more: Any) -> YearReader:
    chat.say = lambda number, body: answer if isinstance(answer, str) else json.dumps(answer)
    settings = ModelSettings(model="tiny", base_url=chat.url, asks=1)
    return YearReader(LanguageModel(settings), latest=2026, **more)


@pytest.mark.parametrize(
    "answer",
    [
        {"evidence": "the summer of 2011", "year": 2011},  # not in the text
        {"evidence": "the summer of 2012", "year": 2011},  # another year
        {"evidence": "a forum post", "year": 2012},  # no year in it
        {"evidence": "", "year": 2012},
        {"evidence": "summer of 201", "year": 201},
        {"evidence": "the summer of 2012", "year": 12012},
        {"evidence": "2012", "year": "2012"},
        "I cannot say.",
    ],
)
def test_what_the_text_does_not_bear_out_is_refused(chat: ChatServer, answer: Any) -> None:
    reader = _reader(chat, answer)
    assert reader(TEXT) is None
    assert len(chat.bodies) == 1


def test_years_out_of_range_are_refused(chat: ChatServer) -> None:
    reader = _reader(chat, {"evidence": "in 1812", "year": 1812})
    assert reader("A battle in 1812, drawn in 2012.") is None
    chat.refuse = lambda number, body: error(401, "wrong key")
    with pytest.raises(ServiceError, match="wrong key"):
        reader(TEXT)


@pytest.mark.parametrize(
    ("text", "evidence", "year", "right"),
    [
        ("In ２０１２ it came.", "in 2012 It", 2012, True),
        ("ظهر في عام ٢٠١٢ أول مرة", "عام ٢٠١٢", 2012, True),
        ("Summer ’12 was warm", "summer '12", 2012, True),
        ("born in 120123", "2012", 2012, False),
        ("in 20123", "in 2012", 2012, False),
        ("since the 2010s", "the 2010s", 2010, False),
        ("one of 2012's best", "2012's best", 2012, True),
        ("between 2011 and 2013", "2011 and 2013", 2012, False),
        ("x" * 400 + "2012", "x" * 400 + "2012", 2012, False),
    ],
)
def test_bearing_out(text: str, evidence: str, year: int, right: bool) -> None:
    assert bears_out(text, evidence, year) is right


@given(st.text(), st.text(), st.integers())
def test_bearing_out_takes_anything(text: str, evidence: str, year: int) -> None:
    assert not bears_out(text, evidence, abs(year) + 10_000) or str(abs(year) + 10_000) in evidence
