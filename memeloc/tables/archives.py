"""Opening untrusted archives. In: a path. Out: its parts, or a sentence that refuses it."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from memeloc.errors import InputError
from memeloc.files import LARGEST_FILE

LARGEST_PART = 256 * 1024 * 1024
"""Bytes that one XML part may unpack to."""

LARGEST_RATIO = 200
"""How much smaller than its content a part of more than a megabyte may be packed."""

BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError,
    ValueError, LookupError,
)  # fmt: skip
"""What reading a part of a damaged archive can raise."""

ZIP = b"PK\x03\x04"
"""First bytes of a zip archive, as office files are."""
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of an old office file, or a new one behind a password."""
_XML = (".xml", ".rels")


def is_workbook(head: bytes) -> bool:
    return head.startswith((ZIP, OLE))


def names_in(path: Path) -> set[str]:
    """Return the names of an archive's parts, once its sizes have been looked at. Raise InputError
    if it is broken, encrypted, or unpacks to more than a table can be."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except BROKEN as error:
        raise InputError(f"is a broken archive or office file: {error}", file=path) from error
    for part in parts:
        if part.flag_bits & 1:
            raise InputError("is protected by a password: save it without one", file=path)
        if part.filename.lower().endswith((*_XML, ".csv")):
            _check_size(part, path)
    return {part.filename for part in parts}


def _check_size(part: zipfile.ZipInfo, path: Path) -> None:
    most = LARGEST_PART if part.filename.lower().endswith(_XML) else LARGEST_FILE
    size, packed = part.file_size, max(part.compress_size, 1)
    if size > most or (size > 2**20 and size / packed > LARGEST_RATIO):
        raise InputError(
            f"its part {part.filename} unpacks to {size / 2**20:,.0f} MB from "
            f"{packed / 2**20:,.2f} MB, which no table does; it is not opened",
            file=path,
        )


def read_member(path: Path, name: str) -> bytes:
    """Return the content that an archive holds under a name. Raise InputError if it is broken, or
    unpacks to more than a table can be."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_size(archive.getinfo(name), path)
            return archive.read(name)
    except BROKEN as error:
        raise InputError(f"is a broken archive: {error}", file=path) from error


def only_member(path: Path, endings: tuple[str, ...], what: str) -> str | None:
    """Return the name of the only file of an archive with these endings, but for those that macOS
    adds; None of a workbook of Excel or LibreOffice. Raise InputError if it is broken, too large,
    or holds none of them or several."""
    names = names_in(path)
    if names & {"xl/workbook.xml", "content.xml"}:
        return None
    files = sorted(name for name in names if name.lower().endswith(endings))
    files = [name for name in files if not name.startswith("__MACOSX/") and "/." not in f"/{name}"]
    if len(files) != 1:
        raise InputError(
            f"is no workbook, but a zip archive that holds {len(files)} {what}s "
            f"({', '.join(files[:3]) or 'none'}), not one: unpack it and import each",
            file=path,
        )
    return files[0]
