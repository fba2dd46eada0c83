"""The folder of a release. In: where it is to be. Out: all of it at once, or nothing.

A release is written beside its folder, as .NAME.partial, and takes its place when it is whole. Its
release.json lists every file that memeloc wrote: a folder with anything else in it, or with a file
that somebody has changed, is left as it is.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memeloc.errors import InputError
from memeloc.files import file_sha256, locked, not_written
from memeloc.version import __version__

RELEASE = "release.json"
"""Lists a release's files; it is written last."""

_LISTED = 5
_LOCK = ".lock"


def files_of(folder: Path) -> dict[str, Any] | None:
    """What release.json of a folder says; None where there is no valid one."""
    try:
        return listed_files((folder / RELEASE).read_bytes())
    except OSError:
        return None


def listed_files(content: bytes) -> dict[str, Any] | None:
    """What a release.json says; None of one that is not valid."""
    try:
        values = json.loads(content.decode("utf-8"))
    except ValueError:
        return None
    is_ours = isinstance(values, dict) and isinstance(values.get("files"), dict)
    return values if is_ours and "memeloc" in values else None


def check_owner(out: Path, *, thoroughly: bool = True) -> None:
    """See that a release can take the place of a folder without loss of anybody's work.

    Args:
        thoroughly: whether files are read, or only their sizes are compared.

    Raises:
        InputError: it is a file, or has files that memeloc did not write, or that were changed.
    """
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError("is a file; name a folder for the release.", file=out)
    there = {
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    release = files_of(out)
    files: Mapping[str, Any] = release["files"] if release else {}
    foreign = sorted(there - files.keys() - {RELEASE}) if release else sorted(there)
    changed = [
        name
        for name in sorted(there & files.keys())
        if _is_changed(out / name, files[name], thoroughly)
    ]
    refuse_others(foreign, changed, out)


def refuse_others(foreign: list[str], changed: list[str], out: Path | str) -> None:
    """Refuse to write over what is not memeloc's.

    Raises:
        InputError: there is any.
    """
    if foreign:
        raise InputError(
            f"{_listed(foreign)} in this folder {'was' if len(foreign) == 1 else 'were'} not "
            "written by memeloc; name another folder for the release, or move what is yours.",
            file=out,
        )
    if changed:
        raise InputError(
            f"{_listed(changed)} in this folder {'was' if len(changed) == 1 else 'were'} changed "
            "since memeloc wrote it; name another folder for the release, or move what is yours.",
            file=out,
        )


@contextmanager
def replacing_folder(out: Path, values: Mapping[str, Any]) -> Iterator[Path]:
    """An empty folder beside `out`, which takes its place when the block ends well.

    `values` are noted in release.json beside the files. What a run that was killed left is
    removed by the next one.

    Raises:
        InputError: `check_owner` says so, another run is at work, or it cannot be written.
    """
    out = out.resolve()
    partial, before = (out.with_name(f".{out.name}.{end}") for end in ("partial", "before"))
    try:
        with _locked(partial, out):
            try:
                if before.exists() and not out.exists():
                    before.rename(out)  # a run was killed between its two renamings
                check_owner(out)
                _empty(partial)
                yield partial
                _write_list(partial, values)
                check_owner(out, thoroughly=False)
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


@contextmanager
def _locked(partial: Path, out: Path) -> Iterator[None]:
    partial.mkdir(parents=True, exist_ok=True)
    with locked(partial / _LOCK, out):
        yield


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name != _LOCK:
            with suppress(FileNotFoundError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _write_list(folder: Path, values: Mapping[str, Any]) -> None:
    files = {
        path.relative_to(folder).as_posix(): {
            "bytes": path.stat().st_size,
            "sha256": file_sha256(path),
        }
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != _LOCK
    }
    whole = {"memeloc": __version__, **values, "files": files}
    text = json.dumps(whole, ensure_ascii=False, indent=1)
    (folder / RELEASE).write_text(f"{text}\n", encoding="utf-8")


def _is_changed(path: Path, noted: Mapping[str, Any], thoroughly: bool) -> bool:
    if path.is_symlink() or path.stat().st_size != noted.get("bytes"):
        return True
    return thoroughly and file_sha256(path) != noted.get("sha256")


def _listed(names: list[str]) -> str:
    more = [f"and {len(names) - _LISTED:,} more"] if len(names) > _LISTED else []
    return ", ".join([*names[:_LISTED], *more])
