"""Folders and fonts that a command finds by itself. In: where it runs, its table. Out: folders and
fonts.

Read from memeloc.toml alone: no database is opened for it, and nothing slow imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from memeloc.errors import InputError
from memeloc.settings import read_toml

FILE = "memeloc.toml"

_FONT_FOLDER = "fonts"  # by default; it need not be there
_FONT_FILES = {".ttf", ".otf", ".ttc", ".otc"}


class OwnFolders(NamedTuple):
    """Folders of templates and locales, and fonts as `FontLibrary` takes them."""

    templates: tuple[Path, ...] = ()
    locales: tuple[Path, ...] = ()
    fonts: tuple[str | Path, ...] = ()


def own_folders(table: str | Path | None = None) -> OwnFolders:
    """Return what the workspace of the working directory has, and `templates` beside a table."""
    root = find_root(Path.cwd())
    beside = () if table is None else existing(Path(table).parent, ["templates"])
    if root is None:
        return OwnFolders(beside)
    settings = read_toml(root / FILE)
    templates, locales, fonts = (settings.get(kind, [kind]) for kind in OwnFolders._fields)
    folders = existing(root, templates)
    different = [folder for folder in beside if folder.resolve() not in map(Path.resolve, folders)]
    return OwnFolders((*folders, *different), existing(root, locales), asked_fonts(root, fonts))


def find_root(start: Path) -> Path | None:
    """Return the folder with memeloc.toml: `start` or one above it; None where there is none."""
    return next((each for each in (start, *start.parents) if (each / FILE).is_file()), None)


def existing(root: Path, names: Iterable[str]) -> tuple[Path, ...]:
    """Return the paths that a setting of `root`/memeloc.toml names and that are there."""
    return tuple(path for name in names if (path := root / name).exists())


def asked_fonts(root: Path, names: Iterable[str]) -> tuple[str | Path, ...]:
    """Return the fonts that the setting `fonts` names, as `FontLibrary` takes them: files, folders
    of them, fonts of the system, and, as in `ur=NAME` and `de:comic=FILE`, such for a language or a
    kind of text."""
    fonts: list[str | Path] = []
    for name in names:
        path = root / name
        if path.is_dir():
            fonts += [file for file in sorted(path.iterdir()) if file.suffix.lower() in _FONT_FILES]
        elif path.is_file():
            fonts.append(path)
        elif name != _FONT_FOLDER:
            from memeloc.fonts.library import FontEntry  # HarfBuzz and its fonts

            fonts.append(str(FontEntry.parse(name).relative_to(root)))
    return tuple(fonts)


def workspace_folder(start: str | Path | None = None) -> Path:
    """Return the folder with memeloc.toml, see `find_root`; without one raise InputError."""
    begin = Path.cwd() if start is None else Path(start).resolve()
    if root := find_root(begin):
        return root
    message = "There is no workspace here, nor in any folder above; `memeloc init` makes one."
    raise InputError(message, file=begin)
