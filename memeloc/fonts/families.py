"""Font families. In: fonts/fonts.toml and lookalikes.toml, or a font file. Out: `Family` values."""

from __future__ import annotations

import difflib
import importlib.util
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, get_args

import uharfbuzz as hb
from pydantic import Field
from pydantic.dataclasses import dataclass

from memeloc.errors import InputError, MissingError
from memeloc.files import fetch_first, file_sha256
from memeloc.fonts import system
from memeloc.model import FaceName
from memeloc.settings import read_toml, validate

USER_POSTER_WEIGHT = 800
"""The weight of a user's variable font in posters, where none is named, or the nearest it has."""

BOLD = 700.0
"""The most weight of comic text that is drawn by a font that is not handwritten."""

_AXIS = r"\w{4}=-?\d+(?:\.\d+)?"
_PACKAGED = ("package", "module", "file", "licence", "sha256")
_BESIDE = ("file", "licence", "sha256")


@dataclass(frozen=True)
class Family:
    """A font file and how its faces are set: a table of fonts.toml, which says what its keys mean.

    Of a user's font only `file`, its path, is there besides the settings of its faces; of a font of
    the system none of what describes a package. Neither is checked by its SHA-256.

    Attributes:
        without_locl: languages whose own forms (OpenType's feature `locl`) spoil a letter.
    """

    name: str
    package: str = ""
    module: str = ""
    file: str = ""
    number: int = 0
    scripts: tuple[str, ...] = ()
    licence: str = ""
    sha256: str = ""
    system: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    styles: tuple[FaceName, ...] = ("poster", "plain", "comic")
    poster: Mapping[str, float] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    comic: Mapping[str, float] = field(default_factory=dict)
    embolden: float = 0.0
    lacks: Mapping[FaceName, str] = field(default_factory=dict)
    without_locl: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keys = [key for key in _PACKAGED if getattr(self, key)]
        if keys not in ([], ["file"], [*_BESIDE], [*_PACKAGED]) or bool(self.system) == bool(keys):
            lacking = next(key for key in _PACKAGED if key not in keys)
            raise ValueError(
                f"it needs the setting {lacking} (or `system` alone, "
                "for a font of the operating system)"
            )

    @property
    def handwritten(self) -> bool:
        """Return whether its letters look written by hand."""
        return self.styles == ("comic",)

    @cached_property
    def _place(self) -> tuple[Path, int] | None:
        """The file and the face's number in it, looked for once."""
        if self.file:
            spec = importlib.util.find_spec(self.module) if self.module else None
            folders = [*(spec.submodule_search_locations or ())] if spec else []
            return Path(*(folders[:1] or [self.module]), self.file), self.number
        return next((place for name in self.system if (place := system.find(name))), None)

    @property
    def path(self) -> Path:
        """The font file. Raises MissingError where it is not found on the system."""
        if self._place is None:
            raise MissingError(
                f"The font {self.name} is missing: no font of this system is called "
                + " or ".join(self.system)
            )
        return self._place[0]

    @property
    def index(self) -> int:
        """The face's number in its file."""
        return self._place[1] if self._place else 0

    @property
    def found(self) -> bool:
        """Return whether its file is there."""
        return self._place is not None and self._place[0].is_file()

    @property
    def optional(self) -> bool:
        """Return whether memeloc does without where it is not found."""
        return bool(self.system)

    @cached_property
    def file_sha256(self) -> str:
        """SHA-256 of the file: the one named, or, where none is, the one that it has."""
        return self.sha256 or _sha256_of(self.path)

    def settings(self, face: FaceName) -> Mapping[str, float]:
        """Return the variation settings of a face; comic text is bold where nothing else is asked
        for."""
        if face != "comic" or self.comic:
            return {"poster": self.poster, "plain": self.plain, "comic": self.comic}[face]
        return {axis: min(value, BOLD) for axis, value in self.poster.items() if axis == "wght"}

    def check(self) -> None:
        """Raise MissingError when the file is not there, InputError when it is another file."""
        if not self.path.is_file():
            where = (
                f"pip install {self.package}" if self.package else f"there is no file {self.path}"
            )
            raise MissingError(f"The font {self.name} is missing: {where}")
        if self.sha256 and (sha256 := _sha256_of(self.path)) != self.sha256:
            raise InputError(
                f"the font {self.name} is not the file that fonts.toml names (SHA-256 "
                f"{sha256[:12]}… instead of {self.sha256[:12]}…): pip install the "
                f"version of {self.package or 'memeloc'} that memeloc asks for",
                file=self.path,
            )

    @cached_property
    def opened(self) -> hb.Face:
        """The file, checked and opened for all faces; also InputError when it is no font."""
        self.check()
        try:
            opened = hb.Face(hb.Blob.from_file_path(str(self.path)), self.index)
            if opened.glyph_count == 0:
                raise ValueError("no glyphs")
        except (ValueError, RuntimeError, hb.HarfBuzzError) as error:
            raise InputError("this is not a font that HarfBuzz can read", file=self.path) from error
        return opened


def _sha256_of(path: Path) -> str:
    facts = path.stat()
    return _sha256_as_it_stands(path, facts.st_size, facts.st_mtime_ns)


@cache
def _sha256_as_it_stands(path: Path, size: int, changed_ns: int) -> str:
    return file_sha256(path)


@cache
def load_families(path: Path) -> Mapping[str, Family]:
    """Read the families of a fonts.toml once, and from lookalikes.toml beside it what they lack.
    Raise InputError if a file cannot be read, or a key is unknown, missing or of the wrong type."""
    tables = read_toml(path).get("family")
    if not isinstance(tables, dict) or not tables:
        raise InputError("has no [family.NAME] table", file=path)
    beside = path.with_name("lookalikes.toml")
    lookalikes = read_toml(beside) if beside.is_file() else {}
    families = {}
    for name, table in tables.items():
        found = lookalikes.get(name, {})
        values = {**table, "name": name, "without_locl": found.get("without_locl", ())}
        if "file" in table and "module" not in table:
            values["file"] = str(path.parent / table["file"])
        family = validate(Family, values, f"the font family {name}", file=path)
        lacks: dict[FaceName, str] = {
            face: family.lacks.get(face, "") + found.get("lacks", "") for face in get_args(FaceName)
        }
        families[name] = replace(family, lacks=lacks)
    return families


def user_family(font: str, names: Iterable[str]) -> Family:
    """Return the family of a user's font: a file, or the name of a font of the system.

    Axes of a variable font follow a colon: `My.ttf:wght=650,wdth=80`. Raise InputError if there is
    no such file and no such font; it names the nearest of the `names` families and of the system's.
    """
    name, settings = font, {}
    match = re.fullmatch(rf"(.+):({_AXIS}(?:,{_AXIS})*)", font)
    if match:
        name = match[1]
        settings = {item[:4]: float(item[5:]) for item in match[2].split(",")}
    path, index = Path(name), 0
    if not path.is_file():
        place = None if path.suffix.lower() in system.SUFFIXES else system.find(name)
        if place is None:
            near = difflib.get_close_matches(name.casefold(), [*names, *system.fonts()], n=1)
            raise InputError(
                f"there is no font family {name!r}, no such file, and no font of this system has "
                f"that name{fetch_first(path)}; "
                + (f"did you mean {near[0]!r}?" if near else "`memeloc fonts` has them")
            )
        path, index = place
    return Family(
        path.stem if path == Path(name) else name,
        file=str(path.resolve()),
        number=index,
        poster=settings or {"wght": USER_POSTER_WEIGHT},
        plain=settings,
    )
