"""The fonts of the operating system. In: a font's name. Out: its file, or None.

Fontconfig's list is asked where there is one (`fc-list`, which keeps a cache); else the names of
the fonts in the usual folders are read.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import uharfbuzz as hb

SUFFIXES = frozenset({".ttf", ".otf", ".ttc", ".otc"})
"""Of font files."""

_NAMES, _STYLE = (1, 4, 16), 2
"""Numbers of names in the table `name` (OpenType 1.9.1): family as Windows groups them, family with
style, and the family as typographers group it; and the style."""

_FORMAT = "%{file}\t%{index}\t%{style[0]}\t%{family}\t%{fullname}\n"
_NORMAL = ("regular", "book", "roman", "medium", "normal")


def find(name: str) -> tuple[Path, int] | None:
    """Return the file of a font with a family's or face's name in any case, and its number in it.

    Of a family's faces it is the regular one, else the first by its style's name.
    """
    places = fonts().get(name.casefold().strip())
    return min(places)[1:] if places else None


@cache
def fonts() -> dict[str, list[tuple[int, Path, int]]]:
    """Return by name, in small letters, where its fonts are: rank, file, number in the file.

    A regular face has the rank 0, others have 1.
    """
    places: dict[str, list[tuple[int, Path, int]]] = {}
    for path, index, style, names in _listed():
        rank = int(style.casefold() not in _NORMAL)
        for name in names:
            places.setdefault(name.casefold().strip(), []).append((rank, path, index))
    return places


def _listed() -> Iterator[tuple[Path, int, str, list[str]]]:
    """Yield file, number of the face, style, and names of each font of the system."""
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
    """Return where this operating system keeps fonts, the user's own first."""
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
    files = (path for folder in folders() for path in sorted(folder.rglob("*")))
    for path in files:
        if path.suffix.lower() in SUFFIXES:
            # One that HarfBuzz cannot read has no faces.
            with suppress(OSError, ValueError, RuntimeError, hb.HarfBuzzError):
                blob = hb.Blob.from_file_path(str(path))
                for index in range(hb.Face(blob).count):
                    face = hb.Face(blob, index)
                    names = [face.get_name(number) for number in _NAMES]
                    yield path, index, face.get_name(_STYLE) or "", [*filter(None, names)]
