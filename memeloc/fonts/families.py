"""Font families. In: fonts/fonts.toml, or a font file. Out: `Family` values."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

import uharfbuzz as hb
from pydantic import BaseModel, ConfigDict, Field, model_validator

from memeloc.errors import InputError, MissingError
from memeloc.files import fetch_first, file_sha256
from memeloc.fonts import system
from memeloc.model import FaceName
from memeloc.settings import read_toml, validate

USER_POSTER_WEIGHT = 800
"""The weight asked of a user's variable font in poster text, when the command does not name one."""

BOLD = 700.0
"""The most weight of comic text that is drawn by a font that is not handwritten."""

_Text = Annotated[str, Field(min_length=1)]
_AXES = "axis tags and numbers"


@dataclass(frozen=True)
class Family:
    """A font file and how its faces are set.

    A user's file and a system's have no package, no licence, and no `sha256`: they are not checked.

    Attributes:
        package: the Python package that carries it; empty for a user's file and a system's font.
        file: the font file; it may not exist when the package is not installed. None for a font
            that is looked for on the system.
        number: the face's number in a file that is a collection.
        scripts: ISO 15924 codes it was chosen for.
        licence: SPDX identifier.
        system: names that the font may have on the system, the best first.
        handwritten: whether its letters look written by hand: for the comic face.
        poster, plain, comic: variation settings (axis tag to value).
        embolden: thickness added to the strokes of the poster face, or, of a handwritten font,
            of the comic one; in em.
        poster_lacks: characters that its poster face draws wrong, and other fonts instead.
    """

    name: str
    package: str = ""
    file: Path | None = None
    number: int = 0
    scripts: tuple[str, ...] = ()
    licence: str = ""
    sha256: str = ""
    system: tuple[str, ...] = ()
    handwritten: bool = False
    poster: Mapping[str, float] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    comic: Mapping[str, float] = field(default_factory=dict)
    embolden: float = 0.0
    poster_lacks: str = ""

    @cached_property
    def _place(self) -> tuple[Path, int] | None:
        """The file and the face's number in it, looked for once."""
        if self.file is not None:
            return self.file, self.number
        return next((place for name in self.system if (place := system.find(name))), None)

    @property
    def path(self) -> Path:
        """The font file.

        Raises:
            MissingError: the font is not found on the system.
        """
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
        """Whether its file is there."""
        return self._place is not None and self._place[0].is_file()

    @property
    def optional(self) -> bool:
        """Whether memeloc does without where it is not found."""
        return bool(self.system)

    @cached_property
    def file_sha256(self) -> str:
        """SHA-256 of the file: the one named, or, where none is, the one that it has."""
        return self.sha256 or _sha256_of(self.path)

    def settings(self, face: FaceName) -> Mapping[str, float]:
        """The variation settings of a face; comic text is bold where nothing else is asked for."""
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
        if self.sha256:
            sha256 = _sha256_of(self.path)
            if sha256 != self.sha256:
                raise InputError(
                    f"the font {self.name} is not the file that fonts.toml names (SHA-256 "
                    f"{sha256[:12]}… instead of {self.sha256[:12]}…): pip install the version of "
                    f"{self.package} that memeloc asks for",
                    file=self.path,
                )

    def open(self) -> hb.Face:
        """Check the file and open it; all faces may share what this returns.

        Raises:
            InputError: it is not the file expected, or not a font.
            MissingError: it is not there.
        """
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


class _Entry(BaseModel):
    """A family as fonts.toml has it: `Family`, with the module and the file instead of a path."""

    model_config = ConfigDict(strict=True, extra="forbid")

    package: str = Field("", description="the Python package that carries it")
    module: str = Field("", description="that package's module")
    file: str = Field("", description="the font in the module's folder")
    licence: str = Field("", description="an SPDX identifier")
    sha256: str = Field("", description="of the file")
    system: list[_Text] = Field([], description="names of a font of the operating system")
    index: int = 0
    scripts: list[str] = []
    handwritten: bool = False
    poster: dict[str, float] = Field({}, description=_AXES)
    plain: dict[str, float] = Field({}, description=_AXES)
    comic: dict[str, float] = Field({}, description=_AXES)
    embolden: float = 0.0
    poster_lacks: str = Field("", description="characters that its poster face draws wrong")

    @model_validator(mode="after")
    def _from_somewhere(self) -> _Entry:
        packaged = ("package", "module", "file", "licence", "sha256")
        lacking = [key for key in packaged if not getattr(self, key)]
        if lacking and not (self.system and len(lacking) == len(packaged)):
            raise ValueError(
                f"it needs the setting {lacking[0]} (or `system` alone, "
                "for a font of the operating system)"
            )
        return self


@cache
def shipped_families(path: Path) -> Mapping[str, Family]:
    """The families of memeloc's own fonts.toml, which does not change while it runs.

    Raises:
        InputError: as of `load_families`.
    """
    return load_families(path)


def load_families(path: Path) -> dict[str, Family]:
    """Read the families of a fonts.toml.

    Raises:
        InputError: the file cannot be read, or a key is unknown, missing or of the wrong type.
    """
    tables = read_toml(path).get("family")
    if not isinstance(tables, dict) or not tables:
        raise InputError("has no [family.NAME] table", file=path)
    return {name: _family(name, table, path) for name, table in tables.items()}


def _family(name: str, table: Mapping[str, Any], path: Path) -> Family:
    entry = validate(_Entry, table, f"the font family {name}", file=path)
    same = entry.model_dump(exclude={"module", "file", "index", "scripts", "system"})
    return Family(
        name=name,
        file=None if entry.system else _packaged(entry),
        number=entry.index,
        scripts=tuple(entry.scripts),
        system=tuple(entry.system),
        **same,
    )


def _packaged(entry: _Entry) -> Path:
    spec = importlib.util.find_spec(entry.module)
    folders = [*(spec.submodule_search_locations or ())] if spec else []
    return Path(*(folders[:1] or [entry.module]), entry.file)


def user_family(font: str) -> Family:
    """The family of a user's font: a file, or the name of a font of the system.

    Axes of a variable font follow a colon: `My.ttf:wght=650,wdth=80`.

    Raises:
        InputError: there is no such file and no such font.
    """
    name, settings = font, {}
    match = re.fullmatch(r"(.+):((?:\w{4}=-?[\d.]+)(?:,\w{4}=-?[\d.]+)*)", font)
    if match:
        name = match[1]
        try:
            settings = {
                axis: float(value)
                for axis, value in (item.split("=") for item in match[2].split(","))
            }
        except ValueError as error:
            raise InputError(f"{match[2]!r} after the font's name is not axes") from error
    path, index = Path(name), 0
    if not path.is_file():
        place = None if path.suffix.lower() in system.SUFFIXES else system.find(name)
        if place is None:
            raise InputError(
                "there is no such font file, and no font of this system has that name"
                f"{fetch_first(path)}",
                file=path,
            )
        path, index = place
    poster = settings or _poster_weight(path, index)
    return Family(
        path.stem if path == Path(name) else name,
        file=path.resolve(),
        number=index,
        poster=poster,
        plain=settings,
    )


def _poster_weight(path: Path, index: int) -> dict[str, float]:
    try:
        axes = hb.Face(hb.Blob.from_file_path(str(path)), index).axis_infos
    except (ValueError, RuntimeError, hb.HarfBuzzError):
        return {}
    return {
        axis.tag: min(max(USER_POSTER_WEIGHT, axis.min_value), axis.max_value)
        for axis in axes
        if axis.tag == "wght"
    }
