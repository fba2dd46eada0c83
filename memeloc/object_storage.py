"""Folders on disks and in object storage. In: a path or an address. Out: files by their keys.

An object storage has no renames and no folders: an object is there whole or not at all, under a key
such as `en/tea/m1.jpg`. What writes and reads by keys alone works on both.

`s3://`, `gs://`, `abfs://` and `hdfs://` are opened by pyarrow, which memeloc needs anyway: its
clients are C++, without an event loop of Python's, and read ranges for its own Parquet reader. All
other addresses go to fsspec (the extra `cloud`, and the package of that file system). Credentials
are those that the clients find themselves, as `AWS_ACCESS_KEY_ID` in the environment.
"""

from __future__ import annotations

import mimetypes
import os
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from memeloc.errors import InputError, MissingError, ServiceError

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)
"""A scheme has two letters at least, as C:/ is a disk; of the slashes `Path` leaves only one."""
_SECRETS = r"(?i)key|secret|token|password|sig(nature)?="
"""What a query has in it that opens a storage: of Azure and of presigned ones a signature."""
_PYARROW = {"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"}
_OPTIONS = {"s3": "allow_delayed_open=true", "gs": "retry_limit_seconds=60"}
"""Of S3 one request for a small object, not three; of Google no quarter of an hour without news."""
_AT_ONCE = 16
"""Objects that a process writes at once."""
_REASONS = (
    (r"NO_SUCH_BUCKET", "there is no such bucket; make it first", False),
    (
        r"INVALID_ACCESS_KEY|SIGNATURE_DOES_NOT_MATCH|UNRECOGNIZED_CLIENT|EXPIRED_TOKEN|"
        r"INVALID_CLIENT_TOKEN|OAuth2 access token",
        "it refuses the credentials that stand in the environment, or there are none",
        False,
    ),
    (
        r"ACCESS_DENIED|403|[Pp]ermission",
        "it does not allow {operation} to the credentials in the environment, if there are any: "
        "they need to list, read, write and delete objects there",
        False,
    ),
    (
        r"NETWORK_CONNECTION|SERVICE_UNAVAILABLE|SLOW_DOWN|REQUEST_TIMEOUT|[Tt]imed? ?out",
        "it cannot be reached; run the same command again, what was finished is kept",
        True,
    ),
)
"""What the messages of clients hold, what to say, and whether trying again may help."""


class Entry(NamedTuple):
    """A file or an object.

    Attributes:
        key: its path in the folder, with `/`.
        size: bytes.
        changed: when it was written, in seconds since 1970 by the storage's own clock, which may
            count whole seconds only.
    """

    key: str
    size: int
    changed: float


@dataclass(frozen=True)
class LocalFolder:
    """A folder of this machine, or of a disk that it shares."""

    path: Path

    def address(self, key: str) -> Path:
        """Where a file is, for people and programs; without a key the folder."""
        return self.path / key

    def entry(self, key: str) -> Entry | None:
        """A file, or None."""
        try:
            status = (self.path / key).stat()
        except OSError:
            return None
        return Entry(key, status.st_size, status.st_mtime)

    def entries(self, folder: str) -> Iterator[Entry]:
        """The files of a folder in it."""
        for path in (self.path / folder).glob("*"):
            entry = self.entry(f"{folder}/{path.name}")
            if entry is not None:
                yield entry

    def remove(self, key: str) -> None:
        """Remove a file; it may be gone already."""
        (self.path / key).unlink(missing_ok=True)

    @contextmanager
    def staged(self, key: str) -> Iterator[Path]:
        """A path for what writes a file whole, or not at all, by itself; or reads or removes it."""
        yield self.path / key

    reading = rewriting = staged


