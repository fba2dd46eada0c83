"""A locale's TOML. In: a file. Out: a `Locale`, or a sentence naming the file and the key.

`checked` holds what must be true of any locale, be it from a file or made in Python.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from memeloc.errors import InputError
from memeloc.locales.breaking import HABITS, breaking, possible
from memeloc.locales.tags import is_well_formed
from memeloc.model import Locale

CASED = frozenset({"Latn", "Cyrl", "Grek", "Armn", "Copt", "Glag", "Cher", "Dsrt", "Osge", "Adlm"})
"""Scripts with capitals that posters use; Georgian Mtavruli is not used as capitals are."""

RIGHT_TO_LEFT = frozenset({"Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"})

SMALLEST, LARGEST = 4.0, 100.0
"""Bounds of `smallest_size`, in pixels."""


class _Key(NamedTuple):
    type: type
    what: str
    required: bool = True


_KEYS: dict[str, dict[str, _Key]] = {
    "": {
        "tag": _Key(str, 'text, a BCP 47 tag such as "de" or "zh-Hans"'),
        "name": _Key(str, "text, the language's English name"),
        "native_name": _Key(str, "text, the language's name for itself"),
        "script": _Key(str, 'text, an ISO 15924 code such as "Latn"'),
        "direction": _Key(str, '"ltr" or "rtl"'),
        "country": _Key(str, 'text, an ISO 3166-1 code of two letters such as "DE"'),
    },
    "fonts": {
        "poster": _Key(list, "a list of font families, best first"),
        "plain": _Key(list, "a list of font families, best first"),
    },
    "style": {
        "uppercase": _Key(bool, "true or false"),
        "smallest_size": _Key(float, f"a number of pixels from {SMALLEST:g} to {LARGEST:g}"),
    },
    "line_breaking": {
        "habit": _Key(str, f"one of {', '.join(HABITS)}"),
        "icu": _Key(str, 'text, an ICU locale identifier such as "ja@lb=strict"', required=False),
    },
    "codes": {
        "google": _Key(str, "text, the code at Google Translate, empty when there is none"),
        "tesseract": _Key(str, "text, Tesseract's language model, empty when there is none"),
        "recruitment": _Key(str, "text, the first language's name at Prolific, or empty"),
    },
    "letters": {
        "exemplars": _Key(list, "a list of letters, for a language CLDR lacks", required=False),
    },
}


def read_locale(path: Path) -> Locale:
    """Read a locale's TOML.

    Raises:
        InputError: the file cannot be read, or a key is unknown, missing or wrong.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text: save it as UTF-8", file=path) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {error}", file=path) from error
    top = _table(document, "", path)
    fonts = _table(document, "fonts", path)
    style = _table(document, "style", path)
    habit = _table(document, "line_breaking", path)
    codes = _table(document, "codes", path)
    letters = _table(document, "letters", path)
    script = top["script"]
    if habit["habit"] not in possible(script):
        raise InputError(
            f"habit in [line_breaking] is {habit['habit']!r}: for script {script} it can be "
            f"{' or '.join(map(repr, possible(script)))}",
            file=path,
        )
    line_break, phrase_model = breaking(habit["habit"], top["tag"], script)
    return checked(
        Locale(
            **top,
            poster=fonts["poster"],
            plain=fonts["plain"],
            uppercase=style["uppercase"],
            line_break=habit.get("icu", line_break),
            phrase_model=phrase_model,
            smallest_size=style["smallest_size"],
            **codes,
            exemplars=letters.get("exemplars", ()),
        ),
        path,
    )


def _table(document: dict[str, Any], section: str, path: Path) -> dict[str, Any]:
    """The keys of one section with their types checked; the top level is section ''."""
    known = _KEYS[section]
    where = f" in [{section}]" if section else ""
    if section:
        table = document.get(section, {})
        if not isinstance(table, dict):
            raise InputError(f"{section} must be a section, [{section}]", file=path)
        names = list(known)
    else:
        table = document
        names = [*known, *(f"[{name}]" for name in _KEYS if name)]
    for key in table:
        if key not in known and (section or key not in _KEYS):
            raise InputError(
                f"unknown key {key!r}{where}; the keys{where or ' and sections'} are "
                f"{', '.join(names)}",
                file=path,
            )
    values: dict[str, Any] = {}
    for key, rule in known.items():
        if key in table:
            values[key] = _value(table[key], key, rule, where, path)
        elif rule.required:
            raise InputError(f"key {key!r} is missing{where}: it is {rule.what}", file=path)
    return values


def _value(value: object, key: str, rule: _Key, where: str, path: Path) -> Any:
    if rule.type is list:
        if isinstance(value, list) and value and all(isinstance(v, str) and v for v in value):
            return tuple(value)
    elif rule.type is float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif isinstance(value, rule.type):
        return value
    raise InputError(f"{key}{where} is {value!r}: it must be {rule.what}", file=path)


def checked(locale: Locale, file: Path | None = None) -> Locale:
    """Return the locale when it makes sense.

    Raises:
        InputError: a field is wrong; the sentence names it and what it must be.
    """

    def wrong(key: str, what: str) -> InputError:
        return InputError(f"{key} is {getattr(locale, key)!r}: {what}", file=file)

    if not is_well_formed(locale.tag):
        raise wrong("tag", 'it must be a BCP 47 tag such as "de" or "zh-Hans"')
    for key in ("name", "native_name"):
        if not getattr(locale, key).strip():
            raise wrong(key, "it must not be empty")
    if not re.fullmatch("[A-Z][a-z]{3}", locale.script):
        raise wrong("script", 'it must be an ISO 15924 code such as "Latn"')
    if locale.direction not in ("ltr", "rtl"):
        raise wrong("direction", 'it must be "ltr" or "rtl"')
    if (locale.direction == "rtl") != (locale.script in RIGHT_TO_LEFT):
        right = "rtl" if locale.script in RIGHT_TO_LEFT else "ltr"
        raise wrong("direction", f'script {locale.script} is written "{right}"')
    if not re.fullmatch("[A-Z]{2}", locale.country):
        raise wrong("country", 'it must be an ISO 3166-1 code of two letters such as "DE"')
    for key in ("poster", "plain"):
        if not getattr(locale, key):
            raise wrong(key, "it must name a font family at least; `memeloc fonts list` has them")
    if locale.uppercase and locale.script not in CASED:
        raise wrong("uppercase", f"script {locale.script} has no capitals that posters use")
    if not SMALLEST <= locale.smallest_size <= LARGEST:
        raise wrong("smallest_size", f"it must be {SMALLEST:g} to {LARGEST:g} pixels")
    if not re.fullmatch(r"[A-Za-z]{2,8}(_\w+)*(@\w+=\w+(;\w+=\w+)*)?", locale.line_break):
        raise wrong("line_break", 'it must be an ICU locale identifier such as "ja@lb=strict"')
    if locale.phrase_model not in ("", "ja", "zh-hans", "zh-hant"):
        raise wrong("phrase_model", 'it must be "ja", "zh-hans", "zh-hant" or empty')
    if not re.fullmatch(r"([a-z]{2,3}(-[A-Za-z]{2,4})?)?", locale.google):
        raise wrong("google", 'it must be a code of Google Translate such as "de" or "zh-CN"')
    if not re.fullmatch(r"([A-Za-z]\w*(/\w+)?(\+\w+)*)?", locale.tesseract):
        raise wrong("tesseract", 'it must be a model of Tesseract such as "deu" or "chi_sim"')
    return locale
