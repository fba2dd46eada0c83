"""The words of surveys. In: a language and a taxonomy. Out: every text that annotators read.

A TOML a language stands in memeloc/survey/texts/; its tables and keys joined by dots are a text's
name. A team's own corrections come first, then the language's text, then the English one.

Corrections come from strangers' files: a placeholder is a name in braces and nothing else, so that
no text can reach into the values, and what would leave people stuck is not used (see `usable`).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memeloc.errors import InputError
from memeloc.model import Caption, Locale
from memeloc.survey.taxonomy import SOURCE, Taxonomy

FOLDER = Path(__file__).parent / "texts"

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_ASCII_DIGITS = "0123456789"
_NEEDED = frozenset({"code", "label"})
"""Nobody gets on without the code that ends a survey, and the answer that a check asks for."""


class SurveyTexts:
    """All texts in one language.

    Args:
        locale: the language.
        texts: by name, those of the language.
        source: by name, the English ones; what the language lacks is taken from there.
    """

    def __init__(self, locale: Locale, texts: Mapping[str, str], source: Mapping[str, str]) -> None:
        self.locale = locale
        self._texts = texts
        self._source = source

    def get(self, key: str, **values: object) -> str:
        """A text with its placeholders filled in; one that gets no value stays as it is.

        Raises:
            KeyError: there is no such text.
        """
        own = self._texts.get(key)
        digits = self.digits if own else _ASCII_DIGITS

        def filled(match: re.Match[str]) -> str:
            value = values.get(match[1], match[0])
            return str(value).translate(_to(digits)) if isinstance(value, int) else str(value)

        return _PLACEHOLDER.sub(filled, own or self._source[key])

    @cached_property
    def digits(self) -> str:
        """The ten digits, 0 first, that the language writes numbers with.

        They are those of the age in the sentence of consent: one text decides for all of them.

        >>> from memeloc.locales import default
        >>> [survey_texts(default().get(tag)).digits for tag in ("bn", "hi")]
        ('০১২৩৪৫৬৭৮৯', '0123456789')
        """
        for letter in self._texts.get("consent.yes", ""):
            if letter.isdecimal():
                zero = ord(letter) - unicodedata.decimal(letter)
                return "".join(chr(zero + value) for value in range(10))
        return _ASCII_DIGITS

    def has(self, key: str) -> bool:
        """Whether there is such a text, in this language or in English."""
        return bool(self._texts.get(key) or self._source.get(key))

    def keys(self) -> tuple[str, ...]:
        """The names of all texts."""
        return tuple(dict.fromkeys((*self._source, *self._texts)))

    def lacking(self, taxonomy: Taxonomy) -> tuple[str, ...]:
        """The names of the texts that a survey by `taxonomy` would show in English instead."""
        general = (key for key in self._source if not key.startswith("taxonomy."))
        return tuple(key for key in (*general, *taxonomy.keys()) if not self._texts.get(key))


def survey_texts(
    locale: Locale,
    corrections: Mapping[str, str] | None = None,
    *,
    taxonomy: Taxonomy | None = None,
) -> SurveyTexts:
    """The texts in a language.

    Args:
        locale: the language; de-AT takes those of de.
        corrections: texts by name that come before all others, but for those that `usable` refuses.
        taxonomy: one of your own, whose texts are wanted too.
    """
    own = taxonomy.texts if taxonomy is not None else {}
    shipped = shipped_texts(tag) if (tag := _nearest(locale.tag, shipped_languages())) else {}
    brought = own[tag] if (tag := _nearest(locale.tag, tuple(own))) else {}
    english = catalogue(taxonomy)
    corrected = {
        key: text
        for key, text in (corrections or {}).items()
        if text.strip() and usable(key, text, english.get(key, ""))
    }
    return SurveyTexts(locale, {**shipped, **brought, **corrected}, english)


def catalogue(taxonomy: Taxonomy | None = None) -> dict[str, str]:
    """All English texts by name: what `correct export --kind survey` sends out to translators.

    Args:
        taxonomy: one of your own, whose texts are wanted too.
    """
    own = taxonomy.texts.get(SOURCE, {}) if taxonomy is not None else {}
    return {**shipped_texts(SOURCE), **own}


@cache
def shipped_languages() -> tuple[str, ...]:
    """The tags of the languages that texts are shipped in, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def shipped_texts(tag: str) -> Mapping[str, str]:
    """The shipped texts of a language by name.

    Raises:
        InputError: there are none in that language.
    """
    if tag not in shipped_languages():
        raise InputError(
            f"There are no survey texts in {tag[:40]!r}; there are "
            f"{', '.join(shipped_languages())}."
        )
    path = FOLDER / f"{tag}.toml"
    return MappingProxyType(_flat(tomllib.loads(path.read_text(encoding="utf-8"))))


def placeholders(text: str) -> frozenset[str]:
    """The names of a text's placeholders, such as `number` in `Meme {number}`."""
    return frozenset(_PLACEHOLDER.findall(text))


def usable(key: str, text: str, english: str) -> bool:
    """Whether a sheet can go out with a correction; one that is merely odd can.

    Args:
        key: the text's name.
        text: the correction.
        english: the English text of that name; without one every correction can be used.
    """
    if not english:
        return True
    lost = placeholders(english) - placeholders(text)
    return not lost & _NEEDED and _parts(key, text) == _parts(key, english)


def _to(digits: str) -> dict[int, str]:
    return str.maketrans(dict(zip(_ASCII_DIGITS, digits, strict=True)))


def _parts(key: str, text: str) -> int:
    """How many boxes of a template a caption fills; 1 for every text that is no caption."""
    is_caption = ".example." in key and key.endswith(".caption")
    return len(Caption.parse(text).parts) if is_caption else 1


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Texts by their name: a TOML's tables and keys joined by dots."""
    texts: dict[str, str] = {}
    for key, value in values.items():
        name = f"{before}.{key}" if before else key
        if isinstance(value, Mapping):
            texts |= _flat(value, name)
        else:
            texts[name] = str(value).strip()
    return texts


def _nearest(tag: str, tags: tuple[str, ...]) -> str:
    """The tag itself or the longest beginning of it that is there; empty when none is."""
    while tag and tag not in tags:
        tag = tag.rpartition("-")[0]
    return tag
