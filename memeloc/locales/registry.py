"""Which locales there are. In: folders of TOML files. Out: `Locale` values by tag.

Built-in files are read one at a time, when their locale is first asked for; a user's own files are
read at once, so that what is wrong in them is reported before work begins. The letters of languages
are CLDR's: tools/make_exemplars.py generates data/exemplars.json, which names source and version.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from memeloc.errors import InputError
from memeloc.files import Paths, paths_of
from memeloc.locales import tags
from memeloc.locales.files import checked, read_locale
from memeloc.locales.tags import DATA, canonical, cldr, script_of
from memeloc.model import Locale


class Registry:
    """Locales by tag. `tag in registry` says whether `get` would find something."""

    def __init__(self) -> None:
        self._entries: dict[str, Locale | Path] = {}
        self._files: dict[str, Path] = {}
        self._matches: dict[str, Locale] = {}

    @classmethod
    def load(cls, *locales: Paths | Registry) -> Registry:
        """Return the built-in locales and those of folders' TOML files; a later one wins by tag.

        A registry, given alone, is returned as it is.

        Raises:
            InputError: a folder is not there, or one of its files is wrong.
        """
        if len(locales) == 1 and isinstance(locales[0], Registry):
            return locales[0]
        registry = cls()
        registry._files = {path.stem.lower(): path for path in sorted(DATA.glob("*.toml"))}
        registry._entries = {**registry._files}
        for each in locales:
            if isinstance(each, Registry):
                registry._entries |= each._entries
                registry._files |= each._files
                continue
            for folder in paths_of(each):
                if not folder.is_dir():
                    raise InputError("there is no such folder of locales", file=folder)
                for path in sorted(folder.glob("*.toml")):
                    registry.add(locale := read_locale(path))
                    registry._files[locale.tag.lower()] = path
        return registry

    def add(self, locale: Locale) -> None:
        """Add a locale in the place of one with the same tag; InputError if a field is wrong."""
        self._entries[locale.tag.lower()] = checked(locale)
        self._matches.clear()

    def get(self, tag: str) -> Locale:
        """Return a BCP 47 tag's locale: itself or the nearest it falls back to, in its own script.

        Raises:
            InputError: nothing matches; the sentence names near tags.
        """
        if (locale := self._match(tag)) is not None:
            return locale
        near = [f"{each.tag} ({each.name}, {each.script})" for each in tags.near(tag, self)]
        hint = (
            f"`memeloc locales list` names all {len(self)}, `memeloc locales new TAG` begins a "
            "file for another, and --locales DIR adds yours."
        )
        if near:
            hint = f"did you mean {' or '.join(near)}?"
        raise InputError(f"there is no locale {tag[:60]!r}; {hint}")

    def file(self, tag: str) -> Path | None:
        """Return the TOML that a locale stands in; None for one that was made in Python."""
        return self._files.get(tag.lower())

    def exemplars(self, tag: str) -> tuple[str, ...]:
        """Return a locale's letters: its own list, else CLDR's main exemplar characters."""
        locale = self.get(tag)
        return locale.exemplars or exemplars(locale.tag)

    def __iter__(self) -> Iterator[Locale]:
        """Iterate over all locales, sorted by tag."""
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
    """Return the built-in locales; the same registry each time."""
    return Registry.load()


@cache
def exemplars(tag: str) -> tuple[str, ...]:
    """Return CLDR's main exemplar characters of a language, one character or cluster each.

    Empty for a language, or a script of it, that CLDR does not know.

    >>> exemplars("cs")[12:16]
    ('h', 'ch', 'i', 'í')
    """
    tag, characters = canonical(tag), cldr("exemplars")["characters"]
    keys = [key for key in tags.candidates(tag) if script_of(key) == script_of(tag)]
    return next((tuple(characters[key].split(" ")) for key in keys if key in characters), ())
