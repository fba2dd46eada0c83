"""The fonts of the operating system. In: a font's name. Out: its file, or None.

Fontconfig's list is asked where there is one (`fc-list`, which keeps a cache); else the names of
the fonts in the usual folders are read.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import uharfbuzz as hb

SUFFIXES = frozenset({".ttf", ".otf", ".ttc", ".otc"})
"""Of font files."""

_FAMILY, _STYLE, _FULL, _TYPOGRAPHIC = 1, 2, 4, 16
"""Numbers of names in the table `name` (OpenType 1.9.1): family and style as Windows groups them,
both together, and the family as typographers group it."""

_FORMAT = "%{file}\t%{index}\t%{style[0]}\t%{family}\t%{fullname}\n"
_NORMAL = ("regular", "book", "roman", "medium", "normal")


def find(name: str) -> tuple[Path, int] | None:
    """Return the file of a font with a family's or face's name in any case, and its number in it.

    Of a family's faces it is the regular one, else the first by its style's name.
    """
    places = _fonts().get(name.casefold().strip())
    return min(places)[1:] if places else None


def names() -> Iterable[str]:
    """Return the names of all fonts of the system, in small letters."""
    return _fonts().keys()


def clear() -> None:
    """Forget what was found; a font may have been installed since."""
    _fonts.cache_clear()


@cache
def _fonts() -> dict[str, list[tuple[int, Path, int]]]:
    """Where the fonts of each name are, a rank before each: 0 for a regular face, 1 for others."""
    fonts: dict[str, list[tuple[int, Path, int]]] = {}
    for path, index, style, names in _listed():
        rank = int(style.casefold() not in _NORMAL)
        for name in names:
            fonts.setdefault(name.casefold().strip(), []).append((rank, path, index))
    return fonts


def _listed() -> Iterator[tuple[Path, int, str, list[str]]]:
    """File, number of the face, style, and names of each font of the system."""
    try:
        done = subprocess.run(
            ["fc-list", "-f", _FORMAT], capture_output=True, timeout=60, check=True
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        yield from _read()
        return
    for line in done.splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and Path(fields[0]).suffix.lower() in SUFFIXES:
            names = ",".join(fields[3:]).split(",")
            # The upper half is the number of a named instance of a variable font.
            index = int(fields[1]) & 0xFFFF if fields[1].isdigit() else 0
            yield Path(fields[0]), index, fields[2], names


def folders() -> list[Path]:
    """Where this operating system keeps fonts, the user's own first."""
    home = Path.home()
    if sys.platform == "win32":
        windows = Path(os.environ.get("WINDIR", "C:/Windows"))
        local = Path(os.environ.get("LOCALAPPDATA", home / "AppData/Local"))
        return [local / "Microsoft/Windows/Fonts", windows / "Fonts"]
    if sys.platform == "darwin":
        return [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    return [
        home / ".local/share/fonts",
        home / ".fonts",
        Path("/usr/local/share/fonts"),
        Path("/usr/share/fonts"),
    ]


def _read() -> Iterator[tuple[Path, int, str, list[str]]]:
    for folder in folders():
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in SUFFIXES:
                yield from _faces(path)


def _faces(path: Path) -> Iterator[tuple[Path, int, str, list[str]]]:
    """The faces of a file; none of one that HarfBuzz cannot read."""
    try:
        blob = hb.Blob.from_file_path(str(path))
        for index in range(hb.Face(blob).count):
            face = hb.Face(blob, index)
            names = [face.get_name(number) for number in (_FAMILY, _FULL, _TYPOGRAPHIC)]
            yield path, index, face.get_name(_STYLE) or "", [name for name in names if name]
    except (OSError, ValueError, RuntimeError, hb.HarfBuzzError):
        return
