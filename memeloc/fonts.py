"""Finding and loading fonts. In: fonts/fonts.toml and a user's own files. Out: stacks of faces.

A `Family` is a font file with the settings of its two faces; a `Face` is a family at one of them,
ready for HarfBuzz; a `FontStack` says which face draws a grapheme cluster.
"""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal

import uharfbuzz as hb
from pydantic import BaseModel, ConfigDict, Field

from memeloc.errors import InputError, MissingError
from memeloc.files import file_sha256
from memeloc.model import Locale
from memeloc.resources import folder
from memeloc.settings import read_toml, validate

FaceName = Literal["poster", "plain"]

USER_POSTER_WEIGHT = 800
"""The weight asked of a user's variable font in poster text, when the command does not name one."""

_Text = Annotated[str, Field(min_length=1)]
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff\n\r\t]"
)


@dataclass(frozen=True, slots=True)
class Family:
    """A font file and how its two faces are set.

    A user's file has no package, no licence, and no `sha256`: it is not checked.

    Attributes:
        package: the Python package that carries it.
        path: the font file; it may not exist when the package is not installed.
        index: the face's number in a collection.
        scripts: ISO 15924 codes it was chosen for.
        licence: SPDX identifier.
        poster, plain: variation settings (axis tag to value).
        embolden: thickness added to the poster face's strokes, in em.
    """

    name: str
    package: str
    path: Path
    index: int = 0
    scripts: tuple[str, ...] = ()
    licence: str = ""
    sha256: str = ""
    poster: Mapping[str, float] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    embolden: float = 0.0

    def check(self) -> None:
        """Raise MissingError when the file is not there, InputError when it is another file."""
        if not self.path.is_file():
            where = (
                f"pip install {self.package}" if self.package else f"there is no file {self.path}"
            )
            raise MissingError(f"The font {self.name} is missing: {where}")
        if self.sha256:
            sha256 = file_sha256(self.path)
            if sha256 != self.sha256:
                raise InputError(
                    f"the font {self.name} is not the file that fonts.toml names (SHA-256 "
                    f"{sha256[:12]}… instead of {self.sha256[:12]}…): pip install the version of "
                    f"{self.package} that memeloc asks for",
                    file=self.path,
                )

    def open(self) -> hb.Face:
        """Check the file and open it; both faces may share what this returns.

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


class _Entry(BaseModel):
    """A family as fonts.toml has it: `Family`, with the module and the file instead of a path."""

    model_config = ConfigDict(strict=True)

    package: _Text
    module: _Text
    file: _Text
    licence: _Text
    sha256: _Text
    index: int = 0
    scripts: list[str] = []
    poster: dict[str, float] = Field({}, description="axis tags and numbers")
    plain: dict[str, float] = Field({}, description="axis tags and numbers")
    embolden: float = 0.0


class Face:
    """A family at one of its settings, opened for HarfBuzz at the font's own units.

    Attributes:
        family: the family's name.
        key: what distinguishes this face from all others; stable between runs.
        font: HarfBuzz's font, scaled to `upem` units an em.
    """

    def __init__(self, family: Family, face: FaceName, opened: hb.Face | None = None) -> None:
        settings = family.poster if face == "poster" else family.plain
        embolden = family.embolden if face == "poster" else 0.0
        axes = ",".join(f"{axis}={value:g}" for axis, value in sorted(settings.items()))
        self.family = family.name
        self.source = family
        self.key = f"{family.name}#{family.index}:{axes}:{embolden:g}"
        self.hb_face = hb_face = opened or family.open()
        self.upem: int = hb_face.upem
        self.font = hb.Font(hb_face)
        if settings:
            self.font.set_variations(dict(settings))
        if embolden:
            self.font.synthetic_bold = (embolden, embolden, False)
        self._covered: dict[str, bool] = {}

    @cached_property
    def colour(self) -> bool:
        """Whether its glyphs may be coloured (COLR, SVG, CBDT or sbix)."""
        face = self.hb_face
        layers = face.has_color_layers or face.has_color_paint
        return bool(layers or face.has_color_png or face.has_color_svg)

    @cached_property
    def emoji(self) -> bool:
        """Whether it is an emoji font: it has a grinning face and no letters."""
        nominal = self.font.get_nominal_glyph
        return bool(nominal(0x1F600)) and not nominal(ord("a"))

    def covers(self, cluster: str) -> bool:
        """Whether the font has a glyph for every visible code point of a grapheme cluster.

        A cluster whose composed form (NFC) is there counts as covered: HarfBuzz composes.
        """
        covered = self._covered.get(cluster)
        if covered is None:
            covered = self._has_all(cluster) or self._has_all(unicodedata.normalize("NFC", cluster))
            self._covered[cluster] = covered
        return covered

    def _has_all(self, text: str) -> bool:
        nominal = self.font.get_nominal_glyph
        return all(nominal(ord(char)) for char in _IGNORABLE.sub("", text))


class FontStack:
    """Faces in the order of preference for one locale and one kind of text.

    `preferred` are the user's fonts and the locale's own stack; `fallback` opens every other family
    when something is missing in those.
    """

    def __init__(
        self, preferred: Sequence[Face], fallback: Iterable[Callable[[], Face | None]]
    ) -> None:
        self.preferred = list(preferred)
        self._fallback = list(fallback)
        self._chosen: dict[str, Face | None] = {}

    @property
    def primary(self) -> Face:
        """The first face; what spaces and missing clusters are drawn with."""
        return self.preferred[0]

    def font_for(self, cluster: str) -> Face | None:
        """The face that draws a grapheme cluster, or None when no font has it.

        A cluster that asks for emoji presentation (U+FE0F, U+20E3) takes an emoji face first; any
        other takes one last, and never for digits, which emoji fonts carry for keycaps.
        """
        if cluster not in self._chosen:
            self._chosen[cluster] = self._choose(cluster)
        return self._chosen[cluster]

    def covers(self, cluster: str) -> bool:
        """Whether any font draws the cluster."""
        return self.font_for(cluster) is not None

    def font_for_all(self, text: str) -> Face | None:
        """The first of the preferred faces that has every character of `text`, or None."""
        return next((face for face in self.preferred if face.covers(text)), None)

    def _choose(self, cluster: str) -> Face | None:
        wants_emoji = "\ufe0f" in cluster or "\u20e3" in cluster
        for face in sorted(self.preferred, key=lambda face: face.emoji != wants_emoji):
            if face.covers(cluster) and (wants_emoji or not face.emoji or cluster[0] > "\u00ff"):
                return face
        for open_face in self._fallback:
            other = open_face()
            if other is not None and other.covers(cluster):
                return other
        return None


class FontLibrary:
    """All families there are: the user's files first, then those of fonts/fonts.toml.

    The user's come first in every stack. A path may carry variation settings after a colon:
    `MyFont.ttf:wght=650,wdth=80`.

    Raises:
        InputError: fonts.toml is wrong, or a user's file is not a font.
    """

    def __init__(self, user_fonts: Sequence[str | Path] = ()) -> None:
        self.families = {
            family.name: family for family in (_user_family(str(entry)) for entry in user_fonts)
        }
        self._user = list(self.families)
        self.families |= load_families(folder("fonts") / "fonts.toml")
        self._faces: dict[tuple[str, FaceName], Face] = {}
        self._stacks: dict[tuple[tuple[str, ...], FaceName], FontStack] = {}
        for name in self._user:
            self.face(name, "poster")

    def face(self, family: str, face: FaceName) -> Face:
        """Open a family's face; the file's SHA-256 is checked the first time.

        Raises:
            InputError: there is no such family, or the file is not the one expected.
            MissingError: the package that carries it is not installed.
        """
        opened = self._faces.get((family, face))
        if opened is None:
            if family not in self.families:
                raise InputError(
                    f"there is no font family {family!r}; `memeloc fonts list` names them all"
                )
            other = self._faces.get((family, "plain" if face == "poster" else "poster"))
            shared = other.hb_face if other else None
            opened = self._faces[family, face] = Face(self.families[family], face, shared)
        return opened

    def _installed_face(self, family: str, face: FaceName) -> Face | None:
        try:
            return self.face(family, face)
        except MissingError:
            return None

    def stack(self, locale: Locale, face: FaceName) -> FontStack:
        """The faces for a locale's poster or plain text, best first; the same object each time."""
        names = locale.poster if face == "poster" else locale.plain
        stack = self._stacks.get((names, face))
        if stack is None:
            preferred = [self.face(name, face) for name in dict.fromkeys([*self._user, *names])]
            rest = [name for name in self.families if name not in names and name not in self._user]
            stack = FontStack(
                preferred, [partial(self._installed_face, name, face) for name in rest]
            )
            self._stacks[names, face] = stack
        return stack

    def fingerprint(self, locale: Locale) -> str:
        """A string that changes when any font that may draw the locale's text changes."""
        names = dict.fromkeys([*self._user, *locale.poster, *locale.plain, *self.families])
        return ";".join(
            f"{name}={_identity(family)}" for name in names if (family := self.families.get(name))
        )


