"""All fonts there are. In: fonts/fonts.toml, a user's own. Out: the stacks of a locale."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import get_args

from memeloc.errors import InputError, MissingError
from memeloc.fonts.faces import SEMIBOLD, Face, FontStack
from memeloc.fonts.families import Family, load_families, user_family
from memeloc.locales import Registry
from memeloc.model import FaceName, Locale
from memeloc.resources import folder

_ENTRY = re.compile(
    r"(?P<tag>[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)?(?::(?P<face>[a-z]{5,}))?=(?P<font>.+)"
)


@dataclass(frozen=True, slots=True)
class FontEntry:
    """A font that a user asks for.

    Attributes:
        font: a file, with variation settings after a colon where it is a variable font; a family of
            fonts.toml; or the name of a font of the system.
        tag: of the language that it is for, empty for all. `zh` is all Chinese.
        face: the kind of text that it is for, None for all.
    """

    font: str
    tag: str = ""
    face: FaceName | None = None

    @classmethod
    def parse(cls, entry: str | Path) -> FontEntry:
        """Read an entry as the command line and memeloc.toml have it.

        Raises:
            InputError: there is no such style.
        """
        match = _ENTRY.fullmatch(str(entry))
        if match is None or Path(entry).is_file():
            return cls(str(entry))
        face: FaceName | None = match["face"]  # type: ignore[assignment]
        if face and face not in get_args(FaceName):
            styles = ", ".join(get_args(FaceName))
            raise InputError(f"{entry}: there is no style {face!r} of text; there are {styles}")
        return cls(match["font"], match["tag"] or "", face)

    def is_for(self, locale: Locale, face: FaceName) -> bool:
        """Return whether it is asked for in a kind of text of a locale."""
        asked, tag = self.tag.casefold(), locale.tag.casefold()
        return self.face in (None, face) and (not asked or f"{tag}-".startswith(f"{asked}-"))

    def relative_to(self, folder: Path) -> FontEntry:
        """Return the entry, its font a file of `folder` where there is such a file."""
        name, colon, settings = self.font.partition(":")
        path = folder / name
        font = f"{path}{colon}{settings}" if path.is_file() else self.font
        return FontEntry(font, self.tag, self.face)

    def __str__(self) -> str:
        """Return it as `parse` reads it."""
        face = f":{self.face}" if self.face else ""
        return f"{self.tag}{face}={self.font}" if self.tag or face else self.font


class FontLibrary:
    """All families there are: the user's fonts first, then those of fonts/fonts.toml.

    Args:
        user_fonts: files, families or names of fonts of the system, each for all text or, as in
            `ur=Noto Nastaliq Urdu` and `de:comic=My.ttf`, for a language and a kind of text (see
            `FontEntry`). They come first in the stacks that they are for.

    Raises:
        InputError: fonts.toml is wrong, or a user's font is not found or not a font.
    """

    def __init__(self, user_fonts: Sequence[str | Path] = ()) -> None:
        shipped = load_families(folder("fonts") / "fonts.toml")
        # Copies, which look for the system's fonts themselves: some may come while memeloc runs.
        families = {name: replace(family) for name, family in shipped.items()}
        self.families: dict[str, Family] = {}
        self._asked: list[tuple[FontEntry, str]] = []
        for entry in map(FontEntry.parse, user_fonts):
            name = entry.font
            if name not in families:
                family = named = user_family(name, families)
                all_families, numbers = families | self.families, count(2)
                while all_families.get(named.name, named) != named:  # another file of the same name
                    named = replace(family, name=f"{family.name}-{next(numbers)}")
                name = named.name
                self.families[name] = named
            self._asked.append((entry, name))
        self._user = {name for _, name in self._asked}
        self.families |= families
        self._named: dict[str, Family] = {}  # by a locale: files, and fonts of the system
        self._faces: dict[tuple[str, FaceName], Face] = {}
        self._stacks: dict[tuple[tuple[str, ...], tuple[str, ...], FaceName], FontStack] = {}
        for name in self._user:
            self.face(name, "poster")

    def face(self, family: str, face: FaceName) -> Face:
        """Open a face of a family, a font file, or a font of the system by its name.

        Raises:
            InputError: there is no such family, or the file is not the one expected.
            MissingError: the package that carries it is not installed, or the system lacks it.
        """
        if (family, face) not in self._faces:
            self._faces[family, face] = Face(self._family(family), face)
        return self._faces[family, face]

    def _family(self, name: str) -> Family:
        family = self.families.get(name) or self._named.get(name)
        if family is None:
            family = self._named[name] = user_family(name, self.families)
        return family

    def stack(self, locale: Locale, face: FaceName) -> FontStack:
        """Return the faces for a kind of a locale's text, best first; the same object each time.

        Raises:
            InputError, MissingError: a font that is asked for is not there; see `face`.
        """
        users = tuple(
            dict.fromkeys(name for entry, name in self._asked if entry.is_for(locale, face))
        )
        names = self._names(locale, face)
        key = users, names, face
        if key not in self._stacks:
            families = {name: self._family(name) for name in (*users, *names)}
            absent = {name for name, each in families.items() if each.optional and not each.found}
            self._stacks[key] = FontStack(
                [self.face(name, face) for name in families if name not in absent],
                partial(self._colour_emoji, face),
                partial(self._others, families.keys(), face),
                users=len(users),
                absent=tuple(families[name].system[0] for name in families if name in absent),
            )
        return self._stacks[key]

    def _colour_emoji(self, face: FaceName) -> Iterator[Face]:
        for name, family in self.families.items():
            if family.optional and "Zsye" in family.scripts and family.found:
                yield self.face(name, face)

    def _others(self, asked: Collection[str], face: FaceName, script: str) -> Iterator[Face]:
        """Yield the faces of all families that are there, but for those asked for."""
        for name, family in sorted(self.families.items(), key=lambda f: script not in f[1].scripts):
            if name not in asked and name not in self._user and face in family.styles:
                with suppress(MissingError):  # its package is not installed, the system lacks it
                    yield self.face(name, face)

    def _names(self, locale: Locale, face: FaceName) -> tuple[str, ...]:
        """Return the families of a kind of a locale's text; for comic text handwriting by
        default."""
        if face != "comic":
            return locale.poster if face == "poster" else locale.plain
        if locale.comic:
            return locale.comic
        written = [
            name
            for name, family in self.families.items()
            if family.handwritten and (family.found or not family.optional)
        ]
        of_script = [name for name in written if locale.script in self.families[name].scripts]
        latin = (
            [name for name in written if "Latn" in self.families[name].scripts] if of_script else []
        )
        return tuple(dict.fromkeys([*of_script, *latin, *locale.plain]))

    def check(
        self, registry: Registry, locales: Iterable[Locale], faces: Collection[FaceName]
    ) -> None:
        """Open all stacks that are going to be used: what is not there is reported once, and early.

        Raises:
            InputError, MissingError: a font that is asked for is not there, see `face`, which names
                the locale's file; or it is for a language that is not in the registry.
        """
        for entry, _ in self._asked:
            if entry.tag:
                registry.get(entry.tag)
        for locale in locales:
            for face in faces:
                try:
                    self.stack(locale, face)
                except InputError as error:
                    message = f"The {face} fonts of {locale.tag}: {error.message}"
                    file = error.file or registry.file(locale.tag)
                    raise InputError(message, file=file) from error

    def notes(self, locales: Collection[Locale], faces: Collection[FaceName]) -> Iterator[str]:
        """Say which kinds of text are going to be drawn by a font that is not meant for them."""
        firsts = {
            face: {locale.tag: self.stack(locale, face).primary for locale in locales}
            for face in faces
        }
        unwritten = [
            tag
            for tag, first in firsts.get("comic", {}).items()
            if not first.source.handwritten and first.family not in self._user
        ]
        if unwritten:
            yield (
                f"There is no handwriting for comic text in {', '.join(unwritten)}: it is set in "
                "the plain font."
            )
        names = {*self._user, *(family.name for family in self._named.values())}
        for first in dict.fromkeys(firsts.get("poster", {}).values()):
            if first.family in names and not first.source.package and first.weight < SEMIBOLD:
                yield (
                    f"The poster font {first.family} is not bold (its weight is {first.weight:g} "
                    "of 900): name its bold or black face for posters, --font :poster=FILE, and "
                    "this one for plain text, --font :plain=FILE."
                )

    def sha256(self, family: str) -> str:
        """Return SHA-256 of a family's font file; MissingError where the system lacks it."""
        return self._family(family).file_sha256

    def fingerprint(self, locale: Locale) -> str:
        """Return a string that changes when any font that may draw the locale's text changes."""
        asked = ";".join(f"{entry.tag}:{entry.face}={name}" for entry, name in self._asked)
        return f"{asked};" + ";".join(
            f"{family.name}={family.file_sha256}{family.poster}{family.plain}{family.comic}"
            f"{family.embolden}{family.index}{family.lacks}{family.without_locl}"
            for family in self._drawing(locale)
            if (family.found or not family.optional)
        )

    def files(self, locales: Iterable[Locale]) -> dict[str, str]:
        """Return SHA-256 of each font file that is there and may draw the locales' text, by its
        family."""
        families = {family.name: family for locale in locales for family in self._drawing(locale)}
        return {name: family.file_sha256 for name, family in families.items() if family.found}

    def _drawing(self, locale: Locale) -> list[Family]:
        """Return the families that may draw the locale's text."""
        names = [*self._user, *locale.poster, *locale.plain, *locale.comic, *self.families]
        return [self._family(name) for name in dict.fromkeys(names)]
