"""Where pictures are written while time is taken: in memory, for no disk is measured."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")
_NEEDED = 15_000_000_000


def folder_in_memory() -> str | None:
    """A folder on a file system in memory with room for all that is made; None without one."""
    try:
        fits = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _NEEDED
    except OSError:
        return None
    return str(_MEMORY) if fits else None
