"""Folders of templates. In: folders, their names. Out: what they hold, names safe as a file's.

A template is called as its folder; what its folder or its picture is called need not be safe.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from memeloc.errors import InputError
from memeloc.model import check_tag_name

CONFIGS = ("config.yml", "config.yaml")
"""How the file is called that makes a folder one of memegen's templates."""


def name_from(path: Path, *, otherwise: str = "") -> str:
    """Return a template's name made of a file's: letters without accents, `-` for the rest.

    Where nothing is left, it is `otherwise`; without that InputError is raised.

    >>> name_from(Path("Café am See (2).jpeg"))
    'Cafe-am-See-2'
    """
    plain = unicodedata.normalize("NFKD", path.stem)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")[:100].rstrip("-._")
    if otherwise and not is_safe(name):
        return otherwise
    if not name:
        raise InputError(
            "a template is named as its file, in Latin letters and digits, and this name has "
            "none; rename the file",
            file=path,
        )
    return check_tag_name(name, f"{path}: a template's name")


def safe_names(ids: Sequence[str]) -> dict[str, str]:
    """Return a name for each id that is safe as a file's, and that no other id has.

    >>> safe_names(["fry", "_test", "test", "été!"])
    {'fry': 'fry', 'test': 'test', '_test': 'test-2', 'été!': 'ete'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    safe = {key.casefold(): key for key in reversed(ids) if is_safe(key)}  # these keep their names
    for key in sorted(ids, key=lambda key: safe.get(key.casefold()) != key):
        stem = key
        if safe.get(key.casefold()) != key:
            stem = name_from(Path(f"{key}.png"), otherwise="template")[:80].rstrip("-._")
        name, number = stem, 2
        while name.casefold() in taken:
            name, number = f"{stem}-{number}", number + 1
        names[key] = name
        taken.add(name.casefold())
    return names


def is_safe(name: str) -> bool:
    with suppress(InputError):
        return bool(check_tag_name(name, "a template's name"))
    return False


def check_within(path: Path, folder: Path) -> Path:
    """Return `path`; raise InputError where it, or a link in it, leads out of the folder."""
    try:
        if path.resolve().is_relative_to(folder.resolve()):
            return path
    except (OSError, RuntimeError):  # a name too long for the disk; a link to itself
        return path
    raise InputError("leads out of the template's own folder", file=path)


def visible(folder: Path) -> list[Path]:
    """Return what stands in a folder, in order, but what is hidden; or raise InputError."""
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=folder) from error


def config_of(folder: Path) -> Path | None:
    """Return the config.yml of a template's folder."""
    return next((folder / name for name in CONFIGS if (folder / name).is_file()), None)


def checkout_entries(folder: Path) -> list[Path]:
    """Return what stands in the folder of templates of a checkout; nothing in other folders.

    A checkout has much else, hidden folders with a config.yml among it (`.circleci`).
    """
    for root in (folder / "templates", folder / "data" / "templates"):
        entries = visible(root) if root.is_dir() else []
        if any(map(config_of, entries)):
            return entries
    return []