class ObjectFolder:
    """A folder of an object storage: all objects whose keys begin alike. Pickled, it is an address.

    Raises:
        InputError: the address is none, or has credentials in it.
        MissingError: the package for such addresses is not installed.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url, allow_fragments=False)  # a key may have a #
        # Of other addresses than S3's a name before the @ is no secret, as a container of Azure's.
        has_credentials = parts.password or (parts.username and parts.scheme == "s3")
        if has_credentials or re.search(_SECRETS, parts.query):
            raise InputError(
                "Credentials do not belong in an address, which is printed and stored: set them in "
                "the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
            )
        self._url = url
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
        if not parts.netloc and not parts.path.strip("/"):
            raise InputError(f"{url[:80]!r} names no bucket or folder.")

    def __reduce__(self) -> tuple[type[ObjectFolder], tuple[str]]:
        return ObjectFolder, (self._url,)

    def __str__(self) -> str:
        return self.url

    def __fspath__(self) -> str:
        return self.url  # for errors, which name their file

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.url.rpartition("/")[2]

    def address(self, key: str) -> str:
        """Where an object is, for people and programs; without a key the folder."""
        return f"{self.url}/{key}".rstrip("/")

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        """The file system, and the path of the folder in it. Each process opens its own."""
        from pyarrow import fs

        parts = urlsplit(self._url, allow_fragments=False)
        with self._translated():
            if parts.scheme in _PYARROW:
                url = parts._replace(path=quote(parts.path, safe="/%")).geturl()
                option = _OPTIONS.get(parts.scheme, "")
                if option and option.partition("=")[0] not in parts.query:
                    url += ("&" if parts.query else "?") + option
                system, path = fs.FileSystem.from_uri(url)
            else:
                system, path = self._by_fsspec()
        return system, path.rstrip("/")

    def _by_fsspec(self) -> tuple[Any, str]:
        from pyarrow import fs

        try:
            import fsspec

            system, path = fsspec.core.url_to_fs(self._url)
        except ImportError as error:
            raise MissingError(
                f"{self.url} needs another package: pip install 'memeloc[cloud]' and the one that "
                f"fsspec names ({error})"
            ) from error
        except ValueError as error:
            raise InputError(f"{self._url[:80]!r} is no address of a storage: {error}") from error
        return fs.PyFileSystem(fs.FSSpecHandler(system)), path

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Raise ServiceError for what the client raises, FileNotFoundError excepted."""
        try:
            yield
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:  # pyarrow's ArrowInvalid is a ValueError
            message = str(error)
            without_names = re.sub(r"'[^']*'|Request ID: \w+", "", message)
            for pattern, reason, retryable in _REASONS:
                if re.search(pattern, without_names):
                    operation = re.search(r"during (\w+) operation", message)
                    reason = reason.format(operation=operation[1] if operation else "this")
                    raise ServiceError(self.url, reason, retryable=retryable) from error
            raise ServiceError(self.url, message[:300], retryable=False) from error

    def entry(self, key: str) -> Entry | None:
        """An object, or None."""
        from pyarrow import fs

        system, path = self._opened
        with self._translated():
            info = system.get_file_info(f"{path}/{key}")
        return Entry(key, info.size, _seconds(info)) if info.type == fs.FileType.File else None

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """The objects of a folder in it, and of the folders in that; without one, all."""
        from pyarrow import fs

        system, path = self._opened
        top = f"{path}/{folder}".rstrip("/")
        with self._translated():
            found = system.get_file_info(fs.FileSelector(top, allow_not_found=True, recursive=True))
        for info in found:
            if info.type == fs.FileType.File:
                yield Entry(info.path[len(path) :].lstrip("/"), info.size, _seconds(info))

    def names(self) -> set[str]:
        """The objects and folders that stand in it directly."""
        from pyarrow import fs

        system, path = self._opened
        with self._translated():
            found = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return {info.base_name for info in found}

    def open(self, key: str) -> BinaryIO:
        """An object to read ranges of.

        Raises:
            FileNotFoundError: it is not there.
        """
        system, path = self._opened
        with self._translated():
            return cast(BinaryIO, system.open_input_file(f"{path}/{key}"))

    def read(self, key: str) -> bytes:
        """The content of an object.

        Raises:
            FileNotFoundError: it is not there.
        """
        with self._translated(), self.open(key) as file:
            return file.read()

    def write(self, key: str, content: bytes | Path) -> None:
        """Write an object: it is there, whole, when this returns, and never in part."""
        import pyarrow as pa

        if isinstance(content, bytes) or not content.stat().st_size:  # nothing cannot be mapped
            self._write(key, content if isinstance(content, bytes) else b"")
            return
        with pa.memory_map(str(content)) as mapped:
            self._write(key, mapped.read_buffer())

    def _write(self, key: str, content: Any) -> None:
        # At once: a stream that is closed in the middle would leave a part as an object.
        system, path = self._opened
        kind = mimetypes.guess_type(key)[0] or "application/octet-stream"
        if kind.startswith("text/"):
            kind += "; charset=utf-8"
        with (
            self._translated(),
            system.open_output_stream(f"{path}/{key}", metadata={"Content-Type": kind}) as stream,
        ):
            stream.write(content)

    @contextmanager
    def writing_many(self) -> Iterator[Callable[[str, bytes | Path], None]]:
        """Write many objects at once, as each waits for an answer; all are there at the end."""
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            under_way: list[Future[None]] = []
            yield lambda key, content: under_way.append(threads.submit(self.write, key, content))
            for written in under_way:
                written.result()

    def remove(self, key: str) -> None:
        """Remove an object; it may be gone already."""
        system, path = self._opened
        try:
            with self._translated():
                system.delete_file(f"{path}/{key}")
        except FileNotFoundError:
            pass

    def fetch(self, key: str, to: Path) -> None:
        """Write an object into a file.

        Raises:
            FileNotFoundError: it is not there.
        """
        to.parent.mkdir(parents=True, exist_ok=True)
        with self.open(key) as source, to.open("wb") as file, self._translated():
            shutil.copyfileobj(source, file, 1 << 22)

    @contextmanager
    def staged(self, key: str) -> Iterator[Path]:
        """A path whose file becomes the object when the block ends well; none makes no object."""
        with TemporaryDirectory(prefix="memeloc-") as folder:
            path = Path(folder) / key.rpartition("/")[2]
            yield path
            if path.exists():
                self.write(key, path)

    @contextmanager
    def reading(self, key: str) -> Iterator[Path]:
        """An object as a file to read; there is no file where there is no object."""
        with TemporaryDirectory(prefix="memeloc-") as folder:
            path = Path(folder) / key.rpartition("/")[2]
            try:
                self.fetch(key, path)
            except FileNotFoundError:
                path.unlink(missing_ok=True)
            yield path

    @contextmanager
    def rewriting(self, key: str) -> Iterator[Path]:
        """An object as a file to read, and to write anew or to remove."""
        with self.reading(key) as path:
            yield path
            if path.exists():
                self.write(key, path)
            else:
                self.remove(key)


