"""Folders on disks and in object storage. In: a path or an address. Out: files by their keys.

An object storage has no renames and no folders: an object is there whole or not at all, under a key
such as `en/tea/m1.jpg`. A folder of a disk keeps to the same: a file is written beside its place,
under a name that begins with a dot and ends with `TEMPORARY`, and renamed.

`s3://`, `gs://`, `abfs://` and `hdfs://` are opened by pyarrow, which memeloc needs anyway: its
clients are C++, without an event loop of Python's, and read ranges for its own Parquet reader. All
other addresses go to fsspec (the extra `cloud`, and the package of that file system). Credentials
are those that the clients find themselves, as `AWS_ACCESS_KEY_ID` in the environment.
"""

from __future__ import annotations

import mimetypes
import os
import re
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from memeloc.errors import InputError, MissingError, ServiceError
from memeloc.files import naming

TEMPORARY = ".memeloc-tmp"
"""How the name of an unfinished file ends."""

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)
"""A scheme has two letters at least, as C:/ is a disk; of the slashes `Path` leaves only one."""
_SECRETS = r"(?i)key|secret|token|password|sig(nature)?="
"""What a query has in it that opens a storage: of Azure and of presigned ones a signature."""
_PYARROW = {"s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs"}
_OPTIONS = {"s3": {"allow_delayed_open": "true"}, "gs": {"retry_limit_seconds": "60"}}
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
    """A file or an object: its path in the folder, with `/`, its bytes, and when it was written.

    That is in seconds since 1970 by the storage's own clock, which may count whole seconds only.
    """

    key: str
    size: int
    changed: float


