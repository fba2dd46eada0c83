"""Filters by name. In: a name, settings and a context. Out: a filter.

A package outside adds one through the entry point group `memeloc.filters`: its value is a callable
`(settings, context)` that returns a filter, or the filter's class (see
memeloc.curate.protocol.Build).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from memeloc.curate.protocol import Build, Filter, FilterContext, FilterSettings
from memeloc.errors import InputError, MissingError
from memeloc.items import ItemKind

GROUP = "memeloc.filters"
"""The entry point group."""

_BUILT_IN = {
    "language": "memeloc.curate.language:LanguageFilter",
    "script": "memeloc.curate.mixing:ScriptFilter",
    "mixing": "memeloc.curate.mixing:MixingFilter",
    "quality": "memeloc.curate.quality:QualityFilter",
    "topics": "memeloc.curate.topics:TopicFilter",
    "cartoon": "memeloc.curate.cartoon:CartoonFilter",
    "multimodality": "memeloc.curate.multimodal:MultimodalFilter",
    "wordplay": "memeloc.curate.wordplay:WordplayFilter",
}

DEFAULT = ("language", "script", "mixing", "quality", "topics")
"""The filters that run when nobody names any: those that need neither people nor a model."""


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """A filter's setting: what it means, and its default."""

    meaning: str
    default: Any


@dataclass(frozen=True, slots=True)
class FilterInfo:
    """What is known of a filter without making it.

    Attributes:
        name, summary, kinds: as in `Filter`.
        default: whether it runs when nobody names any.
        settings: by name.
        missing: why it cannot be loaded here; empty when it can.
    """

    name: str
    summary: str = ""
    kinds: tuple[ItemKind, ...] = ()
    default: bool = False
    settings: Mapping[str, SettingInfo] = field(default_factory=dict)
    missing: str = ""


def names() -> tuple[str, ...]:
    """The names of all filters: the built-in ones, then those of other packages."""
    outside = sorted({entry.name for entry in entry_points(group=GROUP)} - set(_BUILT_IN))
    return (*_BUILT_IN, *outside)


def create(
    name: str, settings: Mapping[str, Any] | None = None, context: FilterContext | None = None
) -> Filter:
    """The filter `name`, set up with `settings` with what is in `context`.

    Raises:
        InputError: there is none of that name, or a setting is unknown or wrong.
        MissingError: what it needs is not installed; the sentence gives the pip line.
    """
    return _load(name)(settings or {}, context or FilterContext())


def info(name: str) -> FilterInfo:
    """What a filter is, for a list of them; one that cannot be loaded says why.

    Raises:
        InputError: there is none of that name.
    """
    try:
        build = _load(name)
    except MissingError as error:
        return FilterInfo(name, missing=str(error))
    settings: type[FilterSettings] | None = getattr(build, "Settings", None)
    fields = settings.model_fields if settings is not None else {}
    return FilterInfo(
        name,
        getattr(build, "summary", ""),
        tuple(getattr(build, "kinds", ())),
        name in DEFAULT,
        {
            key: SettingInfo(value.description or "", value.get_default(call_default_factory=True))
            for key, value in fields.items()
        },
    )


def _load(name: str) -> Build:
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        try:
            built_in: Build = getattr(import_module(module), attribute)
        except ImportError as error:
            raise MissingError(f"the filter {name} cannot be loaded: {error}") from error
        return built_in
    found: list[EntryPoint] = list(entry_points(group=GROUP, name=name))
    if not found:
        raise InputError(f"there is no filter {name[:60]!r}; there are {', '.join(names())}")
    try:
        loaded: Build = found[0].load()
    except ImportError as error:
        raise MissingError(
            f"the filter {name!r} of {found[0].value} cannot be loaded: {error}"
        ) from error
    return loaded