def _identity(family: Family) -> str:
    settings = f"{dict(family.poster)}{dict(family.plain)}{family.embolden}{family.index}"
    return (family.sha256 or file_sha256(family.path)) + settings


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
    spec = importlib.util.find_spec(entry.module)
    folders = [*(spec.submodule_search_locations or ())] if spec else []
    same = entry.model_dump(exclude={"module", "file", "scripts"})
    font = Path(*(folders[:1] or [entry.module]), entry.file)
    return Family(name=name, path=font, scripts=tuple(entry.scripts), **same)


def _user_family(entry: str) -> Family:
    name, settings = entry, {}
    match = re.fullmatch(r"(.+):((?:\w{4}=-?[\d.]+)(?:,\w{4}=-?[\d.]+)*)", entry)
    if match:
        name = match[1]
        pairs = (item.split("=") for item in match[2].split(","))
        settings = {axis: float(value) for axis, value in pairs}
    path = Path(name)
    if not path.is_file():
        raise InputError("there is no such font file", file=path)
    poster = settings or _poster_weight(path)
    return Family(path.stem, "", path.resolve(), poster=poster, plain=settings)


def _poster_weight(path: Path) -> dict[str, float]:
    try:
        axes = hb.Face(hb.Blob.from_file_path(str(path))).axis_infos
    except (ValueError, RuntimeError, hb.HarfBuzzError):
        return {}
    return {
        axis.tag: min(max(USER_POSTER_WEIGHT, axis.min_value), axis.max_value)
        for axis in axes
        if axis.tag == "wght"
    }
