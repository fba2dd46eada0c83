"""To translators and back: placeholders, entities, invisible characters, other scripts."""

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
from memeloc.translate.answers import LOST, cleaned, numbered, other_script, restored
from memeloc.translate.openai import OpenAITranslator
from memeloc.translate.pseudo import pseudolocalise
from tests.each import each


@each(
    ("text", "source", "stored"),
    [
        ("Tom &amp; Jerry&#39;s &quot;hat&quot;", "Tom & Jerry", 'Tom & Jerry\'s "hat"'),
        ("&amp;lt;b&amp;gt;", "", "&lt;b&gt;"),
        ("type &amp;", "write &amp;", "type &amp;"),
        ("AT&T, R&D, 5 &copy 6 &nosuch;", "", "AT&T, R&D, 5 &copy 6 &nosuch;"),
        ("a\u202eb\u202c \u202ac", "", "ab c"),
        ("a&#8238;b", "", "ab"),
        ("\u2067شكرا\u2069 ok", "", "\u2067شكرا\u2069 ok"),
        ("\u2067شكرا ok", "", "شكرا ok"),
        ("ok \u2069\u2067", "", "ok "),
        ("می\u200cخواهم 👩\u200d💻 \u200f", "", "می\u200cخواهم 👩\u200d💻 \u200f"),
        ("a\x00b\x07c\x1b[1m\x9f\ufeff", "", "abc[1m"),
        ("a\tb\r\nc\u2028d\re", "", "a b\nc\nd\ne"),
        ("sun \ud83c", "", "sun \ufffd"),
    ],
)
def test_what_is_no_text_does_not_enter(text: str, source: str, stored: str) -> None:
    assert cleaned(text, source) == stored


@each(
    ("text", "tag", "script"),
    [
        ("मेरा कोड", "hi", ""),
        ("LOL", "hi", ""),
        ("我的代码", "hi", "Hani"),
        ("мой код", "de", "Cyrl"),
        ("μ-test of WiFi", "hi", ""),
        ("わたし", "zh-Hans", "Hira"),
        ("私", "ja", ""),
        ("42 !", "ja", ""),
    ],
)
def test_another_language_shows_by_its_script(text: str, tag: str, script: str) -> None:
    locales = default()
    assert other_script([text], locales.get(tag), locales.get("en")) == script


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


def test_placeholders_addresses_numbers_and_lines_stay() -> None:
    text = "Hi {name}, %d of 3 at https://a.org/b #MondayMood @me 😀\n<b>now</b>"
    written = pseudolocalise(text, default().get("es"))
    for kept in ("{name}", "%d", "3", "https://a.org/b", "#MondayMood", "@me", "😀\n<b>", "</b>"):
        assert kept in written
