"""Files that are read and replaced. In: a path. Out: its beginning, its hash, or a whole file."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memeloc.errors import InputError

if TYPE_CHECKING:
    import sqlite3

Paths = str | Path | Iterable[str | Path]
"""Files or folders as a caller gives them: one, or several."""

LARGEST_FILE = 512 * 1024 * 1024
"""Bytes of a file that is read at once."""


def paths_of(paths: Paths) -> list[Path]:
    """Return each of the paths that a caller gave."""
    return [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def fetch_first(path: Path) -> str:
    """Return what to do about a file or folder that is not there because it is an address.

    >>> fetch_first(Path("s3://memes/captions.csv")), fetch_first(Path("captions.csv"))
    ('. It is in object storage: fetch it to a disk first', '')
    """
    is_address = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(path))
    return ". It is in object storage: fetch it to a disk first" if is_address else ""


def read_head(path: Path, largest: int | None = LARGEST_FILE) -> bytes:
    """Return the first 4,096 bytes of a file. Raise InputError if it cannot be read, is empty, or
    has more than `largest` bytes, if that is set."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(4096)
    except OSError as error:
        message = f"cannot be read: {error.strerror}{fetch_first(path)}"
        raise InputError(message, file=path) from error
    if largest is not None and size > largest:
        message = f"has {size / 2**20:,.0f} MB; more than {largest // 2**20} MB are not read"
        raise InputError(message, file=path)
    if not head.strip():
        raise InputError("is empty", file=path)
    return head


def read_text(path: Path) -> str:
    """Read a text in UTF-8, or UTF-16 with its mark; raise InputError as `read_head`."""
    head = read_head(path)
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return path.read_text(encoding)
    except UnicodeDecodeError as error:
        raise InputError("is not in UTF-8: save it again as UTF-8", file=path) from error


def file_sha256(path: Path) -> str:
    """Return SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def not_written(error: OSError) -> str:
    """Return why a file cannot be written, as the system says it, and what to do."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"{reason}. Free some space, or name a folder on another disk, and run the same "
            "command again; what was finished is kept"
        )
    there_is_a_file = error.errno == errno.EEXIST and Path(error.filename).is_file()
    if there_is_a_file or error.errno == errno.ENOTDIR:
        return f"{reason}: what should be one of its folders is a file"
    return reason


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Name a file in the errors that the system raises without one, as of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise


def temporary_beside(path: Path) -> Path:
    """Return a new name for a file that is to take the place of `path`: a dot, its name, `.tmp`."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file, which takes `path`'s place if all goes well, or raise InputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot be written: {not_written(error)}", file=path) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {not_written(error)}", file=path) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def locked(
    lock: Path,
    folder: Path,
    message: str = "Another run is at work in this folder; wait for it, or name another folder.",
) -> Iterator[None]:
    """Hold a folder for this run; raise InputError if another does. It ends with the process."""
    with lock.open("w") as file:
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(message, file=folder) from error
        yield


def temporary_database(schema: str) -> sqlite3.Connection:
    """Return a new database for this process alone, whose tables `schema` makes.

    SQLite holds 16 MiB of it in memory, writes what does not fit there to a file without a name in
    the folder of temporary files (`SQLITE_TMPDIR`, `TMPDIR`), and the file goes with the process.
    """
    import sqlite3

    database = sqlite3.connect("", isolation_level=None)
    database.executescript(
        f"PRAGMA cache_size=-{16 << 10};PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;{schema}"
    )
    database.execute("BEGIN")  # one transaction, never ended: nothing is flushed before it must be
    return database


@contextmanager
def naming_full_folder() -> Iterator[None]:
    """Raise InputError with the folder of temporary files when it has no space for a database."""
    import sqlite3

    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"has no space for a temporary database ({error}). Free some, or name another folder "
            "in the variable TMPDIR, and run the same command again; what was finished is kept.",
            file=Path(tempfile.gettempdir()),
        ) from error
