"""Names of templates. In: names of files and folders. Out: names that are safe as a file's.

A template is called as its folder; what its folder or its picture is called need not be safe.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from memeloc.errors import InputError
from memeloc.model import check_tag_name


def name_from(path: Path, *, otherwise: str = "") -> str:
    """A template's name made of a file's: letters without their accents, `-` for the rest.

    Args:
        otherwise: the name of a file whose own name comes to none.

    Raises:
        InputError: nothing is left, because the name has no Latin letter and no digit.

    >>> name_from(Path("Café am See (2).jpeg"))
    'Cafe-am-See-2'
    """
    plain = unicodedata.normalize("NFKD", path.stem)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")[:100].rstrip("-._")
    if otherwise and not _is_safe(name):
        return otherwise
    if not name:
        raise InputError(
            "a template is named as its file, in Latin letters and digits, and this name has "
            "none; rename the file",
            file=path,
        )
    return check_tag_name(name, f"{path}: a template's name")


def safe_names(ids: Sequence[str]) -> dict[str, str]:
    """A name for each id that is safe as a file's, and that no other id has.

    >>> safe_names(["fry", "_test", "test", "été!"])
    {'fry': 'fry', 'test': 'test', '_test': 'test-2', 'été!': 'ete'}
    """
    safe = {key.casefold(): key for key in reversed(ids) if _is_safe(key)}
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in sorted(ids, key=lambda key: safe.get(key.casefold()) != key):
        stem = name = key if safe.get(key.casefold()) == key else _plain_name(key)
        number = 2
        while name.casefold() in taken:
            name, number = f"{stem}-{number}", number + 1
        names[key] = name
        taken.add(name.casefold())
    return names


def _is_safe(name: str) -> bool:
    try:
        check_tag_name(name, "a template's name")
    except InputError:
        return False
    return True


def _plain_name(key: str) -> str:
    return name_from(Path(f"{key}.png"), otherwise="template")[:80].rstrip("-._")
