"""The letters of languages, and whether fonts draw them."""

from __future__ import annotations

from memeloc.locales.registry import exemplars
from tests.each import each


@each(
    ("tag", "some", "none"),
    [
        ("cs", "ch ů ř", "ß"),
        ("de", "ä ß", "ñ"),
        ("tr", "ı ğ", "q"),
        ("zh-Hans", "们 这", "們 這"),
        ("zh-Hant", "們 這", "们 这"),
        ("zh-TW", "們", "们"),
        ("nb", "æ ø å", "ß"),
        ("pa", "ਪ ੰ", "پ"),
        ("pa-PK", "پ", "ਪ"),
        ("sr", "ђ", "đ"),
        ("sr-Latn", "đ", "ђ"),
        ("ko", "가 힣", "あ"),
    ],
)
def test_letters_are_those_of_the_language_in_its_script(tag: str, some: str, none: str) -> None:
    assert set(some.split()) <= set(exemplars(tag))
    assert not set(none.split()) & set(exemplars(tag))
