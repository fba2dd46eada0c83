"""Upper case by language, as ICU has it, but for the German ẞ."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memeloc.locales import default, uppercase
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
