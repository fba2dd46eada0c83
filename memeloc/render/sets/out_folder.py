"""The folder of a rendered set. In: OUT. Out: OUT for one run alone, and what is there of it.

A folder is memeloc's when it has the folder `STATE`, which the first run makes. In any other, what
has a name that a run writes is somebody's own, and the run does not begin.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cached_property
from itertools import count
from pathlib import Path, PurePosixPath
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.files import file_sha256, locked
from memeloc.object_storage import TEMPORARY, Entry, Folder
from memeloc.render.sets.manifest import FIRST_COLUMNS, FORMER, MANIFEST, SHARDS, STATE, number_of
from memeloc.render.sets.rows import ExistingPicture
from memeloc.render.settings import FORMATS

PAGE = "index.html"
SKIPPED = "skipped.csv"
RUNNING = f"{STATE}/running"
"""Says that a run has begun and not come to its end: its number, a token of its own, and since when
pictures may be newer than their rows."""
_LOCK = f"{STATE}/lock"
SKIPPED_HEADER = ("row", "column", "kind", "problem")


def check_owner(place: Folder, folders: Sequence[str]) -> None:
    """See that a run into OUT, which makes some folders, writes over nothing of somebody's own.
    Raise InputError if OUT is a file, a release, or has something that memeloc did not make under a
    name that the run writes. Nothing was written."""
    if place.path is not None and place.path.exists() and not place.path.is_dir():
        raise InputError("is a file; name a folder for the pictures.", file=place.path)
    names = place.names()
    if "release.json" in names and STATE not in names:
        raise InputError(
            "is a release that memeloc published; name another folder for the pictures.",
            file=place.address(""),
        )
    files = [name for name in (PAGE, FORMER, SKIPPED) if name in names]
    if STATE in names:
        files = [name for name in files if not _is_ours(place, name)]
    else:
        files += [name for name in (MANIFEST, *folders) if name in names]
    if files:
        raise InputError(
            f"{', '.join(files)} in this folder {'was' if len(files) == 1 else 'were'} not made by "
            "memeloc; name another folder for the pictures, or move what is yours.",
            file=place.address(""),
        )


def _is_ours(place: Folder, name: str) -> bool:
    """Return whether a file in a set's folder is the one that a run wrote under its name."""
    mark = '<meta name="generator" content="memeloc">' if name == PAGE else ",".join(SKIPPED_HEADER)
    try:
        if name != FORMER:
            return mark.encode() in place.read(name, 4096)
        with place.open(name) as source:
            return {*FIRST_COLUMNS} <= {*pq.read_schema(source).names}
    except (OSError, pa.ArrowException):
        return False


def see_folder(place: Folder) -> None:
    """Raise MissingError unless this machine finds OUT where the run's note is."""
    reason = "it does not find there what this run wrote"
    try:
        if place.entry(RUNNING) is not None:
            return
    except ServiceError as error:
        reason = error.message
    what = "the credentials and AWS_ENDPOINT_URL of the one where the command runs"
    if place.path is not None:
        what = "a disk that they share, under this path"
    raise MissingError(
        f"On the machine {platform.node()}: {place}: {reason}. Every machine of a cluster needs "
        f"{what}; guides/scale.md says how."
    )


def hold(place: Folder) -> AbstractContextManager[None]:
    """Hold OUT, which is made, for this run alone; the system lets go when the process ends."""
    if place.path is None:
        return nullcontext()
    (place.path / STATE).mkdir(parents=True, exist_ok=True)
    return locked(place.path / _LOCK, place.path)


