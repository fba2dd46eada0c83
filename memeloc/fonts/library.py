"""All fonts there are. In: fonts/fonts.toml, a user's own. Out: the stacks of a locale."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from memeloc.errors import InputError, MissingError
from memeloc.fonts.entries import FontEntry
from memeloc.fonts.faces import SEMIBOLD, Face
from memeloc.fonts.families import Family, load_families, user_family
from memeloc.fonts.stacks import FontStack
from memeloc.locales import Registry
from memeloc.model import FaceName, Locale
from memeloc.resources import folder


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
        own = {name: replace(family) for name, family in shipped.items()}
        self.families: dict[str, Family] = {}
        self._asked: list[tuple[FontEntry, str]] = []
        for entry in map(FontEntry.parse, user_fonts):
            self._asked.append((entry, self._add(entry.font, own)))
        self._user = {name for _, name in self._asked}
        self.families |= own
        self._named: dict[str, Family] = {}  # by a locale: files, and fonts of the system
        self._faces: dict[tuple[str, FaceName], Face] = {}
        self._stacks: dict[tuple[tuple[str, ...], tuple[str, ...], FaceName], FontStack] = {}
        for name in self._user:
            self.face(name, "poster")

    def _add(self, font: str, own: dict[str, Family]) -> str:
        """Add a user's font, and return the name that its family has here."""
        if font in own:
            return font
        family, number = user_family(font, own), 2
        known = own | self.families
        named = family
        while known.get(named.name, named) != named:  # another file of the same name
            named, number = replace(family, name=f"{family.name}-{number}"), number + 1
        self.families[named.name] = named
        return named.name

    def face(self, family: str, face: FaceName) -> Face:
        """Open a family's face; the file's SHA-256 is checked the first time.

        Args:
            family: a name of `families`, a font file, or the name of a font of the system.
            face: which of its settings.

        Raises:
            InputError: there is no such family, or the file is not the one expected.
            MissingError: the package that carries it is not installed, or the system lacks it.
        """
        opened = self._faces.get((family, face))
        if opened is None:
            shared = next((other for key, other in self._faces.items() if key[0] == family), None)
            opened = self._faces[family, face] = Face(
                self._family(family), face, shared.hb_face if shared else None
            )
        return opened

    def _family(self, name: str) -> Family:
        family = self.families.get(name) or self._named.get(name)
        if family is None:
            family = self._named[name] = user_family(name, self.families)
        return family

    def _found_face(self, family: str, face: FaceName) -> Face | None:
        """The face, None when its package is not installed or the system lacks it."""
        try:
            return self.face(family, face)
        except MissingError:
            return None

    def _colour_emoji(self, face: FaceName) -> Face | None:
        for name, family in self.families.items():
            if family.optional and "Zsye" in family.scripts and family.found:
                return self.face(name, face)
        return None

    def stack(self, locale: Locale, face: FaceName) -> FontStack:
        """The faces for a kind of a locale's text, best first; the same object each time.

        Raises:
            InputError, MissingError: a font that is asked for is not there; see `face`.
        """
        users = tuple(
            dict.fromkeys(name for entry, name in self._asked if entry.is_for(locale, face))
        )
        names = self._names(locale, face)
        stack = self._stacks.get((users, names, face))
        if stack is None:
            stack = self._stacks[users, names, face] = self._stack(users, names, face)
        return stack

    def _stack(self, users: tuple[str, ...], names: tuple[str, ...], face: FaceName) -> FontStack:
        absent, asked = [], list(users)
        for name in names:
            family = self._family(name)
            if family.optional and not family.found:
                absent.append(family.system[0])
            elif name not in asked:
                asked.append(name)
        rest = {
            name: family.scripts
            for name, family in self.families.items()
            if name not in asked and name not in self._user and face in family.styles
        }
        return FontStack(
            [self.face(name, face) for name in asked],
            [(scripts, partial(self._found_face, name, face)) for name, scripts in rest.items()],
            partial(self._colour_emoji, face),
            users=len(users),
            absent=tuple(absent),
        )

    def _names(self, locale: Locale, face: FaceName) -> tuple[str, ...]:
        """The families of a kind of a locale's text; for comic text handwriting by default."""
        if face != "comic":
            return locale.poster if face == "poster" else locale.plain
        if locale.comic:
            return locale.comic
        written = [
            name
            for name, family in self.families.items()
            if family.handwritten and (family.found or not family.optional)
        ]
        own = [name for name in written if locale.script in self.families[name].scripts]
        latin = [name for name in written if "Latn" in self.families[name].scripts] if own else []
        return tuple(dict.fromkeys([*own, *latin, *locale.plain]))

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

    def notes(self, locales: Iterable[Locale], faces: Collection[FaceName]) -> Iterator[str]:
        """Say which kinds of text are going to be drawn by a font that is not meant for them."""
        firsts = [
            (locale.tag, face, self.stack(locale, face).primary)
            for locale in locales
            for face in faces
        ]
        unwritten = [
            tag
            for tag, face, first in firsts
            if face == "comic" and not first.source.handwritten and first.family not in self._user
        ]
        if unwritten:
            yield (
                f"There is no handwriting for comic text in {', '.join(unwritten)}: it is set in "
                "the plain font."
            )
        own = {*self._user, *(family.name for family in self._named.values())}
        posters = dict.fromkeys(first for _, face, first in firsts if face == "poster")
        for first in posters:
            if first.family in own and not first.source.package and first.weight < SEMIBOLD:
                yield (
                    f"The poster font {first.family} is not bold (its weight is {first.weight:g} "
                    "of 900): name its bold or black face for posters, --font :poster=FILE, and "
                    "this one for plain text, --font :plain=FILE."
                )

    def sha256(self, family: str) -> str:
        """SHA-256 of a family's font file; MissingError where the system lacks it."""
        return self._family(family).file_sha256

    def fingerprint(self, locale: Locale) -> str:
        """A string that changes when any font that may draw the locale's text changes."""
        asked = ";".join(f"{entry.tag}:{entry.face}={name}" for entry, name in self._asked)
        return f"{asked};" + ";".join(
            f"{family.name}={family.file_sha256}{family.poster}{family.plain}{family.comic}"
            f"{family.embolden}{family.index}{family.lacks}{family.without_locl}"
            for family in self._drawing(locale)
            if (family.found or not family.optional)
        )

    def files(self, locales: Iterable[Locale]) -> dict[str, str]:
        """SHA-256 of each font file that is there and may draw the locales' text, by its family."""
        families = {family.name: family for locale in locales for family in self._drawing(locale)}
        return {name: family.file_sha256 for name, family in families.items() if family.found}

    def _drawing(self, locale: Locale) -> list[Family]:
        """The families that may draw the locale's text."""
        names = [*self._user, *locale.poster, *locale.plain, *locale.comic, *self.families]
        return [self._family(name) for name in dict.fromkeys(names)]
