"""Which locales there are. In: folders of TOML files. Out: `Locale` values by tag.

Built-in files are read one at a time, when their locale is first asked for; a user's own files are
read at once, so that what is wrong in them is reported before work begins. The letters of languages
are CLDR's: tools/make_exemplars.py generates data/exemplars.json, which names source and version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.locales import tags
from memeloc.locales.files import checked, read_locale
from memeloc.locales.tags import candidates, canonical, script_of
from memeloc.model import Locale

_DATA = Path(__file__).parent / "data"


class Registry:
    """Locales by tag. `tag in registry` says whether `get` would find something."""

    def __init__(self) -> None:
        self._entries: dict[str, Locale | Path] = {}
        self._matches: dict[str, Locale] = {}

    @classmethod
    def load(cls, *folders: Path) -> Registry:
        """The built-in locales and those of the folders' TOML files; a later one wins by its tag.

        Raises:
            InputError: a folder is not there, or one of its files is wrong.
        """
        registry = cls()
        registry._entries = {path.stem.lower(): path for path in sorted(_DATA.glob("*.toml"))}
        for folder in folders:
            if not folder.is_dir():
                raise InputError("there is no such folder of locales", file=folder)
            for path in sorted(folder.glob("*.toml")):
                registry.add(read_locale(path))
        return registry

    def add(self, locale: Locale) -> None:
        """Add a locale; it replaces the one with the same tag.

        Raises:
            InputError: a field of it is wrong.
        """
        self._entries[locale.tag.lower()] = checked(locale)
        self._matches.clear()

    def get(self, tag: str) -> Locale:
        """The locale for a BCP 47 tag: itself or the nearest it falls back to, in its own script.

        Raises:
            InputError: nothing matches; the sentence names near tags.
        """
        locale = self._match(tag)
        if locale is not None:
            return locale
        near = " or ".join(
            f"{locale.tag} ({locale.name}, {locale.script})"
            for locale in map(self.get, tags.near(tag, self))
        )
        hint = (
            f"did you mean {near}?"
            if near
            else f"`memeloc locales list` names all {len(self)}, and --locales DIR adds your own."
        )
        raise InputError(f"there is no locale {tag[:60]!r}; {hint}")

    def exemplars(self, tag: str) -> tuple[str, ...]:
        """The letters of a locale: its own list, else CLDR's main exemplar characters, else none.

        Raises:
            InputError: nothing matches the tag.
        """
        locale = self.get(tag)
        return locale.exemplars or exemplars(locale.tag)

    def __iter__(self) -> Iterator[Locale]:
        """All locales, sorted by tag."""
        return iter([self._read(key) for key in sorted(self._entries)])

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, tag: object) -> bool:
        return isinstance(tag, str) and self._match(tag) is not None

    def _match(self, tag: str) -> Locale | None:
        if tag in self._matches:
            return self._matches[tag]
        exact, wanted = tag.strip().replace("_", "-").lower(), tags.canonical(tag)
        others = tags.candidates(wanted) if tags.is_well_formed(wanted) else []
        for key in (exact, *map(str.lower, others)):
            if key in self._entries:
                locale = self._read(key)
                if key == exact or tags.scripts_agree(tags.script_of(wanted), locale.script):
                    return self._matches.setdefault(tag, locale)
        return None

    def _read(self, key: str) -> Locale:
        entry = self._entries[key]
        if isinstance(entry, Path):
            entry = self._entries[key] = read_locale(entry)
        return entry


@cache
def default() -> Registry:
    """The built-in locales; the same registry each time."""
    return Registry.load()


@cache
def _characters() -> Any:
    path = Path(__file__).parent / "data" / "exemplars.json"
    return json.loads(path.read_text(encoding="utf-8"))["characters"]


@cache
def exemplars(tag: str) -> tuple[str, ...]:
    """CLDR's main exemplar characters of a language, one character or cluster each.

    Empty for a language, or a script of it, that CLDR does not know.

    >>> exemplars("cs")[12:16]
    ('h', 'ch', 'i', 'í')
    """
    tag = canonical(tag)
    for candidate in candidates(tag):
        if candidate in _characters() and script_of(candidate) == script_of(tag):
            return tuple(_characters()[candidate].split(" "))
    return ()