class OutFolder:
    """The files that earlier runs left in OUT: the note that one has begun, and pictures.

    Attributes:
        is_cut_off: whether an earlier run has not come to its end.
        run: number of this one.
    """

    def __init__(self, place: Folder, layout: str, tables: Sequence[str]) -> None:
        self._place, self._is_files = place, layout == "files"
        self._own = b""
        entry = place.entry(RUNNING)
        self.is_cut_off = entry is not None
        noted = place.read(RUNNING).decode(errors="replace").split(" ") if entry else [""]
        self._cut_off_run = int(noted[0]) if noted[0].isdecimal() else 0  # 0: not known
        runs = [number_of(name)[0] for name in (*tables, *place.names(SHARDS))]
        self.run = 1 + max([self._cut_off_run, *runs])
        # With several that were cut off, one after another, the first says since when.
        self._since = entry.changed if entry else float("inf")
        with suppress(ValueError, IndexError):
            self._since = float(noted[2])

    def begin(self) -> None:
        """Note that a run writes from now on; in object storage, see that no other one does. Raise
        InputError if another has begun, and this one is to leave the set to it."""
        if not self._own:
            if self._place.entry(_LOCK) is None:  # a file that stays makes OUT memeloc's
                self._place.write(_LOCK, b"")
            since = repr(self._since) if self.is_cut_off else ""
            self._own = f"{self.run} {uuid4().hex} {since}".encode()
            self._place.write(RUNNING, self._own)
        elif self._place.path is None:  # nothing is locked there
            try:
                running = self._place.read(RUNNING)
            except FileNotFoundError:
                running = b""
                self._place.write(RUNNING, self._own)  # the next run is to look into what this did
            if running != self._own:
                raise InputError(
                    "Another run has begun in this folder, so this one ends; what it finished is "
                    "kept. Wait for the other, or name another folder.",
                    file=self._place.url,
                )

    def end(self) -> None:
        """Note that the run has come to its end."""
        if self._own or self.is_cut_off:
            self._place.remove(RUNNING)

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        folder = "" if self._is_files else SHARDS
        return {entry.key: entry for entry in self._place.entries(folder)}

    def entry(self, key: str) -> Entry | None:
        """Return the entry of a picture's file, or None where there is none."""
        if self._place.path is None or not self._is_files:
            return self._entries.get(key)
        try:
            status = os.stat(f"{self._place.path}/{key}")  # noqa: PTH116 - a million of them
        except OSError:
            return None
        return Entry(key, status.st_size, status.st_mtime)

    def has(self, picture: ExistingPicture, table: str) -> bool:
        """Return whether a picture is there as it was recorded.

        Sizes are compared; after a run that was cut off, which may have painted over it and not
        come to its row, the bytes of what is newer, as a size may be equal by chance.
        """
        entry = self.entry(picture.shard or picture.path)
        if entry is None or picture.shard is not None:  # a file of many is never changed
            return entry is not None
        if entry.size != picture.bytes:
            return False
        is_later = 0 < self._cut_off_run <= number_of(table)[0]  # rows come after pictures
        is_settled = not self.is_cut_off or is_later or entry.changed < self._since
        return is_settled or self._is_same(picture)

    def _is_same(self, picture: ExistingPicture) -> bool:
        with self._place.reading(picture.path) as file:
            return file.is_file() and file_sha256(file) == picture.sha256

    def set_aside(self, path: str, size: int | None) -> Path | None:
        """Rename somebody's own file at the place of a picture that is to be made; return the new.

        None where there is none, and in object storage, where nobody edits a picture.

        Args:
            size: of the file that an earlier run made there; None where none did.
        """
        if self._place.path is None or not self._is_files:
            return None
        file = self._place.path / path
        if not file.is_file() or file.stat().st_size == size:
            return None
        names = (f"{file.stem}.kept{number or ''}{file.suffix}" for number in count())
        return file.rename(next(new for new in map(file.with_name, names) if not new.exists()))

    def remove(self, picture: ExistingPicture) -> bool:
        """Remove the file of a picture, and folders that it leaves empty; return whether it goes.

        A file that is not the one that was recorded stays, for somebody has changed it; so does
        one whose path a run would not have written. What is in a file of many goes at the end.
        """
        if picture.shard is not None:
            return True
        path, out = PurePosixPath(picture.path), self._place.path
        if len(path.parts) != 3 or ".." in path.parts or path.suffix[1:] not in FORMATS:
            return False
        if out and not (out / path).resolve().is_relative_to(out.resolve()):
            return False
        if self.entry(picture.path) is None or not self._is_same(picture):
            return False
        self._place.remove(picture.path)
        if out:
            with suppress(OSError):  # not empty
                for folder in [*path.parents][:2]:
                    (out / folder).rmdir()
        return True

    def remove_replaced(self, picture: ExistingPicture, path: str) -> None:
        """Remove the single file of a picture that a newer one, of another path, stands for."""
        if out := self._place.path:
            now, old = out / path, out / picture.path
            # A file system that ignores case may have both names for one file.
            if now.is_file() and old.is_file() and old.samefile(now):
                return
        self.remove(picture)

    def clean(self, named: Collection[str | None]) -> None:
        """Remove what a run that was cut off left unfinished, and files of many without rows."""
        for key in [] if self._is_files else [*self._entries]:
            if key not in named and any(number_of(key)):
                self._place.remove(key)
                del self._entries[key]
        if out := self._place.path:
            for folder in ("", "*/", "*/*/"):
                for path in out.glob(f"{folder}.*{TEMPORARY}"):
                    path.unlink(missing_ok=True)