Folder = LocalFolder | ObjectFolder
"""A folder, wherever it is."""


def folder_at(place: str | Path | Folder) -> Folder:
    """The folder at a path, or at an address such as `s3://bucket/folder`.

    `~` begins a path at home: no shell expands it in `--out=~/set`, nor does Python.

    Raises:
        InputError: the address has credentials in it, or names nothing.

    >>> folder_at("out").address("m1.jpg").as_posix()
    'out/m1.jpg'
    >>> folder_at("s3://memes/out").address("m1.jpg")
    's3://memes/out/m1.jpg'
    """
    if isinstance(place, LocalFolder | ObjectFolder):
        return place
    match = _ADDRESS.fullmatch(str(place))
    if match is None:
        scheme, colon, _ = str(place).partition(":")
        if colon and scheme.lower() in _PYARROW:
            raise InputError(f"{str(place)[:80]!r} is no address: write {scheme}://BUCKET/FOLDER.")
        # pyarrow would take `run:1/manifest.parquet` for an address.
        is_like_one = colon and len(scheme) > 1
        if not str(place).strip():
            raise InputError("An empty text names no folder.")
        path = Path(os.path.expanduser(place))  # noqa: PTH111, as Path's raises for unknown users
        return LocalFolder(path.absolute() if is_like_one else path)
    scheme, rest = match[1].lower(), match[2]
    if scheme in ("file", "local"):
        return LocalFolder(Path(url2pathname("/" + unquote(rest).lstrip("/"))))
    return ObjectFolder(f"{scheme}://{rest}")


def _seconds(info: Any) -> float:
    return info.mtime_ns / 1e9 if info.mtime_ns is not None else 0.0
