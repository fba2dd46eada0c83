"""Placeholders through translators: each comes back, whatever a translator does to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.language_models import ModelSettings
from memeloc.locales import default
from memeloc.model import Caption
from memeloc.placeholders import placeholders
from memeloc.translate import (
    Translation,
    TranslationItem,
)
from memeloc.translate.answers import LOST, numbered, restored
from memeloc.translate.openai import OpenAITranslator

EN, DE = default().get("en"), default().get("de")


def _item(text: str, name: str = "survey:x") -> TranslationItem:
    return TranslationItem(name, Caption.parse(text), EN, DE, kind="survey")


def _translated(text: str, write: Callable[[str], str]) -> tuple[Translation, tuple[str, ...]]:
    """The answer of a translator that does one thing to every part, and what it was sent."""
    item = _item(text)
    sent = numbered(item).source.parts
    caption = Caption(tuple(write(part) for part in sent))
    return restored(item, Translation(item.meme_id, "de", caption, "rewriter")), sent


@pytest.mark.parametrize(
    ("write", "text", "marks"),
    [
        (lambda text: text.replace("of", "von"), "{number} von {total}", ()),
        (lambda text: "{2}: {1}", "{total}: {number}", ()),
        (lambda text: "{ 2 } – ｛1｝", "{total} – {number}", ()),
        (lambda text: "{٢} {१}", "{total} {number}", ()),
        (lambda text: "von {2}", "von {total} {number}", (LOST,)),
        (lambda text: "von", "von {number} {total}", (LOST,)),
        (lambda text: "{1} von {3}", "{number} von {total}", (LOST,)),
        (lambda text: "{1} {2} {9}", "{number} {total}", (LOST,)),
        (lambda text: "{number} von {2}", "{number} von {total}", ()),
    ],
)
def test_each_placeholder_comes_back(
    write: Callable[[str], str], text: str, marks: tuple[str, ...]
) -> None:
    answer, sent = _translated("{number} of {total}", write)
    assert sent == ("{1} of {2}",)
    assert (str(answer.caption), answer.marks) == (text, marks)


TEXT = st.lists(
    st.one_of(st.sampled_from(["{a}", "{b}", "{c}", "{1}", "{2}", "{}"]), st.text(max_size=5)),
    max_size=6,
).map("".join)


@given(source=TEXT.filter(str.strip), answer=TEXT)
def test_whatever_is_answered_has_the_placeholders_of_its_source(source: str, answer: str) -> None:
    item = TranslationItem("x", Caption((source,)), EN, DE)
    made, _ = _translated(source, lambda text: answer)
    has = set(placeholders(made.caption.parts[0]))
    assert set(placeholders(source)) <= has
    if made.caption.parts[0] != answer.strip() and placeholders(source):
        assert has == set(placeholders(source))
    assert restored(item, made).caption == made.caption


def test_a_language_model_hears_that_it_is_no_caption() -> None:
    survey, caption = _item("{1} memes"), TranslationItem("m", Caption(("me",)), EN, DE)
    asked = OpenAITranslator(ModelSettings(model="tiny"))._question
    messages = asked(survey).messages
    assert "survey" in messages[0].text
    assert "{1}" in messages[0].text
    assert '"text"' in messages[1].text
    assert "captions of memes" in asked(caption).messages[0].text
