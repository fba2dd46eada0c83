"""What a locale's TOML may say; and that every built-in one says what is true of its language."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import icu
import pytest

from memeloc.errors import InputError
from memeloc.locales import default
from memeloc.locales import registry as registry_module
from memeloc.locales.registry import read_locale
from memeloc.model import Locale
from tests.each import each

DATA = Path(registry_module.__file__).parent / "data"
LOCALES = each("locale", list(default()), ids=lambda locale: locale.tag)
GOOGLE = """
    af am ar az bg bn ca cs da de el en es fa fi fil fr gu he hi hr hu hy id it ja ka kk km kn
    ko lo ml mr ms my ne nl no or pa pl pt ro ru si sk sr sv sw ta te th tr uk ur vi zh-CN
    zh-TW
""".split()  # noqa: SIM905
"""Codes of cloud.google.com/translate/docs/languages that built-in locales use."""
TESSERACT = """
    amh ara aze ben bul cat ces chi_sim chi_tra dan deu ell eng fas fil fin fra guj heb hin
    hrv hun hye ind ita jpn kan kat kaz khm kor lao mal mar msa mya nep nld nor ori pan pol
    por ron rus sin slk spa srp swa swe tam tel tha tur ukr urd vie
""".split()  # noqa: SIM905
"""Language data of Debian's tesseract-ocr-* packages that built-in locales use."""
UNICODE_NAMES = {
    "Latn": "LATIN",
    "Cyrl": "CYRILLIC",
    "Grek": "GREEK",
    "Arab": "ARABIC",
    "Hebr": "HEBREW",
    "Deva": "DEVANAGARI",
    "Beng": "BENGALI",
    "Taml": "TAMIL",
    "Telu": "TELUGU",
    "Knda": "KANNADA",
    "Mlym": "MALAYALAM",
    "Gujr": "GUJARATI",
    "Guru": "GURMUKHI",
    "Orya": "ORIYA",
    "Sinh": "SINHALA",
    "Thai": "THAI",
    "Laoo": "LAO",
    "Khmr": "KHMER",
    "Mymr": "MYANMAR",
    "Ethi": "ETHIOPIC",
    "Geor": "GEORGIAN",
    "Armn": "ARMENIAN",
    "Hans": "CJK",
    "Hant": "CJK",
    "Jpan": "CJK",
    "Kore": "HANGUL",
}
GOOD = (DATA / "de.toml").read_text(encoding="utf-8")


@LOCALES
def test_a_native_name_is_in_the_script_of_its_locale(locale: Locale) -> None:
    letters = [
        char for char in locale.native_name if unicodedata.category(char) in ("Lu", "Ll", "Lo")
    ]
    assert letters
    assert {unicodedata.name(char).split()[0] for char in letters} == {UNICODE_NAMES[locale.script]}
    right = any(unicodedata.bidirectional(char) in ("R", "AL") for char in letters)
    assert locale.direction == ("rtl" if right else "ltr")


@LOCALES
def test_posters_are_upper_case_where_the_letters_have_it(locale: Locale) -> None:
    cased = locale.native_name.upper() != locale.native_name.lower()
    assert locale.uppercase == (cased and locale.script != "Geor")


@LOCALES
def test_icus_line_breaker_takes_the_identifier(locale: Locale) -> None:
    identifier = icu.Locale(locale.line_break)
    assert identifier.getLanguage() == locale.tag.split("-")[0]
    breaker = icu.BreakIterator.createLineInstance(identifier)
    breaker.setText(locale.native_name)
    assert list(breaker)[-1] == len(locale.native_name)


@LOCALES
def test_codes_at_services_exist(locale: Locale) -> None:
    assert locale.google in GOOGLE
    assert locale.tesseract in TESSERACT
    assert locale.recruitment


@LOCALES
def test_sizes_are_legible_and_dense_scripts_are_larger(locale: Locale) -> None:
    assert 14 <= locale.smallest_size <= 18
    if locale.script in ("Hans", "Hant", "Jpan", "Khmr", "Mymr", "Deva"):
        assert locale.smallest_size > default().get("en").smallest_size


