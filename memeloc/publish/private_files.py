"""The further files of a release. In: a `Release`. Out: their lines, and what never goes out.

Files are known by what is in them: a key or a database may have any name. Archives are unpacked,
and what they hold is looked at as all else.
"""

from __future__ import annotations

import gzip
import re
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from memeloc.errors import InputError
from memeloc.publish.release import Release
from memeloc.tables import read_tables, text_of
from memeloc.tables.archives import BROKEN, LARGEST_RATIO, is_workbook

_FORMS = {
    "a database": rb"\ASQLite format 3\0|\A\x37\x7f\x06[\x82\x83]|\A\xd9\xd5\x05\xf9"
    rb"|\A.{8}DUCK|\APGDMP|\A[\s-]*(PostgreSQL|MySQL) (database )?dump"
    rb"|\A(PRAGMA [^\n]*\n)?BEGIN TRANSACTION;",
    "a secret key": rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|\APuTTY-User-Key-File"
    rb"|\A\s*[0-9a-f]{64}\s*\Z",
    "a file of passwords or keys": rb"\A(?=[^\0]{,9999}(KEY|TOKEN|SECRET|PASSWORD)\w*="
    rb"[\"']?[^\s\"'<])((export )?[A-Z][A-Z0-9_]*=[^\n]*(\n|\Z)|[ \t\r]*(#[^\n]*)?\n)+\Z",
    "a dump of a workspace": rb'"memeloc dump \d',
    "a sheet that people fill in": rb'X-Memeloc-[A-Za-z]|(tool-id|origin)="memeloc"'
    rb'|<script type="application/json" id="sheet">|data-store="memeloc-',
}
"""Files that never go out, by how they are known: SQLite's (sqlite.org/fileformat2) and its logs,
DuckDB's, dumps of databases; keys in PEM and those that memeloc makes; files of nothing but
environment variables with values; and the marks of memeloc's own PO, XLIFF and HTML."""
_HEADINGS = (
    {"key", "language", "round"}, {"key", "check"}, {"your text"}, {"your answer"},
    {"participant"}, {"case", "take"}, {"coder", "codes"},
    {"state", "votes", "people", "reason"}, {"item", "reason", "pair", "person"},
)  # fmt: skip
"""Headings by which tables that people fill in, or that name people, are known."""
_CLOSED = (b"7z\xbc\xaf\x27\x1c", b"Rar!", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LARGEST = 64 * 2**20
"""Bytes of a file in which its form is looked for: all of a text, and the head of anything else."""


def each_file(release: Release) -> Iterator[tuple[str, Path, str]]:
    """Yield each further file: its name, where it is, and what it is that cannot be looked into.

    What an archive holds follows it, as `ARCHIVE/NAME`.
    """
    with TemporaryDirectory(prefix="memeloc-") as folder:
        for number, (name, path) in enumerate(release.files.items()):
            yield from _with_members(name, path, Path(folder, str(number)))


def _with_members(name: str, path: Path, folder: Path) -> Iterator[tuple[str, Path, str]]:
    try:
        problem = _unpack(path, folder)
    except (*BROKEN, tarfile.TarError):
        problem = "an archive that cannot be read"
    yield name, path, problem
    for member in () if problem else sorted(folder.rglob("*")):
        if member.is_file() and not member.is_symlink():
            below = member.relative_to(folder).as_posix()
            yield from _with_members(f"{name}/{below}", member, Path(f"{folder}-{below}-in"))


def _unpack(path: Path, folder: Path) -> str:
    """Unpack an archive; return what it is where that cannot be."""
    head, too_large = content_of(path, 8), "an archive that unpacks to far more than it is"
    most = max(path.stat().st_size * LARGEST_RATIO, 2**20)
    if head.startswith(_CLOSED):
        return "an archive that cannot be looked into"
    if head.startswith(b"\x1f\x8b"):
        folder.mkdir(parents=True)
        with gzip.open(path) as packed, (folder / path.stem).open("wb") as whole:
            while block := packed.read(2**20):
                if whole.tell() > most:
                    return too_large
                whole.write(block)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > most:
                return too_large
            archive.extractall(folder)  # noqa: S202 - a ZipFile leaves its folder by no name
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as tar:
            if sum(part.size for part in tar) > most:
                return too_large
            tar.extractall(folder, filter="data")
    return ""


def content_of(path: Path, most: int = _LARGEST) -> bytes:
    with path.open("rb") as stream:
        return stream.read(most)


def text_content(path: Path) -> bytes:
    """Return the content of a file; of a text in UTF-16, which Windows writes, as UTF-8."""
    content = content_of(path)
    return content.decode("utf-16", "replace").encode() if content[:2] in _UTF_16 else content


def is_text(content: bytes) -> bool:
    """Return whether it begins as a text in UTF-16 or any kind of ASCII does."""
    return b"\0" not in content[:8192] or content[:2] in _UTF_16


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text or the rows of a Parquet file; of other files nothing."""
    head = content_of(path, 8192)
    if head.startswith(b"PAR1"):
        for table in read_tables(path):
            yield from (" ".join(map(text_of, row.cells)) for row in table.rows)
    elif is_text(head):
        encoding = "utf-16" if b"\0" in head else "utf-8"
        with path.open(encoding=encoding, errors="replace") as text:
            yield from text


def form_of(path: Path) -> str:
    """Return which kind of file that never goes out this is; empty for none."""
    content = text_content(path)
    for what, form in _FORMS.items():
        if re.search(form, content, re.DOTALL):
            return what
    try:
        is_table = is_text(content) or is_workbook(content)
        if is_table and any(read_tables(path, is_header=_is_sheet)):
            return "a table that people fill in, or that names them"
    except InputError:
        pass  # it is no table
    return ""


def _is_sheet(headings: Sequence[str]) -> bool:
    folded = {heading.strip().casefold() for heading in headings}
    return any(marks <= folded for marks in _HEADINGS)
