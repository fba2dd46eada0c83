"""Translators by name. In: a name and settings. Out: a translator.

A package outside adds one through the entry point group `memeloc.translators`: its value is a
callable that takes the settings as a mapping and returns a translator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memeloc.plugins import Registry
from memeloc.translate.protocol import Translator

TRANSLATORS: Registry[Translator] = Registry(
    "memeloc.translators",
    {
        "google": "memeloc.translate.google:from_settings",
        "ctranslate2": "memeloc.translate.ctranslate2:from_settings",
        "openai": "memeloc.translate.openai:from_settings",
        "memory": "memeloc.translate.memory:from_settings",
        "pseudo": "memeloc.translate.pseudo:from_settings",
    },
    "translator",
)


names = TRANSLATORS.names
"""The names of all translators: the built-in ones, then those of other packages."""


def create(name: str, settings: Mapping[str, Any] | None = None) -> Translator:
    """Return the translator `name`, set up with `settings`.

    Raises:
        InputError: there is none of that name, or a setting is unknown or wrong.
        MissingError: what it needs is not installed; the sentence gives the pip line.
    """
    return TRANSLATORS.load(name)(settings or {})
