"""Pseudolocalised text: readable, longer, bracketed or mirrored, and what must stay stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import default
from memeloc.render.typesetting.itemize import resolve
from memeloc.translate.pseudo import pseudolocalise
from tests.each import each


def test_placeholders_addresses_numbers_and_lines_stay() -> None:
    text = "Hi {name}, %d of 3 at https://a.org/b #MondayMood @me 😀\n<b>now</b>"
    written = pseudolocalise(text, default().get("es"))
    for kept in ("{name}", "%d", "3", "https://a.org/b", "#MondayMood", "@me", "😀\n<b>", "</b>"):
        assert kept in written


@each("tag", ["ar", "he", "fa", "ur"])
def test_right_to_left_languages_get_mirrored_words(tag: str) -> None:
    words = pseudolocalise("my {n} cats\nsleep", default().get(tag)).replace("\n", " ").split(" ")
    assert words[0] == "\u200f\u202emy\u202c\u200f"
    assert words[1] == "{n}"
    assert len(words) == 4
    levels = resolve(words[0], "rtl").levels
    assert levels[words[0].index("m")] % 2 == 1


@each("tag", ["hi", "zh", "ja", "ko", "th", "ru", "el", "ka", "am"])
def test_other_scripts_get_their_own_letters(tag: str) -> None:
    locale = default().get(tag)
    written = pseudolocalise("When the build passes", locale)
    assert written.startswith("[")
    assert written.endswith("]")
    letters = [letter for letter in written if letter.isalpha()]
    assert letters
    exemplars = set("".join(default().exemplars(locale.tag)))
    assert all(letter.lower() in exemplars or letter in exemplars for letter in letters)
    if locale.tag in ("zh-Hans", "ja"):
        assert len(letters) < len("When the build passes")


@given(st.text(max_size=80), st.sampled_from(["de", "ar", "hi", "zh-Hans", "ru"]))
def test_any_text_gives_the_same_text_each_time(text: str, tag: str) -> None:
    locale = default().get(tag)
    once = pseudolocalise(text, locale)
    assert once == pseudolocalise(text, locale)
    assert once.count("\n") == text.count("\n")
    if tag != "ar":
        assert len(once) >= len(text) / 2
