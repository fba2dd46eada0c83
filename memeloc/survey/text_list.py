"""Texts that ship, to look up their names. In: a language. Out: each text, and who read them."""

from __future__ import annotations

from dataclasses import dataclass

from memeloc.model import Locale
from memeloc.survey.texts import readers, survey_texts


@dataclass(frozen=True, slots=True)
class ShippedText:
    """A text, and the name that it is replaced by."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TextList:
    """Texts in one language, and the native speakers who have read all that ship in it."""

    language: str
    read_by: tuple[str, ...]
    texts: tuple[ShippedText, ...]


def list_texts(locale: Locale, beginning: str = "") -> TextList:
    """The texts that ship in a language, in English where there is none; by how names begin."""
    texts = survey_texts(locale)
    names = [name for name in texts.keys() if name.startswith(beginning)]  # noqa: SIM118
    shown = tuple(ShippedText(name, texts.get(name)) for name in names)
    return TextList(locale.tag, readers(locale.tag), shown)
