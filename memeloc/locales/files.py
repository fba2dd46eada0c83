"""A locale's TOML. In: a file. Out: a `Locale`, or a sentence naming the file and the setting.

`checked` holds what must be true of any locale, be it from a file or made in Python.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.locales.breaking import HABITS, breaking, dictionary, possible
from memeloc.locales.tags import is_well_formed
from memeloc.model import Locale
from memeloc.settings import read_toml, validate

CASED = frozenset({"Latn", "Cyrl", "Grek", "Armn", "Copt", "Glag", "Cher", "Dsrt", "Osge", "Adlm"})
"""Scripts with capitals that posters use; Georgian Mtavruli is not used as capitals are."""

RIGHT_TO_LEFT = frozenset({"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"})

SMALLEST, LARGEST = 4.0, 100.0
"""Bounds of `smallest_size`, in pixels."""

_Names = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
_Words = list[Annotated[str, Field(min_length=1)]]
_FAMILIES = "a list of font families, font files or names of fonts of the system, best first"


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Fonts(_Section):
    poster: _Names = Field(description=_FAMILIES)
    plain: _Names = Field(description=_FAMILIES)
    comic: list[Annotated[str, Field(min_length=1)]] = Field([], description=_FAMILIES)


class _Style(_Section):
    uppercase: bool
    smallest_size: float = Field(description=f"pixels, from {SMALLEST:g} to {LARGEST:g}")


class _LineBreaking(_Section):
    habit: str = Field(description=f"one of {', '.join(HABITS)}")
    icu: str | None = Field(None, description='an ICU locale identifier such as "ja@lb=strict"')
    keep_with_next: _Words = Field([], description="words that a line should not end with")
    better_with_next: _Words = Field([], description="words that it should rather not end with")
    keep_with_previous: _Words = Field([], description="words that a line should not begin with")
    hyphenation: str = Field("", description='a dictionary of pyphen such as "de_DE", or empty')


class _Codes(_Section):
    google: str = Field(description="the code at Google Translate, empty when there is none")
    tesseract: str = Field(description="Tesseract's language model, empty when there is none")
    recruitment: str = Field(description="the first language's name at Prolific, or empty")


class _Letters(_Section):
    exemplars: _Names | None = Field(None, description="letters, for a language CLDR lacks")


class _File(_Section):
    tag: str = Field(description='a BCP 47 tag such as "de" or "zh-Hans"')
    name: str = Field(description="the language's English name")
    native_name: str = Field(description="the language's name for itself")
    script: str = Field(description='an ISO 15924 code such as "Latn"')
    direction: Literal["ltr", "rtl"]
    country: str = Field(description='an ISO 3166-1 code of two letters such as "DE"')
    fonts: _Fonts
    style: _Style
    line_breaking: _LineBreaking
    codes: _Codes
    letters: _Letters = _Letters(exemplars=None)


def read_locale(path: Path) -> Locale:
    """Read a locale's TOML.

    Raises:
        InputError: the file cannot be read, or a setting is unknown, missing or wrong.
    """
    file = validate(_File, read_toml(path), "a locale", file=path)
    lines = file.line_breaking
    habit = lines.habit
    if habit not in possible(file.script):
        raise InputError(
            f"habit in [line_breaking] is {habit!r}: for script {file.script} it can be "
            f"{' or '.join(map(repr, possible(file.script)))}",
            file=path,
        )
    line_break, phrase_model = breaking(habit, file.tag, file.script)
    locale = Locale(
        **file.model_dump(exclude={"fonts", "style", "line_breaking", "codes", "letters"}),
        **file.style.model_dump(),
        **file.codes.model_dump(),
        poster=_fonts(path, file.fonts.poster),
        plain=_fonts(path, file.fonts.plain),
        comic=_fonts(path, file.fonts.comic),
        line_break=lines.icu or line_break,
        phrase_model=phrase_model,
        keep_with_next=tuple(lines.keep_with_next),
        better_with_next=tuple(lines.better_with_next),
        keep_with_previous=tuple(lines.keep_with_previous),
        hyphenation=lines.hyphenation,
        exemplars=tuple(file.letters.exemplars or ()),
    )
    return checked(locale, path)


def _fonts(locale: Path, fonts: list[str]) -> tuple[str, ...]:
    """The fonts that a locale's TOML names; a file beside it by its path."""
    files = [(font, locale.parent / font) for font in fonts]
    return tuple(
        str(file) if Path(font).suffix and file.is_file() else font for font, file in files
    )


_PATTERNS = {
    "name": (r".*\S.*", "it must not be empty"),
    "native_name": (r".*\S.*", "it must not be empty"),
    "script": ("[A-Z][a-z]{3}", 'it must be an ISO 15924 code such as "Latn"'),
    "direction": ("ltr|rtl", 'it must be "ltr" or "rtl"'),
    "country": ("[A-Z]{2}", 'it must be an ISO 3166-1 code of two letters such as "DE"'),
    "line_break": (
        r"[A-Za-z]{2,8}(_\w+)*(@\w+=\w+(;\w+=\w+)*)?",
        'it must be an ICU locale identifier such as "ja@lb=strict"',
    ),
    "phrase_model": (
        "(ja|zh-hans|zh-hant|th)?",
        'it must be "ja", "zh-hans", "zh-hant", "th" or empty',
    ),
    "hyphenation": (r"\w*", 'it must be a dictionary of pyphen such as "de_DE", or empty'),
    "google": (
        "([a-z]{2,3}(-[A-Za-z]{2,4})?)?",
        'it must be a code of Google Translate such as "de" or "zh-CN"',
    ),
    "tesseract": (
        r"([A-Za-z]\w*(/\w+)?(\+\w+)*)?",
        'it must be a model of Tesseract such as "deu" or "chi_sim"',
    ),
}


def checked(locale: Locale, file: Path | None = None) -> Locale:
    """The locale; InputError when a field is wrong, which the sentence names."""

    def wrong(key: str, what: str) -> InputError:
        return InputError(f"{key} is {getattr(locale, key)!r}: {what}", file=file)

    if not is_well_formed(locale.tag):
        raise wrong("tag", 'it must be a BCP 47 tag such as "de" or "zh-Hans"')
    for key, (pattern, what) in _PATTERNS.items():
        if not re.fullmatch(pattern, getattr(locale, key)):
            raise wrong(key, what)
    right = "rtl" if locale.script in RIGHT_TO_LEFT else "ltr"
    if locale.direction != right:
        raise wrong("direction", f'script {locale.script} is written "{right}"')
    for key in ("poster", "plain"):
        if not getattr(locale, key):
            raise wrong(key, "it must name a font family at least; `memeloc fonts list` has them")
    if locale.uppercase and locale.script not in CASED:
        raise wrong("uppercase", f"script {locale.script} has no capitals that posters use")
    if locale.hyphenation:
        try:
            dictionary(locale.hyphenation)
        except InputError as error:
            raise wrong("hyphenation", str(error)) from None
    if not SMALLEST <= locale.smallest_size <= LARGEST:
        raise wrong("smallest_size", f"it must be {SMALLEST:g} to {LARGEST:g} pixels")
    return locale
