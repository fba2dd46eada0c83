"""Upper case by language, and phrases in texts."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import default, uppercase
from memeloc.locales.words import SearchedText
from tests.each import each

GREEK = st.text("αάὰᾶἁᾳᾴεέηήῆιίϊΐοόυύϋΰωώςσβγδΑΆΉ -.'", max_size=12)


@each(
    ("tag", "text", "expected"),
    [
        ("en", "ﬁn ﬂoß ŉ ǰ", "FIN FLOSS ʼN J̌"),
        ("tr", "istanbul ılık diyarbakır", "İSTANBUL ILIK DİYARBAKIR"),
        ("az", "i ı ə", "İ I Ə"),
        ("de", "die straße größer", "DIE STRAẞE GRÖẞER"),
        ("fr", "où ça, œuf", "OÙ ÇA, ŒUF"),
        ("nl", "ijs, ĳs, íj́", "IJS, ĲS, ÍJ́"),
        ("vi", "tiếng việt", "TIẾNG VIỆT"),
        ("ru", "ёлка", "ЁЛКА"),
        ("hy", "և եւ", "ԵՎ ԵՒ"),
        ("el", "Μάιος ή Μαΐου", "ΜΑΪΟΣ Ή ΜΑΪΟΥ"),
        ("el", "όταν ο γάιδαρος", "ΟΤΑΝ Ο ΓΑΪΔΑΡΟΣ"),
        ("el", "προϊόν, αϊτός, ΰ, ΐ", "ΠΡΟΪΟΝ, ΑΪΤΟΣ, Ϋ, Ϊ"),
        ("el", "αύριο ρύζι άυλος", "ΑΥΡΙΟ ΡΥΖΙ ΑΫΛΟΣ"),
        ("el", "ή. ναι ή όχι, ή-ή", "Ή. ΝΑΙ Ή ΟΧΙ, Ή-Ή"),
        ("el", "τη γιορτή ήρθε ή", "ΤΗ ΓΙΟΡΤΗ ΗΡΘΕ Ή"),
        ("el", "η\u0301 κ’ ή 'ή'", "Ή Κ’ Ή 'Ή'"),
        ("el", "ὀξύς ῥόδον ᾧ ᾅ ἄνθρωπος", "ΟΞΥΣ ΡΟΔΟΝ ΩΙ ΑΙ ΑΝΘΡΩΠΟΣ"),
        ("el", "κέικ θεϊκός ρολόι", "ΚΕΪΚ ΘΕΪΚΟΣ ΡΟΛΟΪ"),
        ("el", "to build τρέχει café", "TO BUILD ΤΡΕΧΕΙ CAFÉ"),
    ],
)
def test_a_language_upper_cases_by_its_own_rules(tag: str, text: str, expected: str) -> None:
    assert unicodedata.normalize("NFC", uppercase(text, default().get(tag))) == expected


@each("tag", ["ka", "hi", "ar", "zh-Hans", "ja", "th", "am"])
@given(text=st.text(max_size=20))
def test_a_locale_without_upper_case_posters_gets_its_text_back(tag: str, text: str) -> None:
    assert uppercase(text, default().get(tag)) == text


@given(st.text("aâbcçdefgğhıijklmnoöprsştuüvyz ", max_size=30))
def test_turkish_upper_case_loses_no_dot(text: str) -> None:
    upper = uppercase(text, default().get("tr"))
    assert upper.replace("İ", "i").replace("I", "ı").lower() == text


@given(GREEK)
def test_greek_loses_accents_and_nothing_else(text: str) -> None:
    upper = uppercase(text, default().get("el"))
    assert _letters(upper) == _letters(text.upper())
    accents = unicodedata.normalize("NFD", upper).replace("Η\u0301", "Η")
    assert not {"\u0300", "\u0301", "\u0342", "\u0313", "\u0314", "\u0345"} & set(accents)


@each("tag", [locale.tag for locale in default()])
@given(text=st.text(max_size=15))
def test_upper_casing_twice_changes_nothing(tag: str, text: str) -> None:
    locale = default().get(tag)
    once = uppercase(text, locale)
    if tag == "el":  # a lone accent mark in odd text may join the letter before it the second time
        assert _letters(uppercase(once, locale)) == _letters(once)
    else:
        assert uppercase(once, locale) == once


def _letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


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
