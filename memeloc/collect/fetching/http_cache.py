"""Pages on disk. In: an address. Out: what came from it last, and what to ask whether it changed.

An entry is a small JSON file named by the hash of its address, a body a file named by the hash of
its bytes; both are renamed when they are whole, the body first, so that a killed run leaves whole
entries only. The folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memeloc.files import temporary_beside


@dataclass(frozen=True, slots=True)
class Entry:
    """The stored answer of an address, `fetched` seconds after 1970: its `body` (SHA-256), or a
    `location`.

    `etag` and `modified` are the server's, to ask by whether it has changed; `picture` says whether
    the bytes were found to be one.
    """

    url: str
    fetched: float
    location: str = ""
    body: str = ""
    content_type: str = ""
    etag: str = ""
    modified: str = ""
    picture: bool = False


class HttpCache:
    """Entries and bodies in a folder, which is made when something is put."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, url: str) -> tuple[Entry, bytes] | None:
        """Return the entry of an address and its bytes; None when they are not there or damaged."""
        try:
            entry = Entry(**json.loads(self._entry_file(url).read_text("utf-8")))
            content = self._body_file(entry.body).read_bytes() if entry.body else b""
        except (OSError, ValueError, TypeError):
            return None
        whole = not entry.body or hashlib.sha256(content).hexdigest() == entry.body
        return (entry, content) if entry.url == url and whole else None

    def put(self, entry: Entry, content: bytes | None = None) -> Entry:
        """Keep an entry, with its bytes where they are new."""
        if content is not None:
            entry = replace(entry, body=hashlib.sha256(content).hexdigest())
            file = self._body_file(entry.body)
            if not file.is_file() or file.stat().st_size != len(content):
                _write(file, content)
        _write(self._entry_file(entry.url), json.dumps(asdict(entry)).encode())
        return entry

    def _entry_file(self, url: str) -> Path:
        name = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / "pages" / name[:2] / f"{name}.json"

    def _body_file(self, sha256: str) -> Path:
        return self._folder / "bodies" / sha256[:2] / sha256


def _write(file: Path, content: bytes) -> None:
    # Not by `memeloc.files.replacing`, which asks for the process's umask: threads write here.
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = temporary_beside(file)
    try:
        partial.write_bytes(content)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
