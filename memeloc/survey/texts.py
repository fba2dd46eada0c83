"""The words of surveys. In: a language and a taxonomy. Out: every text that annotators read.

A TOML a language stands in memeloc/survey/texts/; its tables and keys joined by dots are a text's
name. A team's own corrections come first, then the language's text, then the English one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.model import Locale

FOLDER = Path(__file__).parent / "texts"
SOURCE = "en"

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


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
        """A text with its placeholders filled in.

        Raises:
            KeyError: there is no such text.
        """
        text = self._texts.get(key) or self._source[key]
        return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), text)

    def has(self, key: str) -> bool:
        """Whether there is such a text, in this language or in English."""
        return bool(self._texts.get(key) or self._source.get(key))

    def keys(self) -> tuple[str, ...]:
        """The names of all texts."""
        return tuple(dict.fromkeys((*self._source, *self._texts)))


def survey_texts(locale: Locale, corrections: Mapping[str, str] | None = None) -> SurveyTexts:
    """The texts in a language.

    Args:
        locale: the language.
        corrections: texts by name that come before the shipped ones.
    """
    shipped = shipped_texts(locale.tag) if locale.tag in shipped_languages() else {}
    return SurveyTexts(locale, {**shipped, **(corrections or {})}, catalogue())


def catalogue() -> dict[str, str]:
    """All English texts by name: what `correct export --kind survey` sends out to translators."""
    return dict(shipped_texts(SOURCE))


def shipped_languages() -> tuple[str, ...]:
    """The tags of the languages that texts are shipped in, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def shipped_texts(tag: str) -> Mapping[str, str]:
    """The shipped texts of a language by name.

    Raises:
        InputError: there are none in that language.
    """
    path = FOLDER / f"{tag}.toml"
    if not path.is_file():
        raise InputError(
            f"There are no survey texts in {tag!r}; there are {', '.join(shipped_languages())}."
        )
    return _flat(tomllib.loads(path.read_text(encoding="utf-8")))


def placeholders(text: str) -> frozenset[str]:
    """The names of a text's placeholders, such as `number` in `Meme {number}`."""
    return frozenset(_PLACEHOLDER.findall(text))


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in values.items():
        name = f"{before}.{key}" if before else key
        if isinstance(value, Mapping):
            found |= _flat(value, name)
        else:
            found[name] = str(value).strip()
    return found
