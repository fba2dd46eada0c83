"""What fonts a user asks for. In: `FONT`, `TAG=FONT`, `TAG:STYLE=FONT`. Out: `FontEntry` values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from memeloc.errors import InputError
from memeloc.model import FaceName, Locale

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
        """Whether it is asked for in a kind of text of a locale."""
        asked, tag = self.tag.casefold(), locale.tag.casefold()
        return self.face in (None, face) and (not asked or f"{tag}-".startswith(f"{asked}-"))

    def relative_to(self, folder: Path) -> FontEntry:
        """The entry, its font a file of `folder` where there is such a file."""
        name, colon, settings = self.font.partition(":")
        path = folder / name
        font = f"{path}{colon}{settings}" if path.is_file() else self.font
        return FontEntry(font, self.tag, self.face)

    def __str__(self) -> str:
        """As `parse` reads it."""
        face = f":{self.face}" if self.face else ""
        return f"{self.tag}{face}={self.font}" if self.tag or face else self.font
