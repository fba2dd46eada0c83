"""Folders that people look at and add to. In: a folder's name. Out: its path.

fonts/, templates/ and guides/ stand at the top of the repository; the wheel carries them inside the
package, as `memeloc/_data/`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).parent


def folder(name: Literal["fonts", "templates", "guides"]) -> Path:
    """Return the folder `name`, in the wheel's data or, in a checkout, at the top of the
    repository."""
    packed = _PACKAGE / "_data" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
