"""Translators by name. In: a name and settings. Out: a translator.

A package outside adds one through the entry point group `memeloc.translators`: its value is a
callable that takes the settings as a mapping and returns a translator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from memeloc.errors import InputError, MissingError
from memeloc.translate.protocol import Translator

GROUP = "memeloc.translators"
"""The entry point group."""

_BUILT_IN = {
    "google": "memeloc.translate.google:from_settings",
    "ctranslate2": "memeloc.translate.ctranslate2:from_settings",
    "openai": "memeloc.translate.openai:from_settings",
    "memory": "memeloc.translate.memory:from_settings",
    "pseudo": "memeloc.translate.pseudo:from_settings",
}

Settings = TypeVar("Settings")


def names() -> tuple[str, ...]:
    """The names of all translators: the built-in ones, then those of other packages."""
    outside = sorted({entry.name for entry in entry_points(group=GROUP)} - set(_BUILT_IN))
    return (*_BUILT_IN, *outside)


def create(name: str, settings: Mapping[str, Any] | None = None) -> Translator:
    """The translator `name`, set up with `settings`.

    Raises:
        InputError: there is none of that name, or a setting is unknown or wrong.
        MissingError: what it needs is not installed; the sentence gives the pip line.
    """
    factory = _factory(name)
    return factory(settings or {})


def _factory(name: str) -> Callable[[Mapping[str, Any]], Translator]:
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        built_in: Callable[[Mapping[str, Any]], Translator] = getattr(
            import_module(module), attribute
        )
        return built_in
    found: list[EntryPoint] = list(entry_points(group=GROUP, name=name))
    if not found:
        raise InputError(f"there is no translator {name[:60]!r}; there are {', '.join(names())}")
    try:
        loaded: Callable[[Mapping[str, Any]], Translator] = found[0].load()
    except ImportError as error:
        raise MissingError(
            f"the translator {name!r} of {found[0].value} cannot be loaded: {error}"
        ) from error
    return loaded


def read_settings(kind: type[Settings], given: Mapping[str, Any], translator: str) -> Settings:
    """A settings dataclass from a mapping, such as a table of memeloc.toml.

    Raises:
        InputError: a key is unknown or a value is of the wrong type; the sentence says what is
            allowed.
    """
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            raise InputError(
                f"the translator {translator} has no setting {key!r}; it has {', '.join(known)}"
            )
        if not _fits(value, hints[key]):
            raise InputError(
                f"the setting {key} of the translator {translator} is {value!r}; "
                f"it must be {_said(hints[key])}"
            )
        values[key] = float(value) if hints[key] is float else value
    for field in known.values():
        nothing = field.default is MISSING and field.default_factory is MISSING
        if nothing and field.name not in values:
            raise InputError(f"the translator {translator} needs the setting {field.name}")
    return kind(**values)


def _fits(value: Any, hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    if get_origin(hint) is Mapping:
        return isinstance(value, Mapping) and all(isinstance(v, str) for v in value.values())
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _said(hint: Any) -> str:
    if isinstance(hint, UnionType):
        return " or ".join(_said(one) for one in get_args(hint))
    if get_origin(hint) is Mapping:
        return "a table of texts"
    return {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}.get(
        hint, str(hint)
    )