@LOCALES
def test_stacks_end_in_latin_letters_emoji_and_symbols(locale: Locale) -> None:
    for stack in (locale.poster, locale.plain):
        assert stack[-3:] == ("noto-sans", "noto-emoji", "noto-sans-symbols")
        assert len(set(stack)) == len(stack)
    assert ("anton" in locale.poster) == (locale.script == "Latn")
    assert "anton" not in locale.plain


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "uppercase = true",
            "uppercase = true\ncolour = 1",
            "a locale has no setting 'style.colour'; it has uppercase",
        ),
        ("[codes]", "[code]", "no setting 'code'; did you mean 'codes'?"),
        ("smallest_size = 14", "", "needs the setting style.smallest_size"),
        ('name = "German"\n', "", "needs the setting name (the language's English name)"),
        ("uppercase = true", 'uppercase = "yes"', "style.uppercase"),
        (
            "smallest_size = 14",
            "smallest_size = 1",
            "style.smallest_size of a locale: input should be greater than or equal to 4",
        ),
        ('"ltr"', '"left"', "setting direction of a locale: input should be 'ltr' or 'rtl'"),
        ('"ltr"', '"rtl"', 'script Latn is written "ltr"'),
        (
            'script = "Latn"',
            'script = "latin"',
            'script of a locale is not as it must be (an ISO 15924 code such as "Latn")',
        ),
        ('script = "Latn"', 'script = "Geor"', "script Geor has no capitals that posters use"),
        ('country = "DE"', 'country = "Germany"', "ISO 3166-1"),
        ('habit = "words"', 'habit = "lines"', "habit in [line_breaking] is 'lines'"),
        ('habit = "words"', 'habit = "phrases"', "for script Latn it can be 'words'"),
        (
            'habit = "words"',
            'habit = "words"\nicu = "de lw"',
            "line_breaking.icu of a locale is not as it must be",
        ),
        (
            'tag = "de"',
            'tag = "german_language"',
            "tag of a locale is not as it must be (a BCP 47 tag",
        ),
        ('google = "de"', 'google = "German"', "codes.google of a locale is not as it must be"),
        (
            'tesseract = "deu"',
            'tesseract = "../deu"',
            "codes.tesseract of a locale is not as it must be",
        ),
        ("[codes]", "codes = 1\n[x]", "codes"),
        ('"ẞ"]]', '"ẞ", ""]]', "style.casing.0"),
        ('"ß"', '"(ß"', "is not possible: missing )"),
        ("[codes]", "[codes", "is not TOML"),
        ('plain = ["noto-sans", ', "plain = [1, ", "fonts.plain.0"),
        (GOOD, "", "needs the setting tag"),
    ],
)
def test_what_is_wrong_is_reported_with_file_and_key(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    assert old in GOOD
    path = tmp_path / "de.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_locale(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "German"', 'nmae = "German"'),
        ("smallest_size = 14", "smallest = 14"),
        ("[codes]", "[codes]\ncode = 1"),
        ('script = "Latn"', 'script = "latin"'),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "de.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    line = 1 + GOOD[: GOOD.index(old)].count("\n") + new.count("\n")
    with pytest.raises(InputError) as caught:
        read_locale(path)
    assert str(caught.value).endswith(f"(at line {line})")


def test_a_locale_names_fonts_by_file_and_by_name(tmp_path: Path) -> None:
    (tmp_path / "Hand.ttf").touch()
    fonts = '[fonts]\ncomic = ["Hand.ttf", "Comic Neue", "Away.ttf"]'
    path = tmp_path / "de.toml"
    path.write_text(GOOD.replace("[fonts]", fonts), encoding="utf-8")
    assert read_locale(path).comic == (str(tmp_path / "Hand.ttf"), "Comic Neue", "Away.ttf")


def test_a_file_that_is_not_text_or_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "de.toml"
    path.write_bytes(b'tag = "\xff"')
    with pytest.raises(InputError, match="is not UTF-8"):
        read_locale(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_locale(tmp_path / "no.toml")
