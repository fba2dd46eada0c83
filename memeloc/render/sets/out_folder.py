"""The folder of a rendered set. In: OUT. Out: OUT for one run alone, without loose ends."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from memeloc.captions import CaptionProblem
from memeloc.errors import InputError
from memeloc.render.encode import TEMPORARY
from memeloc.render.sets.manifest import STATE

PAGE = "index.html"
SKIPPED = "skipped.csv"


def remove_temporaries(out: Path) -> int:
    """Remove what a killed run left unfinished in OUT/LANGUAGE/TEMPLATE/; return how many."""
    removed = 0
    for path in out.glob(f"*/*/.*{TEMPORARY}"):
        path.unlink(missing_ok=True)
        removed += 1
    return removed


class SkippedFile:
    """OUT/skipped.csv: everything of the table that was left out, and why.

    It takes the place of the last run's when `keep` was called and the block ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.tmp")
        self._file: TextIO | None = None
        self._kept = False

    def __enter__(self) -> SkippedFile:
        self._temporary.unlink(missing_ok=True)
        return self

    def add(self, problem: CaptionProblem) -> None:
        """Write down one problem."""
        if self._file is None:
            self._file = self._temporary.open(
                "w", encoding="utf-8", errors="backslashreplace", newline=""
            )
            csv.writer(self._file).writerow(("row", "column", "kind", "problem"))
        error = problem.error
        csv.writer(self._file).writerow((error.row, error.column, problem.kind, error.message))

    def keep(self) -> None:
        """Put it in place of the last run's."""
        self._kept = True

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
        if not self._kept:
            self._temporary.unlink(missing_ok=True)
        elif self._file is not None:
            self._temporary.replace(self._path)
        else:
            self._path.unlink(missing_ok=True)


@contextmanager
def hold(out: Path) -> Iterator[None]:
    """Make OUT, and hold it for this run alone; the system lets go of it when the process ends."""
    if out.exists() and not out.is_dir():
        raise InputError("is a file; name a folder for the pictures.", file=out)
    (out / STATE).mkdir(parents=True, exist_ok=True)
    with (out / STATE / "lock").open("w") as file:
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(
                "Another run is at work in this folder; wait for it, or name another folder.",
                file=out,
            ) from error
        yield
