"""The manifest of a dump. In: a folder. Out: its files, their hashes, and whether it is whole.

The manifest is written last, under another name that shows what the folder is meanwhile, and gets
its own name by an atomic rename: a folder with `manifest.json` is a whole dump.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from memeloc.errors import InputError
from memeloc.files import replacing
from memeloc.store.migrating import HEAD
from memeloc.version import __version__

MANIFEST = "manifest.json"
"""The manifest's name; a dump is whole when it is there."""

TABLES = "tables"
"""The folder of the tables."""

WORKSPACE = "workspace"
"""The folder of files as they stand in the workspace's own."""

_INCOMPLETE = "manifest.incomplete"
"""What the manifest is called until all is written."""

_ABOUT = (
    "A dump of a memeloc workspace. tables/NAME.jsonl is the table NAME, a JSON object a line, in "
    "UTF-8, sorted by the table's key; times are ISO 8601 in UTC; a caption's text is a list of "
    "its parts. workspace/ has the files of its folder. guides/workspace.md of memeloc says more."
)
_CHUNK = 1 << 20


def _check_path(path: str) -> str:
    """Refuse what does not stay within the dump, and within a workspace that it is loaded into."""
    parts = PurePosixPath(path).parts
    hidden = any(part.startswith(".") for part in parts)
    if (
        "/".join(parts) != path
        or hidden
        or any(letter in path for letter in "\\:\0")
        or (len(parts) < 2 or parts[0] not in (TABLES, WORKSPACE))
    ):
        raise ValueError(f"{path[:80]!r} is no path within tables/ or workspace/")
    name = parts[1].casefold()
    if len(parts) == 2 and parts[0] == WORKSPACE and is_own(name):
        raise ValueError(f"{path[:80]!r} is a file that memeloc makes itself, and never of a dump")
    return path


def is_own(name: str) -> bool:
    """Whether a file of a workspace's folder, by its name, is its database or a key."""
    return name.casefold().startswith("memeloc.db") or name.casefold().endswith((".key", ".check"))


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class DumpFile(_Model):
    """A file of a dump: its path with / between, SHA-256 and bytes; of a table, its rows."""

    path: Annotated[str, AfterValidator(_check_path)]
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    size: int = Field(ge=0)
    rows: int | None = Field(default=None, ge=0)


class Manifest(_Model):
    """All that a dump says about itself.

    Attributes:
        format: of the dump.
        memeloc: the version that wrote it.
        database: the database's schema.
        keys: by the file of a key, which is never in a dump, what it is recognised by.
        files: sorted by path.
    """

    about: str = _ABOUT
    format: Literal["memeloc dump 1"] = "memeloc dump 1"
    memeloc: str = __version__
    database: str = HEAD
    keys: dict[str, str] = {}
    files: list[DumpFile]


def begin(folder: Path) -> None:
    """Make a folder ready for a dump; one that was interrupted is written again.

    Raises:
        InputError: it holds something else, or a whole dump.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir()}
        if MANIFEST in names:
            raise InputError("There is a dump here already; name another folder.", file=folder)
        if names and _INCOMPLETE not in names:
            raise InputError("The folder is not empty; name another for the dump.", file=folder)
        (folder / _INCOMPLETE).touch()
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder) from error


def complete(folder: Path, manifest: Manifest) -> None:
    """Write the manifest when all else is there, and remove what an interrupted run left."""
    wanted = {folder / file.path for file in manifest.files}
    for name in (TABLES, WORKSPACE):
        for path in sorted((folder / name).rglob("*"), reverse=True):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            elif path not in wanted:
                path.unlink()
    partial = folder / _INCOMPLETE
    text = json.dumps(manifest.model_dump(exclude_none=True), ensure_ascii=False, indent=1)
    partial.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    os.sync()  # the files are on the disk before the name that says so
    partial.rename(folder / MANIFEST)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a dump whose files are all there.

    Raises:
        InputError: it is not a dump, not whole, of a version that is not known here, or names files
            outside of it or that are missing.
    """
    file = folder / MANIFEST
    if not file.is_file():
        if (folder / _INCOMPLETE).exists():
            raise InputError(
                "The dump was interrupted before it was whole; run `memeloc dump` again.",
                file=folder,
            )
        raise InputError(f"This is not a dump of a workspace: it has no {MANIFEST}.", file=folder)
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        _check_versions(values, file)
        manifest = Manifest.model_validate(values)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        raise InputError(f"The manifest is wrong at {where}: {message}.", file=file) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"The manifest is not JSON: {error}", file=file) from error
    _check_files(folder, manifest)
    return manifest


def _check_versions(values: object, file: Path) -> None:
    """Refuse the dumps of other versions; these are looked at before anything else."""
    if not isinstance(values, dict) or not str(values.get("format", "")).startswith("memeloc dump"):
        raise InputError("This is not the manifest of a dump of memeloc.", file=file)
    version, schema = str(values.get("memeloc"))[:40], str(values.get("database"))[:40]
    known = Manifest.model_fields["format"].default
    if values["format"] != known or schema != HEAD:
        raise InputError(
            f"The dump has the schema {schema} and was written by memeloc {version}; this is "
            f"memeloc {__version__}, which loads {HEAD}. Load it with memeloc {version} (pip "
            f"install memeloc=={version}); a newer memeloc then brings that workspace up to date.",
            file=file,
        )


def _check_files(folder: Path, manifest: Manifest) -> None:
    root = folder.resolve()
    paths: set[str] = set()
    for file in manifest.files:
        path = folder / file.path
        if file.path in paths:
            raise InputError(f"The manifest lists {file.path} twice.", file=folder / MANIFEST)
        paths.add(file.path)
        if not path.is_file():
            raise InputError("The dump lacks this file that its manifest lists.", file=path)
        if not path.resolve().is_relative_to(root):
            raise InputError("The file is a link to outside of the dump.", file=path)


def copied(source: Path, target: Path, path: str, expected: DumpFile | None = None) -> DumpFile:
    """Copy a file, whole or not at all; what it is as a file of a dump.

    Raises:
        InputError: it cannot be read or written, or is not what is `expected`.
    """
    digest, size = hashlib.sha256(), 0
    with replacing(target) as partial, source.open("rb") as stream, partial.open("wb") as copy:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            copy.write(chunk)
        file = DumpFile(path=path, sha256=digest.hexdigest(), size=size)
        if expected is not None:
            check_hash(file.sha256, expected.sha256, source)
    return file


def check_hash(sha256: str, expected: str, file: Path) -> None:
    """Refuse a file whose SHA-256 is not the manifest's."""
    if sha256 != expected:
        raise InputError(
            "The file is not as it was dumped: its SHA-256 is not that of the manifest. Take "
            "another copy of the dump, or dump again.",
            file=file,
        )