class Folder:
    """A folder of a disk, or all objects of a storage whose keys begin alike.

    Pickled, it is its path or address. What opens it raises MissingError where the package for such
    addresses is not installed.

    Attributes:
        path: the folder on a disk; None in object storage.
        url: its address without options, for people; on a disk its path.
    """

    def __init__(self, place: Path | str) -> None:
        self._place = place
        self._made: set[str] = set()  # folders on a disk
        self.path = place if isinstance(place, Path) else None
        self.url = str(place)
        if isinstance(place, Path):
            return
        parts = urlsplit(place, allow_fragments=False)  # a key may have a #
        # Of other addresses than S3's a name before the @ is no secret, as a container of Azure's.
        has_credentials = parts.password or (parts.username and parts.scheme == "s3")
        if has_credentials or re.search(_SECRETS, parts.query):
            raise InputError(
                "Credentials do not belong in an address, which is printed and stored: set them in "
                "the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
            )
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
        if not parts.netloc and not parts.path.strip("/"):
            raise InputError(f"{place[:80]!r} names no bucket or folder.")

    def __reduce__(self) -> tuple[type[Folder], tuple[Path | str]]:
        return Folder, (self._place,)

    def __str__(self) -> str:
        return self.url

    def __fspath__(self) -> str:
        return self.url  # for errors, which name their file

    def absolute(self) -> Folder:
        """Return the same folder, wherever the process changes to."""
        return Folder(self.path.absolute()) if self.path is not None else self

    @property
    def name(self) -> str:
        """The last part of the path or address."""
        return self.path.absolute().name if self.path else self.url.rpartition("/")[2]

    def address(self, key: str) -> Path | str:
        """Return where a file is, for people and programs; without a key the folder."""
        return self.path / key if self.path is not None else f"{self.url}/{key}".rstrip("/")

    @cached_property
    def opened(self) -> Any:
        """The folder as a file system of pyarrow. Each process opens its own."""
        from pyarrow import fs

        if self.path is not None:
            return fs.SubTreeFileSystem(str(self.path), fs.LocalFileSystem())
        parts = urlsplit(str(self._place), allow_fragments=False)
        with self.translated():
            if parts.scheme in _PYARROW:
                query = _OPTIONS.get(parts.scheme, {}) | dict(parse_qsl(parts.query))
                path = quote(parts.path, safe="/%")
                url = parts._replace(path=path, query=urlencode(query)).geturl()
                return fs.SubTreeFileSystem(*reversed(fs.FileSystem.from_uri(url)))
            try:
                import fsspec

                system, path = fsspec.core.url_to_fs(self._place)
            except ImportError as error:
                raise MissingError(
                    f"{self.url} needs another package: pip install 'memeloc[cloud]' and the one "
                    f"that fsspec names ({error})"
                ) from error
            except ValueError as error:
                reason = f"is no address of a storage: {error}"
                raise InputError(f"{self.url[:80]!r} {reason}") from error
            return fs.SubTreeFileSystem(path, fs.PyFileSystem(fs.FSSpecHandler(system)))

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise ServiceError for what a storage's client raises, FileNotFoundError excepted."""
        try:
            yield
        except (OSError, ValueError) as error:  # pyarrow's ArrowInvalid is a ValueError
            if self.path is not None or isinstance(error, FileNotFoundError):
                raise
            message = str(error)
            without_names = re.sub(r"'[^']*'|Request ID: \w+", "", message)
            for pattern, reason, retryable in _REASONS:
                if re.search(pattern, without_names):
                    operation = re.search(r"during (\w+) operation", message)
                    reason = reason.format(operation=operation[1] if operation else "this")
                    raise ServiceError(self.url, reason, retryable=retryable) from error
            raise ServiceError(self.url, message[:300], retryable=False) from error

    def entry(self, key: str) -> Entry | None:
        """Return a file's entry, or None where there is none."""
        with self.translated():
            info = self.opened.get_file_info(key)
        return _entry(info) if info.is_file else None

    def entries(self, folder: str = "") -> Iterator[Entry]:
        """Yield the files of a folder in it, and of the folders in that; without one, all."""
        return map(_entry, (info for info in self._listed(folder, recursive=True) if info.is_file))

    def names(self, folder: str = "") -> set[str]:
        """Return the names of files and folders that stand directly in it, or in one in it."""
        return {info.base_name for info in self._listed(folder, recursive=False)}

    def _listed(self, folder: str, *, recursive: bool) -> Any:
        from pyarrow import fs

        selector = fs.FileSelector(folder, allow_not_found=True, recursive=recursive)
        with self.translated():
            return self.opened.get_file_info(selector)

    def open(self, key: str) -> BinaryIO:
        """Open a file to read ranges of; FileNotFoundError if it is not there."""
        with self.translated():
            return cast(BinaryIO, self.opened.open_input_file(key))

    def read(self, key: str, size: int | None = None) -> bytes:
        """Return the content of a file, or its first bytes; FileNotFoundError as `open` has it."""
        with self.translated(), self.open(key) as file:
            return file.read() if size is None else file.read(size)

    def write(self, key: str, content: bytes | Path) -> None:
        """Write a file: it is there, whole, when this returns, and never in part."""
        if self.path is not None:
            with self.staged(key) as path:
                path.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
            return
        import pyarrow as pa

        kind = mimetypes.guess_type(key)[0] or "application/octet-stream"
        if kind.startswith("text/"):
            kind += "; charset=utf-8"
        whole: Any = content
        if isinstance(content, Path):  # nothing cannot be mapped
            whole = pa.memory_map(str(content)).read_buffer() if content.stat().st_size else b""
        # At once: a stream that is closed in the middle would leave a part as an object.
        metadata = {"Content-Type": kind}
        with self.translated(), self.opened.open_output_stream(key, metadata=metadata) as stream:
            stream.write(whole)

    @contextmanager
    def writing_many(self) -> Iterator[Callable[[str, bytes | Path], None]]:
        """Write many files, objects at once, as each waits for an answer."""
        if self.path is not None:
            yield self.write
            return
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            under_way: list[Future[None]] = []
            yield lambda key, content: under_way.append(threads.submit(self.write, key, content))
            for written in under_way:
                written.result()

    def remove(self, key: str) -> None:
        """Remove a file; it may be gone already."""
        with suppress(FileNotFoundError), self.translated():
            self.opened.delete_file(key)

    @contextmanager
    def staged(self, key: str) -> Iterator[Path]:
        """Give a path whose file becomes that of the key when the block ends well; without, none.

        No two processes have the same path: on a cluster two may make one file at once, where a
        node that was given up still works.
        """
        if self.path is None:
            with TemporaryDirectory(prefix="memeloc-") as folder:
                path = Path(folder) / key.rpartition("/")[2]
                yield path
                if path.exists():
                    self.write(key, path)
            return
        # Paths are texts, folders made once: a picture is written so, and it takes half the time.
        final = f"{self.path}/{key}"
        folder, _, name = final.rpartition("/")
        if folder not in self._made:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._made.add(folder)
        path = Path(f"{folder}/.{name}.{secrets.token_hex(4)}{TEMPORARY}")
        try:
            with naming(final):
                yield path
                with suppress(FileNotFoundError):
                    path.replace(final)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    @contextmanager
    def reading(self, key: str) -> Iterator[Path]:
        """Give a path to read a file at; there is no file where the key has none."""
        if self.path is not None:
            yield self.path / key
            return
        from pyarrow import fs

        with TemporaryDirectory(prefix="memeloc-") as folder:
            path = Path(folder) / key.rpartition("/")[2]
            with suppress(FileNotFoundError), self.translated():
                fs.copy_files(key, str(path), source_filesystem=self.opened)
            yield path


def folder_at(place: str | Path | Folder) -> Folder:
    """Return the folder at a path, or at an address such as `s3://bucket/folder`.

    `~` begins a path at home: no shell expands it in `--out=~/set`, nor does Python. Of an address
    `Path` leaves one slash, as in `s3:/bucket/folder`, which is read as that address. Raise
    InputError if the address has credentials in it, or names nothing.
    """
    if isinstance(place, Folder):
        return place
    match = _ADDRESS.fullmatch(str(place))
    if match is None:
        scheme, colon, _ = str(place).partition(":")
        if colon and scheme.lower() in _PYARROW:
            raise InputError(f"{str(place)[:80]!r} is no address: write {scheme}://BUCKET/FOLDER.")
        if not str(place).strip():
            raise InputError("An empty text names no folder.")
        path = Path(os.path.expanduser(place))  # noqa: PTH111, as Path's raises for unknown users
        # pyarrow would take `run:1/manifest` for an address.
        return Folder(path.absolute() if colon and len(scheme) > 1 else path)
    scheme, rest = match[1].lower(), match[2]
    if scheme in ("file", "local"):
        from urllib.request import url2pathname

        return Folder(Path(url2pathname("/" + unquote(rest).lstrip("/"))))
    return Folder(f"{scheme}://{rest}")


def _entry(info: Any) -> Entry:
    return Entry(info.path, info.size, (info.mtime_ns or 0) / 1e9)
