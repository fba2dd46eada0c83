"""Phrases in texts: word by word in scripts with spaces, between clusters in the others."""

from __future__ import annotations

from memeloc.locales import default
from memeloc.locales.words import SearchedText
from tests.each import each


@each(
    ("tag", "text", "phrase", "expected"),
    [
        ("en", "My PULL   Request", "pull request", True),
        ("en", "a pull\nrequest", "pull request", True),
        ("en", "pull requests", "pull request", False),
        ("en", "pull requests", "pull request*", True),
        ("en", "the tomcat", "cat", False),
        ("en", "the tomcat", "*cat", True),
        ("en", "category", "*cat*", True),
        ("en", "the cat's", "cat", True),
        ("en", "the cat’s pyjamas", "cat's", True),
        ("en", "C++ again", "c++", True),
        ("en", "😀🏽 cat 👨‍👩‍👧 dog", "dog", True),
        ("en", "a 😀 b", "😀", True),
        ("fr", "un verre d’eau", "eau", True),
        ("de", "DIE STRASSE", "Straße", True),
        ("tr", "IŞIK", "ışık", True),
        ("tr", "ISIK", "isik", False),
        ("tr", "İstanbul", "istanbul", True),
        ("hi", "यह पुल है", "पुल", True),
        ("hi", "यह पुलिस है", "पुल", False),
        ("ar", "والقطة هنا", "قطة", False),
        ("ar", "والقطة هنا", "*قطة", True),
        ("ko", "고양이가 좋아", "고양이", False),
        ("ko", "고양이가 좋아", "고양이*", True),
        ("zh-Hans", "这只小猫很好", "小猫", True),
        ("zh-Hans", "这个MAIN分支", "ai", False),
        ("zh-Hans", "用AI写", "ai", True),
        ("ja", "プルリクを出す", "プルリク", True),
        ("th", "ฉันรักแมวมาก", "แมว", True),
        ("th", "ฉันรักแมวมาก", "แม", True),
        ("th", "ที่นี่", "ท", False),
        ("en", "anything", "", False),
    ],
)
def test_where_a_phrase_stands(tag: str, text: str, phrase: str, expected: bool) -> None:
    assert SearchedText(text, default().get(tag)).has(phrase) is expected


def test_all_places_are_given() -> None:
    text = SearchedText("cat, Cat and concat", default().get("en"))
    assert list(text.places("cat")) == [(0, 3), (5, 8)]
