"""Dictionaries of hyphenation. In: a name as a locale's TOML has it. Out: pyphen's file.

pyphen brings the dictionaries of LibreOffice, each under its own licence. The built-in locales name
those under the LGPL, the MPL, the LPPL or a licence like MIT's; the Czech, Norwegian, Romanian and
Ukrainian ones, under the GPL alone, are for those to name in a locale of their own whom that suits.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from memeloc.errors import InputError


@cache
def dictionary(name: str) -> Path:
    """The file of a dictionary.

    Raises:
        InputError: pyphen has none of this name; the sentence names those of the language.
    """
    spec = find_spec("pyphen")
    folder = Path(spec.origin).parent / "dictionaries" if spec and spec.origin else Path()
    path = folder / f"hyph_{name}.dic"
    if path.is_file():
        return path
    near = sorted(file.stem[5:] for file in folder.glob(f"hyph_{name[:2]}*.dic"))
    hint = f"it has {' and '.join(near)}" if near else "leave hyphenation out for this language"
    raise InputError(f"pyphen has no dictionary {name!r}; {hint}")
