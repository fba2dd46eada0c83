"""The folder of a release. In: where it is to be. Out: all of it at once, or nothing.

A release is written beside its folder, as .NAME.partial, and takes its place when it is whole. Its
release.json lists every file that memeloc wrote: a folder with anything else in it, or with a file
that somebody has changed, is left as it is, and who reads a release finds out what was changed.

In object storage nothing can be renamed, so readers may see two releases at once while one is
written: release.json, which names every file with its SHA-256, is the old one's until all files
are new.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from memeloc.errors import InputError
from memeloc.files import file_sha256, locked, not_written, read_head
from memeloc.object_storage import Folder
from memeloc.tables import read_table, text_of
from memeloc.version import __version__

RELEASE = "release.json"
"""Lists a release's files; it is written last."""
_UPLOAD = "release.partial.json"
"""Lists the files of a release on its way into a bucket; one that is there was cut off."""
_MANIFEST = "manifest/"
"""The folder by which a rendered set is known (guides/rendering.md)."""
_LISTED = 5
"""Names of files that a sentence gives."""
_LOCK = ".lock"
_CAPTIONS = ("meme_id", "template", "language", "text", "stage")
COLLECTED = "collected"
"""The stage of a finished meme's text, which is no caption of a template."""


@dataclass(frozen=True)
class PublishedRelease:
    """A release on disk, of which every file is as it was published: its layout, and all files by
    their paths with `/`."""

    folder: Path
    layout: str
    files: tuple[str, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(PurePosixPath(name).stem for name in self.files if name.startswith("tables/"))

    def captions(self) -> dict[tuple[str, str], dict[str, str]]:
        """Return by meme and template the captions, by language; without texts of finished memes.
        Raise InputError if the table `captions` is broken."""
        captions: dict[tuple[str, str], dict[str, str]] = {}
        for name in self.files:
            if PurePosixPath(name).with_suffix("") == PurePosixPath("tables/captions"):
                path = self.folder / name
                for row in read_table(path, _CAPTIONS).rows:
                    if row.error:
                        raise InputError(row.error, file=path, row=row.number)
                    cells = dict(zip(row.header.names, row.cells, strict=False))
                    meme, template, language, text, stage = (
                        text_of(cells.get(n)) for n in _CAPTIONS
                    )
                    if stage != COLLECTED:
                        captions.setdefault((meme, template), {})[language] = text
        return captions


def is_release(folder: Path) -> bool:
    """Return whether a folder has the list of a release's files."""
    return _listed(Folder(folder)) is not None


def open_release(folder: Path) -> PublishedRelease:
    """Return a release, after all of its files were compared with what release.json says. Raise
    InputError if it is none, or a file is missing, changed, or outside the folder."""
    read_head(folder / RELEASE)
    values = _listed(Folder(folder))
    if values is None:
        raise InputError(f"{RELEASE} is broken; publish the dataset again.", file=folder)
    for name, noted in values["files"].items():
        path = PurePosixPath(name)
        file = folder.joinpath(*path.parts)
        is_inside = not path.is_absolute() and path.parts and ".." not in path.parts
        if not is_inside or not file.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{RELEASE} names {name[:80]!r}, which is outside of it.", file=folder)
        if not file.is_file():
            raise InputError("is missing in the release; get it again.", file=file)
        if not isinstance(noted, dict) or file_sha256(file) != noted.get("sha256"):
            raise InputError(
                "is not as it was published (its SHA-256 is another); get it again, or remove "
                f"{RELEASE} to import the folder like one that others made.",
                file=file,
            )
    files = (*values["files"], RELEASE)
    return PublishedRelease(folder, str(values.get("layout", ""))[:40], files)


def _listed(place: Folder, name: str = RELEASE) -> dict[str, Any] | None:
    """Return the values of release.json; None where there is no valid one."""
    try:
        values = json.loads(place.read(name).decode("utf-8"))
    except (OSError, ValueError):
        return None
    is_ours = isinstance(values, dict) and isinstance(values.get("files"), dict)
    return values if is_ours and "memeloc" in values else None


def check_owner(place: Folder, *, thoroughly: bool = True) -> None:
    """Raise InputError unless a release can take a place's content without loss of others' work: if
    it is a file, or has files that memeloc did not write, or that were changed. Raise ServiceError
    if the storage cannot be reached, or refuses.

    Args:
        thoroughly: whether files are read, or only their sizes are compared; objects are not read.
    """
    out = place.path
    lists = _lists(place)
    if out is None:
        sizes = {entry.key: entry.size for entry in place.entries()}
    else:
        if out.exists() and not out.is_dir():
            raise InputError("is a file; name a folder for the release.", file=out)
        sizes = {
            path.relative_to(out).as_posix(): -1 if path.is_symlink() else path.stat().st_size
            for path in out.rglob("*")
            if path.is_symlink() or not path.is_dir()
        }
    listed = {(name, file.get("bytes")) for files in lists for name, file in files.items()}
    of_lists = {RELEASE, _UPLOAD} if lists else set()
    existing = {each for each in sizes.items() if each[0] not in of_lists}
    foreign = sorted({name for name, _ in existing} - {name for name, _ in listed})
    changed = sorted(name for name, _ in existing - listed)
    if not foreign and not changed and thoroughly and out is not None and lists:
        hashes = {name: file.get("sha256") for name, file in lists[0].items()}
        changed = sorted(name for name, _ in existing if file_sha256(out / name) != hashes[name])
    if not lists and any(name.startswith(_MANIFEST) for name in foreign):
        raise InputError(
            "is a set of pictures that memeloc rendered, and no release; name another folder for "
            "the release (and this one by --rendered, to publish its pictures).",
            file=place.address(""),
        )
    if names := foreign or changed:
        what = "not written by memeloc" if foreign else "changed since memeloc wrote it"
        more = [f"and {len(names) - _LISTED:,} more"] if len(names) > _LISTED else []
        raise InputError(
            f"{', '.join([*names[:_LISTED], *more])} in this folder "
            f"{'was' if len(names) == 1 else 'were'} {what}; name another folder for the "
            "release, or move what is yours.",
            file=place.address(""),
        )


def _lists(place: Folder) -> list[Mapping[str, Any]]:
    lists = (_listed(place, name) for name in (RELEASE, _UPLOAD))
    return [values["files"] for values in lists if values is not None]


@contextmanager
def replacing_release(place: Folder, values: Mapping[str, Any]) -> Iterator[Path]:
    """Give an empty folder, whose files take the release's place when the block ends well.

    `values` are noted in release.json beside the files. What a run that was killed left is removed
    by the next one. Raise InputError if `check_owner` says so, another run is at work, or it cannot
    be written; ServiceError if the storage cannot be reached, or refuses; the same again goes on.
    """
    if place.path is not None:
        with _replacing_folder(place.path.resolve(), values) as partial:
            yield partial
        return
    check_owner(place)
    with TemporaryDirectory(prefix="memeloc-") as name:
        folder = Path(name) / (place.name or "release")
        with _replacing_folder(folder, values) as partial:
            yield partial
        check_owner(place)
        before = {name for files in _lists(place) for name in files}
        files = json.loads((folder / RELEASE).read_text(encoding="utf-8"))["files"]
        place.write(_UPLOAD, folder / RELEASE)
        with place.writing_many() as write:
            for name in files:
                write(name, folder / name)
        place.write(RELEASE, folder / RELEASE)
        for name in before - files.keys():
            place.remove(name)
        place.remove(_UPLOAD)


@contextmanager
def _replacing_folder(out: Path, values: Mapping[str, Any]) -> Iterator[Path]:
    partial, before = (out.with_name(f".{out.name}.{end}") for end in ("partial", "before"))
    try:
        partial.mkdir(parents=True, exist_ok=True)
        with locked(partial / _LOCK, out):
            try:
                if before.exists() and not out.exists():
                    before.rename(out)  # a run was killed between its two renamings
                check_owner(Folder(out))
                for path in partial.iterdir():
                    if path.name != _LOCK:
                        with suppress(FileNotFoundError):
                            shutil.rmtree(path) if path.is_dir() else path.unlink()
                yield partial
                files = {
                    path.relative_to(partial).as_posix(): {
                        "bytes": path.stat().st_size,
                        "sha256": file_sha256(path),
                    }
                    for path in sorted(partial.rglob("*"))
                    if path.is_file() and path.name != _LOCK
                }
                whole = {"memeloc": __version__, **values, "files": files}
                text = json.dumps(whole, ensure_ascii=False, indent=1)
                (partial / RELEASE).write_text(f"{text}\n", encoding="utf-8")
                check_owner(Folder(out), thoroughly=False)
                (partial / _LOCK).unlink()
                shutil.rmtree(before, ignore_errors=True)
                if out.exists():
                    out.rename(before)
                partial.rename(out)
                shutil.rmtree(before, ignore_errors=True)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise InputError(f"cannot be written: {not_written(error)}", file=out) from error
