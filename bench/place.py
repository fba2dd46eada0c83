"""Where pictures are written while time is taken. In: nothing. Out: a folder in memory, if any.

The program is measured, not the disk: on a disk that has seen much use the system takes longer to
make a file than memeloc takes to draw it. What a file costs on the disk is a figure too.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from time import process_time

from bench.figures import Figure

_MEMORY = Path("/dev/shm")
_NEEDED = 15_000_000_000
_FILE = 75_000
_FILES = 500


def folder_in_memory() -> str | None:
    """A folder on a file system in memory with room for all that is made; None without one."""
    try:
        fits = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _NEEDED
    except OSError:
        return None
    return str(_MEMORY) if fits else None


def file_cost() -> Figure:
    """CPU time of making a file of a picture's size whole, by rename, on the disk."""
    from memeloc.object_storage import folder_at

    content = os.urandom(_FILE)
    with tempfile.TemporaryDirectory(prefix="memeloc-bench-") as folder:
        place = folder_at(folder)
        begin = process_time()
        for number in range(_FILES):
            place.write(f"{number}.jpg", content)
        spent = (process_time() - begin) / _FILES
    where = "in memory" if folder_in_memory() else "on the disk, too"
    note = f"{_FILE // 1000} kB, written beside and renamed; the pictures above were made {where}"
    return Figure("Files", "making a file on this disk, CPU", spent * 1e3, "ms", note=note)
