"""A locale's TOML. In: a file. Out: a `Locale`, or a sentence naming the file and the setting.

`checked` holds what must be true of any locale, be it from a file or made in Python.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from memeloc.errors import InputError
from memeloc.locales.breaking import HABITS, breaking, dictionary, possible
from memeloc.model import Direction, Locale
from memeloc.settings import naming_line, read_toml, validate

CASED = frozenset({"Latn", "Cyrl", "Grek", "Armn", "Copt", "Glag", "Cher", "Dsrt", "Osge", "Adlm"})
"""Scripts with capitals that posters use; Georgian Mtavruli is not used as capitals are."""

RIGHT_TO_LEFT = frozenset({"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"})


_Words = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(strict=False)]
_FAMILIES = (
    "a list of font families, font files or names of fonts of the system, best first; "
    "`memeloc fonts list` has the families"
)


def _text(pattern: str, meaning: str, **settings: Any) -> Any:
    return Field(pattern=f"^({pattern})$", description=meaning, **settings)


def _icu(**settings: Any) -> Any:
    pattern = r"[A-Za-z]{2,8}(_\w+)*(@\w+=\w+(;\w+=\w+)*)?"
    return _text(pattern, 'an ICU locale identifier such as "ja@lb=strict"', **settings)


def _check_rules(rules: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    for pattern, replacement in rules:
        try:
            re.sub(pattern, replacement, "")
        except re.error as error:
            raise ValueError(f"{pattern!r} to {replacement!r} is not possible: {error}") from None
    return rules


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Language(_Section):
    tag: str = _text("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", 'a BCP 47 tag such as "zh-Hans"')
    name: str = _text(r".*\S.*", "the language's English name")
    native_name: str = _text(r".*\S.*", "the language's name for itself")
    script: str = _text("[A-Z][a-z]{3}", 'an ISO 15924 code such as "Latn"')
    direction: Direction
    country: str = _text("[A-Z]{2}", 'an ISO 3166-1 code of two letters such as "DE"')


class _Fonts(_Section):
    poster: _Words = Field(min_length=1, description=_FAMILIES)
    plain: _Words = Field(min_length=1, description=_FAMILIES)
    comic: _Words = Field((), description=_FAMILIES)


class _Style(_Section):
    uppercase: bool
    smallest_size: float = Field(ge=4, le=100, description="pixels, from 4 to 100")
    casing: Annotated[
        tuple[Annotated[tuple[str, str], Field(strict=False)], ...], AfterValidator(_check_rules)
    ] = Field((), strict=False, description="pairs of a regular expression and what becomes of it")


class _LineBreaking(_Section):
    habit: str = Field(description=f"one of {', '.join(HABITS)}")
    icu: str = _icu(default="")
    keep_with_next: _Words = Field((), description="words that a line should not end with")
    better_with_next: _Words = Field((), description="words that it should rather not end with")
    keep_with_previous: _Words = Field((), description="words that a line should not begin with")
    hyphenation: str = Field("", description='a dictionary of pyphen such as "de_DE", or empty')


class _Codes(_Section):
    google: str = _text(
        "([a-z]{2,3}(-[A-Za-z]{2,4})?)?", 'a code of Google Translate such as "zh-CN"', default=""
    )
    tesseract: str = _text(
        r"([A-Za-z]\w*(/\w+)?(\+\w+)*)?", 'a model of Tesseract such as "chi_sim"', default=""
    )
    recruitment: str = Field("", description="the first language's name at Prolific, or empty")


class _Letters(_Section):
    exemplars: _Words = Field((), description="letters, for a language CLDR lacks")


class _File(_Language):
    fonts: _Fonts
    style: _Style
    line_breaking: _LineBreaking
    codes: _Codes = _Codes.model_validate({})
    letters: _Letters = _Letters.model_validate({})


class _Values(_Language, _Fonts, _Style, _Codes):
    """The fields of a `Locale`, but lists of words."""

    line_break: str = _icu()
    phrase_model: Literal["", "ja", "zh-hans", "zh-hant", "th"]


def read_locale(path: Path) -> Locale:
    """Read a locale's TOML.

    Raises:
        InputError: the file cannot be read, or a setting is unknown, missing or wrong.
    """
    table = read_toml(path)
    with naming_line(path):
        file = validate(_File, table, "a locale", file=path)
    lines = file.line_breaking
    if lines.habit not in possible(file.script):
        raise InputError(
            f"habit in [line_breaking] is {lines.habit!r}: for script {file.script} it can be "
            f"{' or '.join(map(repr, possible(file.script)))}",
            file=path,
        )
    icu, phrase_model = breaking(lines.habit, file.tag, file.script)
    values = file.model_dump(include=set(_Language.model_fields))
    for section in (file.style, file.codes, file.letters, lines):
        values |= section.model_dump(exclude={"habit", "icu"})
    for face, fonts in file.fonts.model_dump().items():
        values[face] = _beside(path, fonts)
    return checked(Locale(**values, line_break=lines.icu or icu, phrase_model=phrase_model), path)


def _beside(locale: Path, fonts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the fonts that a locale's TOML names; a file beside it by its path."""
    files = {font: locale.parent / font for font in fonts if Path(font).suffix}
    return tuple(
        str(files[font]) if font in files and files[font].is_file() else font for font in fonts
    )


def checked(locale: Locale, file: Path | None = None) -> Locale:
    """Return the locale; raise InputError when a field is wrong, which the sentence names."""

    def wrong(key: str, what: str) -> InputError:
        return InputError(f"{key} is {getattr(locale, key)!r}: {what}", file=file)

    values = {name: getattr(locale, name) for name in _Values.model_fields}
    validate(_Values, values, "a locale", file=file)
    right = "rtl" if locale.script in RIGHT_TO_LEFT else "ltr"
    if locale.direction != right:
        raise wrong("direction", f'script {locale.script} is written "{right}"')
    if locale.uppercase and locale.script not in CASED:
        raise wrong("uppercase", f"script {locale.script} has no capitals that posters use")
    if locale.hyphenation:
        try:
            dictionary(locale.hyphenation)
        except InputError as error:
            raise wrong("hyphenation", str(error)) from None
    return locale
