"""The folder of a set during a run. In: OUT, wherever it is. Out: its rows and page on a disk.

Where OUT is on a disk, that is OUT itself. Of a set in object storage a run keeps manifest, parts
and page in a temporary folder: it fetches what earlier runs left, and what has changed is written
back at the end, the page last. Pictures, shards and parts are written there by what makes them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from memeloc.engine.machines import Checked, seeing
from memeloc.engine.protocol import Result, Shard
from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.object_storage import Folder, LocalFolder, ObjectFolder
from memeloc.render.sets.manifest import MANIFEST, PARTS, SHARDS, STATE
from memeloc.render.sets.out_folder import PAGE, SKIPPED

RUNNING = f"{STATE}/running"
"""Says that a run has begun and not come to its end."""
_LOCK = f"{STATE}/lock"
_PAGE_DATA = f"{STATE}/page"


class SetFolder:
    """A set's folder on a disk.

    Attributes:
        path: the folder with manifest, parts and page.
        place: OUT.
        last_run: number of the run that was cut off, where it is known; otherwise 0.
    """

    last_run = 0

    def __init__(self, path: Path, place: Folder) -> None:
        self.path, self.place = path, place

    def seen_by(self, function: Callable[[Shard], Result]) -> Callable[[Shard], Result]:
        """A function over shards that first checks that its machine sees the folder."""
        return seeing(function, [self.path / RUNNING])

    def begin(self, run: int) -> None:
        """Note that a run writes from now on; again before it writes what earlier runs wrote."""
        (self.path / RUNNING).touch()

    def fetch_part(self, part: str) -> None:
        """Get a finished shard's rows."""

    def publish(self) -> None:
        """Put what has changed in its place."""

    def remove_parts(self) -> None:
        """Remove the parts, which the manifest has now."""
        for path in (self.path / PARTS).glob("*"):
            path.unlink()

    def end(self) -> None:
        """Note that the run has come to its end."""
        (self.path / RUNNING).unlink()


class _RemoteSet(SetFolder):
    """A set's folder in object storage."""

    place: ObjectFolder

    def __init__(self, path: Path, place: ObjectFolder) -> None:
        super().__init__(path, place)
        self._run = b""
        self._token = uuid4().hex
        self._there = set[str]()  # data of the page
        self._fetch()
        self._known = dict(self._files())

    def _fetch(self) -> None:
        """Get what earlier runs left; of shards and folders of pictures only the names."""
        self.path.mkdir()
        names = self.place.names()
        self._is_new = STATE not in names
        for name in names:
            if name in (PAGE, SKIPPED, MANIFEST):
                self.place.fetch(name, self.path / name)
            elif name not in (".", ".."):
                (self.path / name).mkdir()
        for entry in self.place.entries(STATE) if STATE in names else ():
            folder = entry.key.rpartition("/")[0]
            if folder == _PAGE_DATA:
                self._there.add(entry.key)
            elif entry.key == RUNNING or (
                folder in (STATE, PARTS) and entry.key.endswith(".parquet")
            ):
                self.place.fetch(entry.key, self.path / entry.key)
        for entry in self.place.entries(SHARDS) if SHARDS in names else ():
            (self.path / SHARDS / entry.key.rpartition("/")[2]).touch()
        if (self.path / RUNNING).exists():
            number = (self.path / RUNNING).read_text("utf-8", "replace").partition(" ")[0]
            self.last_run = int(number) if number.isdecimal() else 0

    def _files(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """What is written back: a file's key, size and time; the page's data first, then rows."""
        found = []
        for path in self.path.rglob("*"):
            key = path.relative_to(self.path).as_posix()
            folder = key.rpartition("/")[0]
            is_own = path.name.startswith(".") or key in (RUNNING, _LOCK)
            if folder in ("", STATE, _PAGE_DATA) and path.is_file() and not is_own:
                status = path.stat()
                found.append((key, (status.st_size, status.st_mtime_ns)))
        return iter(sorted(found, key=lambda file: (file[0] == PAGE, "/" not in file[0], file[0])))

    def seen_by(self, function: Callable[[Shard], Result]) -> Callable[[Shard], Result]:
        return Checked(function, partial(_see, self.place))

    def begin(self, run: int) -> None:
        if self._run:
            self._check()
        elif self._is_new:  # an object that stays makes it memeloc's: folders there are none
            self.place.write(_LOCK, b"")
        self._run = f"{run} {self._token}".encode()
        self.place.write(RUNNING, self._run)
        (self.path / RUNNING).touch()

    def _check(self) -> None:
        """See that no other run has begun: nothing is locked in object storage.

        Raises:
            InputError: one has, and this one is to leave the set to it.
        """
        try:
            running = self.place.read(RUNNING)
        except FileNotFoundError:
            running = b""
            self.place.write(RUNNING, self._run)  # the next run is to look into what this one wrote
        if running != self._run:
            raise InputError(
                "Another run has begun in this folder, so this one ends; what it finished is kept. "
                "Wait for the other, or name another folder.",
                file=self.place.url,
            )

    def fetch_part(self, part: str) -> None:
        self._check()
        self.place.fetch(f"{PARTS}/{part}", self.path / PARTS / part)

    def publish(self) -> None:
        files = dict(self._files())
        changed = [key for key, state in files.items() if self._known.get(key) != state]
        with self.place.writing_many() as write:
            for key in changed:
                if key.startswith(_PAGE_DATA) and key not in self._there:
                    write(key, self.path / key)
        for key in changed:
            if not key.startswith(_PAGE_DATA):
                self.place.write(key, self.path / key)
        stale = self._known.keys() - files.keys()
        if files.get(PAGE) != self._known.get(PAGE):
            stale |= self._there - files.keys()
        for key in stale:
            self.place.remove(key)
        self._known = files

    def remove_parts(self) -> None:
        super().remove_parts()
        for entry in self.place.entries(PARTS):
            self.place.remove(entry.key)

    def end(self) -> None:
        super().end()
        self.place.remove(RUNNING)


def _see(place: ObjectFolder) -> None:
    reason = "it does not find there what this run wrote"
    try:
        if place.entry(RUNNING) is not None:
            return
    except ServiceError as error:
        reason = error.message
    raise MissingError(
        f"On the machine {platform.node()}: {place}: {reason}. Every machine of a cluster needs "
        "the credentials and AWS_ENDPOINT_URL of the one where the command runs; guides/cluster.md "
        "says how."
    )


@contextmanager
def set_folder(place: Folder) -> Iterator[SetFolder]:
    """The folder of a set, for as long as a run goes on.

    Raises:
        ServiceError: the storage cannot be reached, or refuses.
    """
    if isinstance(place, LocalFolder):
        yield SetFolder(place.path, place)
        return
    with TemporaryDirectory(prefix="memeloc-") as name:
        yield _RemoteSet(Path(name) / (place.name or "set"), place)
