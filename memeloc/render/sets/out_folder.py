"""The folder of a rendered set. In: OUT. Out: OUT for one run alone, without loose ends.

A folder is memeloc's when it has the folder `STATE`, which the first run makes. In any other, what
has a name that a run writes is somebody's own, and the run does not begin.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TextIO

from memeloc.captions import CaptionProblem
from memeloc.errors import InputError
from memeloc.files import file_sha256, locked, naming
from memeloc.render.encode import FORMATS, TEMPORARY
from memeloc.render.sets.manifest import MANIFEST, STATE, is_manifest

PAGE = "index.html"
SKIPPED = "skipped.csv"
_HEADER = ("row", "column", "kind", "problem")


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
            csv.writer(self._file).writerow(_HEADER)
        error = problem.error
        with naming(self._path):
            csv.writer(self._file).writerow((error.row, error.column, problem.kind, error.message))

    def keep(self) -> None:
        """Put it in place of the last run's."""
        self._kept = True

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with naming(self._path):
                self._file.close()
        if not self._kept:
            self._temporary.unlink(missing_ok=True)
        elif self._file is not None:
            self._temporary.replace(self._path)
        else:
            self._path.unlink(missing_ok=True)


def remove_picture(out: Path, path: str, sha256: str | None) -> bool:
    """Remove a picture of an earlier run, and the folders that it leaves empty.

    A file that is not the one that was recorded stays, for somebody has changed it; so does one
    whose path a run would not have written.

    Args:
        out: the set's folder.
        path: as the manifest has it.
        sha256: of the file that was written.

    Returns:
        Whether it was removed.
    """
    parts = PurePosixPath(path).parts
    file = out.joinpath(*parts)
    if len(parts) != 3 or ".." in parts or file.suffix.lstrip(".") not in FORMATS:
        return False
    try:
        inside = file.resolve().is_relative_to(out.resolve())
        if not inside or file_sha256(file) != sha256:
            return False
        file.unlink()
    except OSError:
        return False
    with suppress(OSError):  # not empty
        file.parent.rmdir()
        file.parent.parent.rmdir()
    return True


def check_owner(out: Path, folders: Sequence[str], *, shown: Path | str | None = None) -> None:
    """See that a run into OUT writes over nothing that is somebody's own. Writes nothing.

    Args:
        out: the folder, which need not be there.
        folders: names of those that the run makes in it.
        shown: what it is called in sentences; None is `out`.

    Raises:
        InputError: it is a file, or has something that memeloc did not make under a name that the
            run writes.
    """
    if out.exists() and not out.is_dir():
        raise InputError("is a file; name a folder for the pictures.", file=out)
    names = [name for name in (PAGE, MANIFEST, SKIPPED) if (out / name).exists()]
    if (out / STATE).is_dir():
        own = [name for name in names if not _is_ours(out / name)]
    else:
        own = [*names, *(name for name in folders if (out / name).exists())]
    if own:
        raise InputError(
            f"{', '.join(own)} in this folder {'was' if len(own) == 1 else 'were'} not made by "
            "memeloc; name another folder for the pictures, or move what is yours.",
            file=shown or out,
        )


def _is_ours(path: Path) -> bool:
    """Whether a file in a set's folder is the one that a run wrote under its name."""
    if path.name == MANIFEST:
        return is_manifest(path)
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    if path.name == PAGE:
        return b'<meta name="generator" content="memeloc">' in head
    return head.startswith(",".join(_HEADER).encode())


@contextmanager
def hold(out: Path) -> Iterator[None]:
    """Make OUT, and hold it for this run alone; the system lets go of it when the process ends."""
    (out / STATE).mkdir(parents=True, exist_ok=True)
    with locked(out / STATE / "lock", out):
        yield
