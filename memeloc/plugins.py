"""Plugins by name. In: a name and options. Out: the object that a package registers under it.

Each kind of plugin (translators, sources, filters, survey targets, ...) is one `Registry`: what
memeloc brings is a table of names, what other packages bring stands in an entry point group.
"""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from typing import Any, Generic, TypeVar

from memeloc.errors import InputError, MissingError

Made = TypeVar("Made")


def entry_points(*, group: str, name: str = "") -> metadata.EntryPoints:
    """Return a group's entry points, or those of a name, of the packages on `sys.path`."""
    found = _entry_points(group, tuple(sys.path))
    return found.select(name=name) if name else found


@cache
def _entry_points(group: str, path: tuple[str, ...]) -> metadata.EntryPoints:
    return metadata.entry_points(group=group)  # which takes some 20 milliseconds


@dataclass(frozen=True, slots=True)
class Registry(Generic[Made]):
    """The plugins of one kind; a loaded plugin is a callable that makes a `Made`.

    Attributes:
        group: the entry point group in which other packages register theirs.
        built_in: name to `module:attribute` of memeloc's own, which come first.
        what: what such a plugin is called in sentences, such as "translator".
        extra: the extra of memeloc that most of them need; empty if none.
    """

    group: str
    built_in: Mapping[str, str]
    what: str
    extra: str = ""

    def names(self) -> tuple[str, ...]:
        """Return all names: memeloc's own, then those of other packages."""
        return (*self.built_in, *self.outside())

    def outside(self) -> tuple[str, ...]:
        """Return the names that other packages add; listing them takes some milliseconds."""
        entries = entry_points(group=self.group)
        return tuple(sorted({entry.name for entry in entries} - set(self.built_in)))

    def load(self, name: str) -> Callable[..., Made]:
        """Return the plugin `name` as its module defines it. Raise InputError if there is no such
        plugin; MissingError if it cannot be imported; where a package is missing, with the pip
        line."""
        try:
            if name in self.built_in:
                module, _, attribute = self.built_in[name].partition(":")
                built_in: Callable[..., Made] = getattr(import_module(module), attribute)
                return built_in
            for entry in entry_points(group=self.group, name=name):
                loaded: Callable[..., Made] = entry.load()
                return loaded
        except ImportError as error:
            package = (error.name or "").partition(".")[0]
            if name in self.built_in and self.extra and package not in ("", "memeloc"):
                raise MissingError(
                    f"The {self.what} {name} needs {package}: pip install 'memeloc[{self.extra}]'"
                ) from error
            raise MissingError(f"The {self.what} {name!r} cannot be loaded: {error}") from error
        names = ", ".join(self.names())
        near = difflib.get_close_matches(name[:60], self.names(), n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"There is no {self.what} {name[:60]!r}.{meant} There are {names}.")

    def make(self, name: str, options: Mapping[str, Any] | None = None) -> Made:
        """Call the plugin `name` with its options; raise as `load`, or InputError for an option."""
        plugin = self.load(name)
        if options:
            parameters = inspect.signature(plugin).parameters
            takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
            if unknown := [] if takes_any else [name for name in options if name not in parameters]:
                raise InputError(
                    f"The {self.what} {name} has no option {unknown[0]!r}; it has "
                    f"{', '.join(parameters) or 'none'}."
                )
        return plugin(**(options or {}))
